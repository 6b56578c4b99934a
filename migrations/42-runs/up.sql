-- A turn is one kind of run: what it is for, who answers in it, and the run or the job that began it.
-- No kind: of a branch, a copy of what ran elsewhere.
ALTER TABLE turns ADD COLUMN kind TEXT DEFAULT 'chat';
ALTER TABLE turns ADD COLUMN agent TEXT NOT NULL DEFAULT 'assistant';
ALTER TABLE turns ADD COLUMN parent TEXT;
ALTER TABLE turns ADD COLUMN job TEXT;
CREATE INDEX turns_parent ON turns (parent) WHERE parent IS NOT NULL;
CREATE INDEX turns_job ON turns (job) WHERE job IS NOT NULL;
