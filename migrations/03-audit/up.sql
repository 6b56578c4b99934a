-- The audit: append-only and hash-chained, so that an edit, a deletion or a cut is found (R45).
CREATE TABLE audit (
  seq         INTEGER PRIMARY KEY,
  time        INTEGER NOT NULL,
  event_type  TEXT NOT NULL,
  user_id     TEXT,
  user        TEXT NOT NULL,
  topic       TEXT,
  tool        TEXT,
  door        TEXT NOT NULL,
  action      TEXT NOT NULL,
  arguments   TEXT NOT NULL,
  risk        TEXT,
  outcome     TEXT NOT NULL,
  error       TEXT,
  duration_ms INTEGER,
  call_id     TEXT,
  prev_hash   BLOB NOT NULL,
  hash        BLOB NOT NULL
) STRICT;
CREATE INDEX audit_tool ON audit (tool, seq) WHERE tool IS NOT NULL;

CREATE TRIGGER audit_is_append_only_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_is_append_only_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

-- Calls that change things, from before they run until their audit row is written:
-- what a crash leaves here was in flight, and nobody knows whether it took effect.
CREATE TABLE open_calls (
  call_id TEXT PRIMARY KEY,
  event   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Procedural memory: what became of each tool's calls (R43).
CREATE TABLE tool_outcomes (
  tool         TEXT PRIMARY KEY,
  calls        INTEGER NOT NULL,
  failures     INTEGER NOT NULL,
  weight       REAL NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
