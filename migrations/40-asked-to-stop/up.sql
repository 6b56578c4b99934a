-- That a person wants a turn to end stands in its row: whichever process is at it reads it there, and none takes it up again.
ALTER TABLE turns ADD COLUMN stop_asked INTEGER NOT NULL DEFAULT 0;
