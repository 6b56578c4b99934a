-- When the first content from outside came into a conversation. Of those before, the last thing that happened in them stands for it.
ALTER TABLE conversations ADD COLUMN tainted_at INTEGER;
UPDATE conversations SET tainted_at = updated_at WHERE tainted_by IS NOT NULL;
