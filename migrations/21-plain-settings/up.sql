-- What was stored as a secret stays one, whatever the header of a script says of its key later: its row says what it is.
-- Of rows from before nobody can tell any more, so that they are secrets until they are set anew.
ALTER TABLE vault ADD COLUMN plain INTEGER NOT NULL DEFAULT 0;

-- But for the settings of Satchel's own tools that never were secrets.
UPDATE vault SET plain = 1
  WHERE (owner, name) IN (VALUES ('tool:web_search', 'base_url'), ('tool:currency_convert', 'base'));
