-- Each person's named lists, and what was done to them: the history outlives a list that was deleted.
CREATE TABLE lists (
  id         INTEGER PRIMARY KEY,
  user       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name       TEXT NOT NULL,
  name_key   TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (user, name_key)
) STRICT;

CREATE TABLE list_items (
  list     INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  text     TEXT NOT NULL,
  done     INTEGER NOT NULL,
  PRIMARY KEY (list, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE list_history (
  id       INTEGER PRIMARY KEY,
  user     TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name     TEXT NOT NULL,
  name_key TEXT NOT NULL,
  time     INTEGER NOT NULL,
  action   TEXT NOT NULL,
  items    TEXT NOT NULL
) STRICT;
CREATE INDEX list_history_of ON list_history (user, name_key, id);
