-- What is owned says by which node: only what was left by one that is gone is settled, or gone on with, by another.
CREATE TABLE nodes (
  -- Of one start of the program.
  id         TEXT PRIMARY KEY,
  version    TEXT NOT NULL,
  -- By the database's clock.
  started_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE turns ADD COLUMN node TEXT;
-- Grows whenever a node takes the turn up; what an earlier owner still writes is refused by it.
ALTER TABLE turns ADD COLUMN run INTEGER NOT NULL DEFAULT 0;
-- Grows with whatever its owner writes: who follows the turn by its rows reads them again then.
ALTER TABLE turns ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
-- These are not taken up again: they are closed, and by that their owner has lost them.
ALTER TABLE tickets ADD COLUMN node TEXT;
ALTER TABLE open_calls ADD COLUMN node TEXT;
ALTER TABLE egress ADD COLUMN node TEXT;
-- It has its run already.
ALTER TABLE documents ADD COLUMN node TEXT;
