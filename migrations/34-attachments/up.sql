-- What messages bring along is stored once, however many messages of branches bring it: a branch is rows alone.
CREATE TABLE attachments (
  -- The digest of the data; of those from before the message and their place in it.
  id   TEXT NOT NULL UNIQUE,
  -- Base64.
  data TEXT NOT NULL
) STRICT;
CREATE TABLE message_attachments (
  message    TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  position   INTEGER NOT NULL,
  mime       TEXT NOT NULL,
  name       TEXT NOT NULL,
  path       TEXT,
  attachment TEXT NOT NULL REFERENCES attachments (id),
  PRIMARY KEY (message, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_attachments_attachment ON message_attachments (attachment);
INSERT INTO attachments (id, data)
  SELECT m.id || '.' || one.key, one.value ->> 'data' FROM messages m, json_each(m.attachments) one;
INSERT INTO message_attachments (message, position, mime, name, path, attachment)
  SELECT m.id, one.key, one.value ->> 'mime', one.value ->> 'name', one.value ->> 'path', m.id || '.' || one.key
  FROM messages m, json_each(m.attachments) one;
ALTER TABLE messages DROP COLUMN attachments;
