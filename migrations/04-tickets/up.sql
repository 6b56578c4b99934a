-- Questions to people: may this tool run with exactly these arguments? (R7)
CREATE TABLE tickets (
  id         TEXT PRIMARY KEY,
  user       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  topic      TEXT,
  tool       TEXT NOT NULL,
  asked_as   TEXT NOT NULL,
  arguments  TEXT NOT NULL,
  digest     BLOB NOT NULL,
  call       TEXT NOT NULL,
  risk       TEXT NOT NULL,
  reason     TEXT NOT NULL,
  state      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  result     TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX tickets_open ON tickets (user, topic) WHERE state = 'pending';

-- High-write tools a person approved for a whole conversation.
CREATE TABLE approvals (
  topic TEXT NOT NULL,
  tool  TEXT NOT NULL,
  PRIMARY KEY (topic, tool)
) STRICT, WITHOUT ROWID;

-- Tools found in a conversation: they stay in its model's context (R47).
CREATE TABLE promotions (
  topic TEXT NOT NULL,
  tool  TEXT NOT NULL,
  PRIMARY KEY (topic, tool)
) STRICT, WITHOUT ROWID;
