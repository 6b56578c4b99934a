-- Rules for arguments: what a person decided once for all calls of a tool with certain arguments.
CREATE TABLE rules (
  id           TEXT PRIMARY KEY,
  person       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  everybody    INTEGER NOT NULL DEFAULT 0,
  tool         TEXT NOT NULL,
  conditions   TEXT NOT NULL,
  decision     TEXT NOT NULL,
  agent        TEXT,
  hosts        TEXT NOT NULL,
  definition   TEXT,
  expires_at   INTEGER,
  ticket       TEXT,
  created_at   INTEGER NOT NULL,
  uses         INTEGER NOT NULL DEFAULT 0,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX rules_by_tool ON rules (tool, person);
