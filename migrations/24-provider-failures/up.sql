-- Who answered: the provider's name, and the failure of the one it stood in for, as JSON; unknown of earlier messages.
ALTER TABLE messages ADD COLUMN provider TEXT;
ALTER TABLE messages ADD COLUMN instead_of TEXT;
-- The provider's failure that ended a turn, as JSON.
ALTER TABLE turns ADD COLUMN failure TEXT;
-- Where the provider of the environment stands among the others; without a row it comes first.
CREATE TABLE environment_provider (
  id       TEXT PRIMARY KEY,
  priority INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
