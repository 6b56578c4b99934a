-- Whether a key opens what belongs to its owner: conversations, memories, lists, clipboard, files and questions. One that
-- was made without a list of permissions stands for its person, and keeps doing so.
ALTER TABLE api_keys ADD COLUMN personal INTEGER NOT NULL DEFAULT 0;
UPDATE api_keys SET personal = 1 WHERE permissions = '["*"]';

-- Who wrote a version, by id: a name can be given to somebody else later.
ALTER TABLE script_versions ADD COLUMN author_id TEXT;
UPDATE script_versions SET author_id = (SELECT u.id FROM users u WHERE u.username = script_versions.author);

-- That a person lets a script of somebody else use what belongs to them, or what its author may not use: this text, and no
-- other.
CREATE TABLE script_consents (
  user   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  script TEXT NOT NULL,
  -- SHA-256 of the text, hexadecimal.
  digest TEXT NOT NULL,
  given_at INTEGER NOT NULL,
  PRIMARY KEY (user, script, digest)
) STRICT, WITHOUT ROWID;
