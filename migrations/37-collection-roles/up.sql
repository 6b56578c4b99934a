-- The roles a collection is open to are rows, so that who sees it is asked in words every database has.
CREATE TABLE collection_roles (
  collection INTEGER NOT NULL REFERENCES collections (number) ON DELETE CASCADE,
  role       TEXT NOT NULL REFERENCES roles (name) ON DELETE CASCADE,
  -- Their order, as they were named.
  position   INTEGER NOT NULL,
  PRIMARY KEY (collection, role)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_roles_role ON collection_roles (role);

-- Whether it is open to these roles only; to none, then, where there are none.
ALTER TABLE collections ADD COLUMN restricted INTEGER NOT NULL DEFAULT 0;
UPDATE collections SET restricted = 1 WHERE roles IS NOT NULL;
INSERT INTO collection_roles (collection, role, position)
  SELECT k.number, r.value, min(r.key) FROM collections k, json_each(k.roles) r JOIN roles ON roles.name = r.value
  GROUP BY k.number, r.value;
ALTER TABLE collections DROP COLUMN roles;
