-- What is written down and done later keeps who wrote it: a job the keys and agents it was written by, a run whoever asked for
-- it, an agent's version the key and the origin of its text. None of them can do more than these may.
ALTER TABLE jobs ADD COLUMN authority TEXT;
UPDATE jobs SET authority = '{"keys":["' || key_id || '"]}' WHERE key_id IS NOT NULL;
ALTER TABLE jobs DROP COLUMN key_id;
ALTER TABLE firings ADD COLUMN asked TEXT;
ALTER TABLE agent_versions ADD COLUMN key_id TEXT;
ALTER TABLE agent_versions ADD COLUMN origin TEXT;
ALTER TABLE agent_versions ADD COLUMN author_id TEXT;
UPDATE agent_versions SET author_id = (SELECT u.id FROM users u WHERE u.username = agent_versions.author);
