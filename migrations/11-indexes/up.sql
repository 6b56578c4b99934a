-- Vectors by content, and the outbox the indexes are kept up to date from.
CREATE TABLE vector_models (
  number     INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL
) STRICT;

-- One row for each distinct content and model: the same content is never embedded twice.
CREATE TABLE vectors (
  number INTEGER PRIMARY KEY,
  model  INTEGER NOT NULL REFERENCES vector_models (number) ON DELETE CASCADE,
  hash   BLOB NOT NULL,
  vector BLOB NOT NULL,
  UNIQUE (model, hash)
) STRICT;

-- A number is never used again: an index tells by it what it has seen.
CREATE TABLE outbox (
  seq   INTEGER PRIMARY KEY AUTOINCREMENT,
  space TEXT NOT NULL,
  id    INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_space ON outbox (space, seq);

-- Up to where changes were forgotten: an index that has seen less cannot be brought up to date by those that are left.
CREATE TABLE outbox_trimmed (
  space TEXT PRIMARY KEY,
  seq   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which database this is: an index made from another one is not believed.
CREATE TABLE outbox_origin (origin TEXT NOT NULL) STRICT;
INSERT INTO outbox_origin VALUES (lower(hex(randomblob(16))));

-- What people and agents put into the index themselves.
CREATE TABLE index_entries (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL UNIQUE,
  text       TEXT,
  -- Of the vector: of the text it was made from, or of the numbers where those were given.
  hash       BLOB,
  given      INTEGER NOT NULL,
  metadata   TEXT NOT NULL,
  put_by     TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX index_entries_hash ON index_entries (hash);

-- The same metadata, to filter by.
CREATE TABLE index_metadata (
  entry INTEGER NOT NULL REFERENCES index_entries (id) ON DELETE CASCADE,
  key   TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (key, value, entry)
) STRICT, WITHOUT ROWID;
CREATE INDEX index_metadata_entry ON index_metadata (entry);
