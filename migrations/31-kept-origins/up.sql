-- Where what is kept came from, as JSON: {"source", "at"}; NULL where nothing from outside was near when it was kept, or
-- a person has vouched for it.
ALTER TABLE memories ADD COLUMN origin TEXT;
ALTER TABLE lists ADD COLUMN origin TEXT;
ALTER TABLE list_items ADD COLUMN origin TEXT;
ALTER TABLE list_history ADD COLUMN origin TEXT;
ALTER TABLE clipboards ADD COLUMN origin TEXT;
ALTER TABLE results ADD COLUMN origin TEXT;
ALTER TABLE index_entries ADD COLUMN origin TEXT;
ALTER TABLE graph_nodes ADD COLUMN origin TEXT;
ALTER TABLE graph_edges ADD COLUMN origin TEXT;
ALTER TABLE script_values ADD COLUMN origin TEXT;
ALTER TABLE script_values ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;

-- Of what was kept before, a memory has the origin of its conversation. What everybody reads counted as from outside
-- until now, and goes on to.
UPDATE memories SET origin = (
  SELECT json_object('source', c.tainted_by, 'at', strftime('%Y-%m-%dT%H:%M:%fZ', c.tainted_at / 1000.0, 'unixepoch'))
  FROM conversations c WHERE c.id = memories.source AND c.tainted_by IS NOT NULL);
UPDATE index_entries SET origin = json_object(
  'source', 'put before its origin was kept', 'at', strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch'));
UPDATE graph_nodes SET origin = json_object(
  'source', 'put before its origin was kept', 'at', strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch'))
  WHERE put = 1;
UPDATE graph_edges SET origin = json_object(
  'source', 'put before its origin was kept', 'at', strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch'))
  WHERE document IS NULL;
