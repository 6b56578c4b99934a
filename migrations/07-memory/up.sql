-- What is remembered of each person; `words` is the content as it is searched, the owner's mark among them.
CREATE TABLE memories (
  number     INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  user       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  layer      TEXT NOT NULL,
  category   TEXT NOT NULL,
  key        TEXT NOT NULL,
  content    TEXT NOT NULL,
  words      TEXT NOT NULL,
  source     TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (user, key)
) STRICT;
CREATE INDEX memories_recent ON memories (user, updated_at);

-- The search sees one owner's rows: every query names the owner's mark.
CREATE VIRTUAL TABLE memory_words USING fts5 (
  owner, words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0'
);
CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
  INSERT INTO memory_words (rowid, owner, words) VALUES (new.number, replace(new.user, '-', ''), new.words);
END;
CREATE TRIGGER memories_removed AFTER DELETE ON memories BEGIN
  DELETE FROM memory_words WHERE rowid = old.number;
END;
CREATE TRIGGER memories_changed AFTER UPDATE OF words ON memories BEGIN
  DELETE FROM memory_words WHERE rowid = old.number;
  INSERT INTO memory_words (rowid, owner, words) VALUES (new.number, replace(new.user, '-', ''), new.words);
END;
