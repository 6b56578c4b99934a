-- A conversation that is being deleted belongs to nobody, from the first piece of it that is removed: nobody finds it.
ALTER TABLE conversations ADD COLUMN owner TEXT REFERENCES users (id) ON DELETE CASCADE;
UPDATE conversations SET owner = person;
DROP INDEX conversations_user;
ALTER TABLE conversations DROP COLUMN person;
ALTER TABLE conversations RENAME COLUMN owner TO person;
CREATE INDEX conversations_person ON conversations (person, updated_at);
