-- The words by which memories are found are rows like all others: no database shares another one's full-text search, and
-- what is deleted is overwritten without more ado. Ranking never was the table's.
DROP TRIGGER memories_added;
DROP TRIGGER memories_removed;
DROP TRIGGER memories_changed;
DROP TABLE memory_words;

CREATE TABLE memory_words (
  person TEXT NOT NULL,
  word   TEXT NOT NULL,
  memory INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
  PRIMARY KEY (person, word, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_words_memory ON memory_words (memory);

WITH RECURSIVE split (person, memory, word, rest) AS (
  SELECT person, number, '', words || ' ' FROM memories
  UNION ALL
  SELECT person, memory, substr(rest, 1, instr(rest, ' ') - 1), substr(rest, instr(rest, ' ') + 1)
  FROM split WHERE rest <> ''
)
INSERT INTO memory_words (person, word, memory) SELECT DISTINCT person, word, memory FROM split WHERE word <> '';
ALTER TABLE memories DROP COLUMN words;
