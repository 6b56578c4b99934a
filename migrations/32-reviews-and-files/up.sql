-- Where a text of the catalog or of a process came from, as JSON: {"source", "at"}; NULL where nothing from outside was
-- near when it was written, or a person has reviewed it.
ALTER TABLE systems ADD COLUMN origin TEXT;
ALTER TABLE endpoints ADD COLUMN origin TEXT;
ALTER TABLE processes ADD COLUMN origin TEXT;

-- Who had a tool write it, as JSON: it waits for a person's review. Of a system in use, with what is to change.
ALTER TABLE systems ADD COLUMN waiting TEXT;
ALTER TABLE endpoints ADD COLUMN waiting TEXT;

-- Of the processes, those nobody has decided about keep where they came from: publishing one is its review.
UPDATE processes SET origin = json_object(
  'source', outside, 'at', strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch'))
  WHERE outside IS NOT NULL AND status = 'proposed';
ALTER TABLE processes DROP COLUMN outside;

-- Files that hold what came from outside, and files that do not though they lie in a tree that counts as from there.
CREATE TABLE file_origins (
  -- Whose workspace it lies in; empty for other directories of the machine.
  owner   TEXT NOT NULL,
  -- Relative to the workspace, else absolute.
  path    TEXT NOT NULL,
  -- As JSON; NULL where a person vouched for the file, or it was written with nothing from outside near.
  origin  TEXT,
  -- Where it has none: when its inode had last changed, in nanoseconds since 1970. Changed since, it is another file.
  changed INTEGER,
  -- When the row was last written, in nanoseconds since 1970: what is written while somebody looks for files that are gone
  -- stays.
  put_at  INTEGER NOT NULL,
  PRIMARY KEY (owner, path)
) STRICT, WITHOUT ROWID;

-- Directories whose files a command may have written after it read from outside: all that changed since.
CREATE TABLE tree_origins (
  id     TEXT PRIMARY KEY,
  owner  TEXT NOT NULL,
  -- Relative to the workspace, else absolute; empty for the workspace itself.
  path   TEXT NOT NULL,
  origin TEXT NOT NULL,
  -- Nanoseconds since 1970.
  since  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX tree_origins_by_owner ON tree_origins (owner);
