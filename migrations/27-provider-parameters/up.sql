-- What requests to a model say beyond the conversation, as JSON; no value where it is left to its server.
ALTER TABLE providers ADD COLUMN parameters TEXT;
