-- Rows of the third format say which agent did it and in which circumstances, so that policies judge them anew as they did.
ALTER TABLE audit ADD COLUMN agent TEXT;
ALTER TABLE audit ADD COLUMN situation TEXT;
