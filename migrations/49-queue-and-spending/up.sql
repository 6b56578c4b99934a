-- What surrounds an answer: messages that wait for it, earlier wordings of its question, and what it costs.

-- The text of the question when a former answer was given. None where the question still reads so.
ALTER TABLE former_answers ADD COLUMN question_text TEXT;

-- Messages that were sent while an answer was under way, in the order of their ids. Whoever takes one deletes its row in the
-- transaction that writes the message.
CREATE TABLE queued_messages (
  id           TEXT PRIMARY KEY,
  conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  text         TEXT NOT NULL,
  attachments  TEXT NOT NULL,
  provider     TEXT,
  -- 'now': a step of the turn under way; 'next': a turn of its own, once that one has ended with an answer.
  moment       TEXT NOT NULL,
  -- Who sent it, as in turns.
  caller       TEXT NOT NULL,
  created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX queued_messages_conversation ON queued_messages (conversation, id);

-- Prices of models per million tokens, in millionths of a currency's unit.
CREATE TABLE prices (
  provider TEXT NOT NULL,
  model    TEXT NOT NULL,
  input    INTEGER NOT NULL,
  output   INTEGER NOT NULL,
  currency TEXT NOT NULL,
  PRIMARY KEY (provider, model)
) STRICT, WITHOUT ROWID;

-- Tokens by day (UTC), person, agent and model; '' is not known. The cost is in billionths of the currency's unit, at the
-- price of the moment; currency '': there was none.
CREATE TABLE spending (
  day           TEXT NOT NULL,
  person        TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  agent         TEXT NOT NULL,
  provider      TEXT NOT NULL,
  model         TEXT NOT NULL,
  currency      TEXT NOT NULL,
  requests      INTEGER NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost          INTEGER NOT NULL,
  PRIMARY KEY (day, person, agent, provider, model, currency)
) STRICT, WITHOUT ROWID;
CREATE INDEX spending_person ON spending (person, day);
INSERT INTO spending SELECT day, person, '', '', '', '', 0, input_tokens, output_tokens, 0 FROM usage;
-- The sums by person and day are those of spending.
DROP TABLE usage;

-- Calls of tools in conversations by day and person, and about how many tokens the model read of their answers.
CREATE TABLE tool_spending (
  day    TEXT NOT NULL,
  person TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  tool   TEXT NOT NULL,
  calls  INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (day, person, tool)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_spending_person ON tool_spending (person, day);

-- The cost of a run, as in spending; unpriced: some of its tokens had no price, or one in another currency.
ALTER TABLE turns ADD COLUMN cost INTEGER;
ALTER TABLE turns ADD COLUMN currency TEXT;
ALTER TABLE turns ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;

-- When a question was decided; none of those decided before, which are ordered by when they were asked.
ALTER TABLE tickets ADD COLUMN decided_at INTEGER;
CREATE INDEX tickets_person ON tickets (person, id);
