-- Answers that gave way to a later one, to be shown beside it: by the question they answer, the oldest first.
CREATE TABLE former_answers (
  question TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  number   INTEGER NOT NULL,
  -- Its messages with their steps as JSON. Of their citations only the numbers: what passages say is kept in one place,
  -- for it goes when their document does.
  messages TEXT NOT NULL,
  PRIMARY KEY (question, number)
) STRICT, WITHOUT ROWID;
