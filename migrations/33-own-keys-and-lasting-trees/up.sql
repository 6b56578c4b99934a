-- A key without a list of permissions that somebody else made for a person opens nothing of that person, whatever it may
-- do: only those stay personal that the person, or the command line of the machine, made.
UPDATE api_keys SET personal = 0 WHERE personal = 1 AND id NOT IN (
  SELECT k.id FROM audit a CROSS JOIN api_keys k ON k.id = json_extract(a.arguments, '$.key')
  WHERE a.action = 'key.create' AND (a.user_id = k.user OR a.door = 'cli')
);

-- 1 where it counts until a person vouches for it, 0 where only while a command runs.
ALTER TABLE tree_origins ADD COLUMN lasting INTEGER NOT NULL DEFAULT 1;

-- Whose words a document's title and its present content are, and the program that wrote of them, if one did with a key.
-- Of those from before whoever added them counts, as before.
ALTER TABLE documents ADD COLUMN title_by TEXT;
ALTER TABLE documents ADD COLUMN content_by TEXT;
ALTER TABLE documents ADD COLUMN origin TEXT;
UPDATE documents SET title_by = added_by, content_by = added_by;

-- 1 where all words of the row are its user's own, a person's, as far as their conversation was clean.
ALTER TABLE audit ADD COLUMN own_words INTEGER NOT NULL DEFAULT 0;

-- Who put what everybody reads: to others it is from outside. Empty for what is from before.
ALTER TABLE index_entries ADD COLUMN author TEXT;
ALTER TABLE graph_nodes ADD COLUMN author TEXT;
ALTER TABLE graph_edges ADD COLUMN author TEXT;

-- Open questions are counted and weighed without reading what they ask.
DROP INDEX tickets_open;
CREATE INDEX tickets_open ON tickets (user, expires_at, topic, octet_length(arguments)) WHERE state = 'pending';

-- What a document calls a node that it names; empty where it is not known. What somebody puts stands in the node alone.
-- Documents and sections that somebody put as they had been found lose their words: those were open to all then.
ALTER TABLE graph_sources ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE graph_sources ADD COLUMN label TEXT NOT NULL DEFAULT '';
CREATE TEMP TABLE found AS
  SELECT number, name, labels ->> 0 AS label FROM graph_nodes WHERE json_array_length(labels) = 1 AND (put = 0 OR (
    props = json_object('name', name)
    AND ((id LIKE 'document:%' AND labels = '["Document"]') OR (id LIKE 'section:%' AND labels = '["Section"]'))
  ));
UPDATE graph_sources SET name = found.name, label = found.label FROM found WHERE found.number = node;
UPDATE graph_nodes SET name = id, labels = '[]', props = '{}' WHERE put = 1 AND number IN (SELECT number FROM found);
DROP TABLE found;

-- Directories that people share: no more is said there of a file's origin than everybody may read.
UPDATE file_origins SET origin = json_set(origin, '$.source', 'a tool') WHERE owner = '' AND origin IS NOT NULL;
UPDATE tree_origins SET origin = json_set(origin, '$.source', 'a tool') WHERE owner = '';

-- People who were deleted, until nothing of them is left outside the database.
CREATE TABLE departures (user TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Networks that people have signed in from; of those from before, whole addresses.
CREATE TABLE known_networks (
  user    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  network TEXT NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (user, network)
) STRICT, WITHOUT ROWID;
INSERT INTO known_networks SELECT user, address, max(created_at) FROM sessions GROUP BY user, address;

-- Collections name no role that is gone: another one could be made in its name.
UPDATE collections SET roles = (
  SELECT json_group_array(r.value) FROM json_each(collections.roles) r WHERE r.value IN (SELECT name FROM roles)
) WHERE EXISTS (SELECT 1 FROM json_each(collections.roles) r WHERE r.value NOT IN (SELECT name FROM roles));
