-- Long results of tools, kept a week so that the data tools can read what a model was shown only the head of (R40).
CREATE TABLE results (
  id         TEXT PRIMARY KEY,
  user       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  topic      TEXT REFERENCES conversations (id) ON DELETE CASCADE,
  text       TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX results_topic ON results (topic) WHERE topic IS NOT NULL;
CREATE INDEX results_age ON results (created_at);
