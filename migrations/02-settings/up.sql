-- Platform settings, one JSON text a section, and the vault: every secret under a key of its own.
CREATE TABLE settings (
  key        TEXT PRIMARY KEY,
  value      TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A record is AES-256-GCM under its own data key, which the key-encryption key `kek` wraps.
-- Both ciphertexts are bound to owner and name, so a record cannot be moved to another place.
CREATE TABLE vault (
  owner      TEXT NOT NULL,
  name       TEXT NOT NULL,
  kek        TEXT NOT NULL,
  wrapped    BLOB NOT NULL,
  sealed     BLOB NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;
