-- What memory needs beyond words: strength, meaning, earlier wordings, episodes; and how often a person opens what.
ALTER TABLE memories ADD COLUMN message TEXT;
-- Days until a tenth of it has faded, since `fresh_at`.
ALTER TABLE memories ADD COLUMN stability REAL NOT NULL DEFAULT 180;
ALTER TABLE memories ADD COLUMN fresh_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN recalls INTEGER NOT NULL DEFAULT 0;
UPDATE memories SET fresh_at = updated_at, stability = CASE layer WHEN 'gist' THEN 30 WHEN 'episode' THEN 14 ELSE 180 END;
CREATE INDEX memories_layer ON memories (user, layer);
CREATE INDEX memories_source ON memories (source) WHERE source IS NOT NULL;

-- A memory's meaning is its owner's like the memory itself, so it is not shared by content as that of documents is.
-- `stamp` is never used twice: the count and the greatest one say whether a copy in memory is up to date.
CREATE TABLE memory_vectors (
  stamp  INTEGER PRIMARY KEY AUTOINCREMENT,
  memory INTEGER NOT NULL UNIQUE REFERENCES memories (number) ON DELETE CASCADE,
  user   TEXT NOT NULL,
  model  TEXT NOT NULL,
  vector BLOB NOT NULL
) STRICT;
CREATE INDEX memory_vectors_of ON memory_vectors (user, model, stamp);

-- What was merged into a memory, and what it said before it was corrected.
CREATE TABLE memory_versions (
  id        INTEGER PRIMARY KEY,
  memory    INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
  content   TEXT NOT NULL,
  said_at   INTEGER NOT NULL,
  corrected INTEGER NOT NULL
) STRICT;
CREATE INDEX memory_versions_of ON memory_versions (memory, id);

-- Messages up to this number are in an episode.
ALTER TABLE conversations ADD COLUMN episode_upto INTEGER NOT NULL DEFAULT 0;

-- A decaying count of how often a person opens a thing.
CREATE TABLE uses (
  user    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind    TEXT NOT NULL,
  id      TEXT NOT NULL,
  count   REAL NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (user, kind, id)
) STRICT, WITHOUT ROWID;
