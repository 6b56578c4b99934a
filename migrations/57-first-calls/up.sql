-- The first call a key was used for: who has just set a program up sees it arrive.
ALTER TABLE api_keys ADD COLUMN first_call_at INTEGER;
-- The tool by the name it was called by, or the model.
ALTER TABLE api_keys ADD COLUMN first_call TEXT;
-- Nobody noted that of keys which are in use: their next call is not their first.
UPDATE api_keys SET first_call_at = 0 WHERE last_used_at IS NOT NULL;
