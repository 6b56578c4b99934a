-- Programs that ask over /v1: what each says of how it is to be answered, beside its messages, as JSON.
ALTER TABLE turns ADD COLUMN brief TEXT;
-- SHA-256 of all that was said until its end, as a program that sends it all again will: it goes on in this conversation.
ALTER TABLE turns ADD COLUMN thread TEXT;
CREATE INDEX turns_thread ON turns (thread) WHERE thread IS NOT NULL;
-- Calls that were given to a program, which comes back with their results.
CREATE INDEX steps_handed ON steps (call_id) WHERE state = 'handed';

-- Answers of /v1/responses that were to be kept. What they say stands in the messages of their run.
CREATE TABLE responses (
  id           TEXT PRIMARY KEY,
  person       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  run          TEXT NOT NULL,
  -- Calls, as a list of ids, whose questions were decided by it: it begins with what came of them.
  decided      TEXT NOT NULL,
  -- What an answer repeats of its request, and the items that were sent, both as JSON.
  request      TEXT NOT NULL,
  input        TEXT NOT NULL,
  created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX responses_conversation ON responses (conversation);

-- Requests with an Idempotency-Key: one that is repeated within a day has the same answer, and nothing runs twice.
CREATE TABLE repeatable_requests (
  person       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The id of the API key it came with; '' of a session.
  credential   TEXT NOT NULL,
  name         TEXT NOT NULL,
  -- SHA-256 of its path and body.
  digest       BLOB NOT NULL,
  -- Who is at it; what it began is found by its run.
  node         TEXT,
  conversation TEXT,
  run          TEXT,
  -- The answer of a model that was asked without an agent, as it was sent.
  answer       TEXT,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (person, credential, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX repeatable_requests_age ON repeatable_requests (created_at);
