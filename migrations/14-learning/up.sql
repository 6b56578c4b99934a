-- Which tool a need was met with: what find_tools learns from.
CREATE TABLE needs (
  id         INTEGER PRIMARY KEY,
  user       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- What was learned in a conversation goes with it.
  topic      TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  text       TEXT NOT NULL,
  -- The text's vector stands here and not among those of contents: it must be gone when the need is.
  model      TEXT,
  vector     BLOB,
  created_at INTEGER NOT NULL,
  UNIQUE (topic, text)
) STRICT;
CREATE INDEX needs_user ON needs (user);

CREATE TABLE need_tools (
  need      INTEGER NOT NULL REFERENCES needs (id) ON DELETE CASCADE,
  tool      TEXT NOT NULL,
  successes INTEGER NOT NULL,
  failures  INTEGER NOT NULL,
  last_at   INTEGER NOT NULL,
  PRIMARY KEY (need, tool)
) STRICT, WITHOUT ROWID;
CREATE INDEX need_tools_tool ON need_tools (tool);

-- Grows with every change, so that a copy in memory knows when it is out of date.
CREATE TABLE learning_version (version INTEGER NOT NULL) STRICT;
INSERT INTO learning_version VALUES (1);
CREATE TRIGGER need_tools_added AFTER INSERT ON need_tools BEGIN UPDATE learning_version SET version = version + 1; END;
CREATE TRIGGER need_tools_changed AFTER UPDATE ON need_tools BEGIN UPDATE learning_version SET version = version + 1; END;
CREATE TRIGGER need_tools_gone AFTER DELETE ON need_tools BEGIN UPDATE learning_version SET version = version + 1; END;

-- The contents the tools' own texts have, so that their vectors are kept while there are such tools.
CREATE TABLE tool_texts (hash BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
