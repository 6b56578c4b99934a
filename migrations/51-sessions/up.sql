-- Sessions: conversations that an agent holds for another one. Who began each, and who is told what comes of its runs.
-- The conversation in which it was begun; none where a person began it outside of one.
ALTER TABLE conversations ADD COLUMN parent TEXT;
-- Sessions above its answers: 0 of a conversation that a person holds.
ALTER TABLE conversations ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
CREATE INDEX conversations_parent ON conversations (parent) WHERE parent IS NOT NULL;

-- The call that began the run: it begins one, however often it is made.
ALTER TABLE turns ADD COLUMN call TEXT;
-- The conversation that is told what comes of the run, and how far that is: awaited by its call, due, or told.
ALTER TABLE turns ADD COLUMN tells TEXT;
ALTER TABLE turns ADD COLUMN report TEXT;
-- The node whose call awaits it.
ALTER TABLE turns ADD COLUMN waiter TEXT;
CREATE UNIQUE INDEX turns_call ON turns (call) WHERE call IS NOT NULL;
CREATE INDEX turns_tells ON turns (tells) WHERE tells IS NOT NULL;
CREATE INDEX turns_due ON turns (tells) WHERE report = 'due';
