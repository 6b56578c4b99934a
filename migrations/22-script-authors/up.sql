-- Who made the last change of a script of the console; unknown of those made before this.
ALTER TABLE scripts ADD COLUMN updated_by TEXT;
