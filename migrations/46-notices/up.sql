-- Messages to people, in their inbox until they put them away: what jobs were to say, and what went wrong with them.
CREATE TABLE notices (
  id       TEXT PRIMARY KEY,
  person   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  text     TEXT NOT NULL,
  job      TEXT,
  job_name TEXT,
  warns    INTEGER NOT NULL,
  times    INTEGER NOT NULL,
  sent_at  INTEGER NOT NULL,
  origin   TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX notices_person ON notices (person, sent_at);
