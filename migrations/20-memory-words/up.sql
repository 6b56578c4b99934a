-- Words of a memory that is forgotten leave the full-text table at once: a table that is told the old words can be made
-- to overwrite them, one that only marks a row as deleted keeps them until it happens to merge.
DROP TRIGGER memories_added;
DROP TRIGGER memories_removed;
DROP TRIGGER memories_changed;
DROP TABLE memory_words;

CREATE VIRTUAL TABLE memory_words USING fts5 (
  owner, words, content = '', tokenize = 'unicode61 remove_diacritics 0'
);
INSERT INTO memory_words (memory_words, rank) VALUES ('secure-delete', 1);
INSERT INTO memory_words (rowid, owner, words) SELECT number, replace(user, '-', ''), words FROM memories;

CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
  INSERT INTO memory_words (rowid, owner, words) VALUES (new.number, replace(new.user, '-', ''), new.words);
END;
CREATE TRIGGER memories_removed AFTER DELETE ON memories BEGIN
  INSERT INTO memory_words (memory_words, rowid, owner, words)
    VALUES ('delete', old.number, replace(old.user, '-', ''), old.words);
END;
CREATE TRIGGER memories_changed AFTER UPDATE OF words ON memories BEGIN
  INSERT INTO memory_words (memory_words, rowid, owner, words)
    VALUES ('delete', old.number, replace(old.user, '-', ''), old.words);
  INSERT INTO memory_words (rowid, owner, words) VALUES (new.number, replace(new.user, '-', ''), new.words);
END;
