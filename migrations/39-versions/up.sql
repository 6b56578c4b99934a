-- How often a thing was changed, counted in the transaction that changes it: by that a copy in memory knows a later state
-- from an earlier one, whoever made it.
CREATE TABLE versions (
  name   TEXT PRIMARY KEY,
  number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO versions (name, number) SELECT 'learning', version FROM learning_version;

DROP TRIGGER need_tools_added;
DROP TRIGGER need_tools_changed;
DROP TRIGGER need_tools_gone;
DROP TABLE learning_version;
CREATE TRIGGER need_tools_added AFTER INSERT ON need_tools
  BEGIN UPDATE versions SET number = number + 1 WHERE name = 'learning'; END;
CREATE TRIGGER need_tools_changed AFTER UPDATE ON need_tools
  BEGIN UPDATE versions SET number = number + 1 WHERE name = 'learning'; END;
CREATE TRIGGER need_tools_gone AFTER DELETE ON need_tools
  BEGIN UPDATE versions SET number = number + 1 WHERE name = 'learning'; END;
