-- Agents: who answers, as versions of what somebody wrote of them, and the version that each turn is held to.
CREATE TABLE agents (
  id         TEXT PRIMARY KEY,
  -- None of the built-in one, and where the person is gone.
  owner      TEXT REFERENCES users (id) ON DELETE SET NULL,
  -- The name in lower case.
  name_key   TEXT NOT NULL,
  -- The version that counts.
  version    INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Turns that are over still say who answered.
  deleted_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX agents_owner ON agents (owner);

CREATE TABLE agent_versions (
  agent   TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  -- Everything that is written of it, JSON.
  content TEXT NOT NULL,
  author  TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (agent, version)
) STRICT, WITHOUT ROWID;

-- Whom an agent is shared with: `*`, a role, or a user's name in lower case.
CREATE TABLE agent_shares (
  agent TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  name  TEXT NOT NULL,
  PRIMARY KEY (agent, name)
) STRICT, WITHOUT ROWID;

-- Tokens that an agent took for a person on a day (UTC).
CREATE TABLE agent_usage (
  agent  TEXT NOT NULL,
  person TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  day    TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (agent, person, day)
) STRICT, WITHOUT ROWID;

INSERT INTO agents (id, name_key, version, created_at, updated_at) VALUES ('assistant', 'assistant', 1, 0, 0);
INSERT INTO agent_versions (agent, version, content, author, at)
  VALUES ('assistant', 1, '{"name":"assistant","description":"Answers with all the tools you may use.","shared_with":["*"]}', 'Satchel', 0);
INSERT INTO agent_shares (agent, name) VALUES ('assistant', '*');

ALTER TABLE conversations ADD COLUMN agent TEXT NOT NULL DEFAULT 'assistant';
-- One in which an agent is tried while it is written: it stands in no list.
ALTER TABLE conversations ADD COLUMN trial INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN agent_version INTEGER NOT NULL DEFAULT 1;
-- What is written of an agent that is tried and not kept, JSON.
ALTER TABLE turns ADD COLUMN agent_draft TEXT;
-- The name of the agent that wrote it; none where it was the built-in one.
ALTER TABLE messages ADD COLUMN agent TEXT;
