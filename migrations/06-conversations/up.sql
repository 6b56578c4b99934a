-- Conversations, and every step of every turn as a row, so that a restart goes on where it stopped.
CREATE TABLE conversations (
  id           TEXT PRIMARY KEY,
  user         TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  title        TEXT NOT NULL,
  folder       TEXT,
  -- Where the first content from outside came from; no value while there is none.
  tainted_by   TEXT,
  -- What was said up to and including the message `summary_upto`, shortened when it no longer fitted.
  summary      TEXT,
  summary_upto INTEGER,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX conversations_user ON conversations (user, updated_at);

CREATE TABLE turns (
  id            TEXT PRIMARY KEY,
  conversation  TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  state         TEXT NOT NULL,
  error         TEXT,
  -- Who asked, and with what permissions: after a restart he has these and what his role grants then.
  caller        TEXT NOT NULL,
  provider      TEXT,
  input_tokens  INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  -- Model calls made, against the limit of a turn.
  model_calls   INTEGER NOT NULL DEFAULT 0,
  context       TEXT,
  -- Events are numbered; a process that takes the turn over begins a new million.
  last_event    INTEGER NOT NULL DEFAULT 0,
  started_at    INTEGER NOT NULL,
  finished_at   INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX turns_conversation ON turns (conversation, id);
CREATE INDEX turns_open ON turns (state) WHERE state IN ('running', 'waiting');
-- Two turns of one conversation cannot be under way.
CREATE UNIQUE INDEX turns_one_at_a_time ON turns (conversation) WHERE state IN ('running', 'waiting');

CREATE TABLE messages (
  seq           INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  conversation  TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  turn          TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  role          TEXT NOT NULL,
  text          TEXT NOT NULL,
  attachments   TEXT NOT NULL,
  model         TEXT,
  input_tokens  INTEGER,
  output_tokens INTEGER,
  error         TEXT,
  created_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_conversation ON messages (conversation, seq);
CREATE INDEX messages_turn ON messages (turn);

CREATE TABLE steps (
  message     TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  position    INTEGER NOT NULL,
  call_id     TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  tool        TEXT NOT NULL,
  asked_as    TEXT NOT NULL,
  arguments   TEXT NOT NULL,
  malformed   TEXT,
  risk        TEXT NOT NULL,
  state       TEXT NOT NULL,
  success     INTEGER,
  output      TEXT,
  model_text  TEXT,
  ticket      TEXT,
  duration_ms INTEGER,
  started_at  INTEGER NOT NULL,
  PRIMARY KEY (message, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX steps_ticket ON steps (ticket) WHERE ticket IS NOT NULL;

-- Tokens a person spent on a day (UTC), for his budget. Deleting a conversation gives none back.
CREATE TABLE usage (
  user          TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  day           TEXT NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  PRIMARY KEY (user, day)
) STRICT, WITHOUT ROWID;

-- Models that may be asked; their keys are in the vault.
CREATE TABLE providers (
  id             TEXT PRIMARY KEY,
  kind           TEXT NOT NULL,
  name           TEXT NOT NULL,
  base_url       TEXT NOT NULL,
  model          TEXT NOT NULL,
  priority       INTEGER NOT NULL,
  enabled        INTEGER NOT NULL,
  context_tokens INTEGER,
  created_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
