-- Business processes: their steps and what they depend on, proposed or published.
CREATE TABLE processes (
  id         TEXT PRIMARY KEY,
  -- The name in lower case: no two processes share one.
  name_key   TEXT NOT NULL UNIQUE,
  -- Everything a person writes of it, JSON.
  content    TEXT NOT NULL,
  source     TEXT NOT NULL,
  status     TEXT NOT NULL,
  -- Where a proposal's material came from, if from outside.
  outside    TEXT,
  -- Counted at every change: who read an earlier one does not overwrite this one.
  revision   INTEGER NOT NULL,
  -- Which vector is its own.
  hash       BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX processes_by_hash ON processes (hash);
