-- What left this machine: one row for each attempt, refused ones too (R48).
CREATE TABLE egress (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  at       INTEGER NOT NULL,
  host     TEXT NOT NULL,
  port     INTEGER NOT NULL,
  protocol TEXT NOT NULL,
  -- A tool's canonical id, or a part of the product, which has no colon.
  by       TEXT NOT NULL,
  user_id  TEXT,
  call_id  TEXT,
  topic    TEXT,
  sent     INTEGER NOT NULL,
  received INTEGER NOT NULL,
  status   INTEGER,
  -- done, refused or failed.
  outcome  TEXT NOT NULL,
  reason   TEXT,
  ms       INTEGER NOT NULL
) STRICT;
CREATE INDEX egress_host ON egress (host, id);
CREATE INDEX egress_topic ON egress (topic, host) WHERE topic IS NOT NULL;
CREATE INDEX egress_refused ON egress (id) WHERE outcome = 'refused';

-- Pages of the web are cited under numbers, too, once they were fetched in the conversation (R27).
ALTER TABLE passages ADD COLUMN url TEXT;
CREATE UNIQUE INDEX passages_url ON passages (conversation, url) WHERE url IS NOT NULL;
