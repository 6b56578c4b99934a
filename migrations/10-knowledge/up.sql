-- Knowledge: collections, documents and the chunks they are found by. A document's row is also its job: what is not
-- `ready`, `failed`, `cancelled` or `deleted` is work that is left, whoever began it.
CREATE TABLE collections (
  number      INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  name        TEXT NOT NULL,
  name_key    TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  -- Names of the roles that see it, a JSON array; no value means everybody who may read knowledge.
  roles       TEXT,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;
-- Where documents go that name no other.
INSERT INTO collections (number, id, name, name_key, description, created_at, updated_at)
VALUES (1, '01900000-0000-7000-8000-000000000001', 'General', 'general', 'Documents that were put nowhere else', 0, 0);

CREATE TABLE folders (
  number     INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  path       TEXT NOT NULL UNIQUE,
  collection INTEGER NOT NULL REFERENCES collections (number) ON DELETE CASCADE,
  watch      INTEGER NOT NULL,
  added_by   TEXT REFERENCES users (id) ON DELETE SET NULL,
  scanned_at INTEGER,
  -- Why the last look at it failed.
  reason     TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE documents (
  number     INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  collection INTEGER NOT NULL REFERENCES collections (number),
  title      TEXT NOT NULL,
  -- The title stands in the document or was given with it; else it is only the file's name.
  titled     INTEGER NOT NULL,
  -- upload, url, folder or text.
  source     TEXT NOT NULL,
  -- The file's name, the address, or the path.
  uri        TEXT,
  folder     INTEGER REFERENCES folders (number) ON DELETE SET NULL,
  -- When the file of a folder was last changed, as the file system says it.
  stamp      INTEGER,
  -- What the kind is told by.
  name       TEXT NOT NULL,
  mime       TEXT NOT NULL,
  kind       TEXT,
  bytes      INTEGER NOT NULL,
  -- The content's hash: its name in the file storage. None until it was fetched.
  file       TEXT,
  status     TEXT NOT NULL,
  reason     TEXT,
  -- 0 to 1, within the status.
  progress   REAL NOT NULL DEFAULT 0,
  -- Tries so far, and when the next may begin.
  attempts   INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL DEFAULT 0,
  -- Grows with whatever makes work under way pointless: a worker whose number is another one's has nothing to say.
  run        INTEGER NOT NULL DEFAULT 0,
  -- Chunks of this version are found; those of the next are being made.
  version    INTEGER NOT NULL DEFAULT 0,
  pages      INTEGER,
  added_by   TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE INDEX documents_collection ON documents (collection, number);
CREATE INDEX documents_folder ON documents (folder, uri) WHERE folder IS NOT NULL;
CREATE INDEX documents_file ON documents (file);
CREATE INDEX documents_work ON documents (status, number) WHERE status IN ('queued', 'reading', 'embedding', 'deleted');

-- What was read of a document, in pieces: `start` is where a piece begins, in characters of the whole.
CREATE TABLE document_texts (
  document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
  version  INTEGER NOT NULL,
  start    INTEGER NOT NULL,
  text     TEXT NOT NULL,
  PRIMARY KEY (document, version, start)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunks (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
  version  INTEGER NOT NULL,
  ordinal  INTEGER NOT NULL,
  -- The headings it stands under, outermost first.
  heading  TEXT NOT NULL,
  -- What is said before it when it is embedded and searched: a table's header.
  context  TEXT NOT NULL,
  page     INTEGER,
  -- Where it stands in the document's text, in characters.
  start    INTEGER NOT NULL,
  end      INTEGER NOT NULL,
  text     TEXT NOT NULL,
  -- Of exactly what is embedded.
  hash     BLOB NOT NULL,
  UNIQUE (document, version, ordinal)
) STRICT;
CREATE INDEX chunks_hash ON chunks (hash);

-- Passages a conversation was given, under the numbers the model cites them by; a copy, for documents change.
CREATE TABLE passages (
  conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  number       INTEGER NOT NULL,
  chunk        INTEGER NOT NULL,
  document     TEXT NOT NULL,
  title        TEXT NOT NULL,
  heading      TEXT NOT NULL,
  page         INTEGER,
  start        INTEGER NOT NULL,
  end          INTEGER NOT NULL,
  text         TEXT NOT NULL,
  score        REAL NOT NULL,
  PRIMARY KEY (conversation, number),
  UNIQUE (conversation, chunk)
) STRICT, WITHOUT ROWID;
CREATE INDEX passages_document ON passages (document);

-- Which passages a message cites.
CREATE TABLE citations (
  message TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  number  INTEGER NOT NULL,
  PRIMARY KEY (message, number)
) STRICT, WITHOUT ROWID;
