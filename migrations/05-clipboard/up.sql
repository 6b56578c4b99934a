-- A clipboard for each user, for servers without a desktop: the last text written to it.
CREATE TABLE clipboards (
  user       TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  text       TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
