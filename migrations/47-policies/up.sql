-- The document of policies in its versions, the last of which holds; and who made each, for whoever looks back.
CREATE TABLE policies (
  version  INTEGER PRIMARY KEY,
  document TEXT NOT NULL,
  person   TEXT NOT NULL,
  made_at  INTEGER NOT NULL
) STRICT;
