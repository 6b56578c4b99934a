-- What a key shows an MCP client, and whether its owner lets the program that holds it answer questions for them.
ALTER TABLE api_keys ADD COLUMN approves INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_keys ADD COLUMN exposure TEXT;
ALTER TABLE api_keys ADD COLUMN selected TEXT NOT NULL DEFAULT '[]';

-- The result of a question that an MCP client asked is given to the identical call once: NULL where nobody has taken it.
ALTER TABLE tickets ADD COLUMN collected_at INTEGER;
CREATE INDEX tickets_by_call ON tickets (person, digest, id) WHERE collected_at IS NULL;
