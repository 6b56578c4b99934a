-- Scripts written in the console, every version of them, the hosts an administrator lets scripts call, what they keep.
CREATE TABLE scripts (
  name       TEXT PRIMARY KEY,
  draft      TEXT,
  -- The version that is live; none before the first.
  published  INTEGER,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE script_versions (
  script  TEXT NOT NULL REFERENCES scripts (name) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  source  TEXT NOT NULL,
  author  TEXT NOT NULL,
  at      INTEGER NOT NULL,
  note    TEXT,
  -- JSON: what it may do that the one before could not.
  wider   TEXT NOT NULL,
  PRIMARY KEY (script, version)
) STRICT, WITHOUT ROWID;

-- Of every origin: files have no row in `scripts`.
CREATE TABLE script_grants (
  script TEXT NOT NULL,
  host   TEXT NOT NULL,
  PRIMARY KEY (script, host)
) STRICT, WITHOUT ROWID;

CREATE TABLE script_values (
  script TEXT NOT NULL,
  user   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key    TEXT NOT NULL,
  value  TEXT NOT NULL,
  PRIMARY KEY (script, user, key)
) STRICT, WITHOUT ROWID;
