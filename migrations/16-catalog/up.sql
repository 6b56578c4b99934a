-- The service catalog: systems that can be called, and their endpoints. Secrets are in the vault.
CREATE TABLE systems (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  -- The name in lower case: no two systems share one.
  name_key    TEXT NOT NULL UNIQUE,
  -- Part of the ids of its endpoints' tools.
  slug        TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  base_url    TEXT,
  tags        TEXT NOT NULL,
  status      TEXT NOT NULL,
  -- The kind of credential and its open parts, JSON.
  auth        TEXT NOT NULL,
  rate_limit  TEXT NOT NULL,
  retries     INTEGER NOT NULL,
  timeout_s   INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE endpoints (
  id          TEXT PRIMARY KEY,
  system      TEXT NOT NULL REFERENCES systems (id) ON DELETE CASCADE,
  name        TEXT NOT NULL,
  slug        TEXT NOT NULL,
  -- The protocol and what it needs, JSON.
  operation   TEXT NOT NULL,
  method      TEXT NOT NULL,
  path        TEXT NOT NULL,
  parameters  TEXT NOT NULL,
  description TEXT NOT NULL,
  when_to_use TEXT NOT NULL,
  risk        TEXT NOT NULL,
  -- Whether a person let it through.
  reviewed    INTEGER NOT NULL,
  rate_limit  TEXT NOT NULL,
  retries     INTEGER,
  -- What the document said when it was imported, JSON.
  imported    TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  UNIQUE (system, slug)
) STRICT, WITHOUT ROWID;
