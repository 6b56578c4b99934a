-- People, what they may do, and the credentials they show.
CREATE TABLE roles (
  name        TEXT PRIMARY KEY,
  permissions TEXT NOT NULL,
  built_in    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
  id            TEXT PRIMARY KEY,
  username      TEXT NOT NULL,
  username_key  TEXT NOT NULL UNIQUE,
  role          TEXT NOT NULL REFERENCES roles (name),
  password      TEXT NOT NULL,
  disabled      INTEGER NOT NULL DEFAULT 0,
  created_at    INTEGER NOT NULL,
  last_login_at INTEGER
) STRICT, WITHOUT ROWID;

-- Only the SHA-256 of a session's or a key's secret is kept: both are random, so nothing slower is needed.
CREATE TABLE sessions (
  id           TEXT PRIMARY KEY,
  hash         BLOB NOT NULL UNIQUE,
  user         TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_agent   TEXT NOT NULL,
  address      TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_user ON sessions (user);

CREATE TABLE api_keys (
  id           TEXT PRIMARY KEY,
  hash         BLOB NOT NULL UNIQUE,
  user         TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name         TEXT NOT NULL,
  permissions  TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_user ON api_keys (user);
