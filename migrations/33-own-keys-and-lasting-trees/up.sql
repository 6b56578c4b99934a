-- A key without a list of permissions that somebody else made for a person opens nothing of that person, whatever it may
-- do: only those stay personal that the person, or the command line of the machine, made.
UPDATE api_keys SET personal = 0 WHERE personal = 1 AND id NOT IN (
  SELECT k.id FROM audit a CROSS JOIN api_keys k ON k.id = json_extract(a.arguments, '$.key')
  WHERE a.action = 'key.create' AND (a.user_id = k.user OR a.door = 'cli')
);

-- 1 where it counts until a person vouches for it, 0 where only while a command runs.
ALTER TABLE tree_origins ADD COLUMN lasting INTEGER NOT NULL DEFAULT 1;
