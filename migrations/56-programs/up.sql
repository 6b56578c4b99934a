-- Programs of models that wait for a person, with what the calls in them have answered: going on replays those.
CREATE TABLE programs (
  -- The call that ran it first.
  id      TEXT PRIMARY KEY,
  person  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  topic   TEXT REFERENCES conversations (id) ON DELETE CASCADE,
  -- The credential of an MCP client, which makes its call again and names no question; none elsewhere.
  asker   TEXT,
  -- Of its text.
  digest  TEXT NOT NULL,
  state   TEXT NOT NULL,
  -- The start of the server that runs it; none while it waits.
  node    TEXT,
  -- The moment that it is told, each time it is run.
  at      INTEGER NOT NULL,
  -- What it gave back, JSON, for whoever asks again.
  outcome TEXT,
  -- Of what its calls have read, JSON.
  origin  TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX programs_person ON programs (person, at);
CREATE INDEX programs_topic ON programs (topic);

CREATE TABLE program_calls (
  program TEXT NOT NULL REFERENCES programs (id) ON DELETE CASCADE,
  number  INTEGER NOT NULL,
  -- Of the tool and its arguments.
  digest  TEXT NOT NULL,
  -- The question that it waits for.
  ticket  TEXT,
  -- What it answered, JSON; none of one that was begun and of which no more is known.
  answer  TEXT,
  PRIMARY KEY (program, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX program_calls_ticket ON program_calls (ticket);
