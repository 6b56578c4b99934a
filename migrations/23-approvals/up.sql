-- What a person approved and changed stands beside what ran, and the audit is counted as it is written.

-- 1: the columns of the first chain. 2: approved_by and edited as well. A row's hash covers its format's columns.
ALTER TABLE audit ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
ALTER TABLE audit ADD COLUMN approved_by TEXT;
ALTER TABLE audit ADD COLUMN edited TEXT;

-- What the model wrote, where a person put something else in its place; who approved, and what they changed.
ALTER TABLE steps ADD COLUMN asked_arguments TEXT;
ALTER TABLE steps ADD COLUMN approved_by TEXT;
ALTER TABLE steps ADD COLUMN edited TEXT;

-- What a conversation and what a call did is asked for by itself.
CREATE INDEX audit_topic ON audit (topic) WHERE topic IS NOT NULL;
CREATE INDEX audit_call ON audit (call_id) WHERE call_id IS NOT NULL;

-- Every combination of facets a row of the audit has had; '' where it has none, and where a name is not to be trusted.
CREATE TABLE audit_kinds (
  id         INTEGER PRIMARY KEY,
  event_type TEXT NOT NULL,
  outcome    TEXT NOT NULL,
  risk       TEXT NOT NULL,
  door       TEXT NOT NULL,
  person     TEXT NOT NULL,
  tool       TEXT NOT NULL,
  UNIQUE (event_type, outcome, risk, door, person, tool)
) STRICT;
CREATE INDEX audit_kinds_person ON audit_kinds (person);
CREATE INDEX audit_kinds_tool ON audit_kinds (tool);

-- Rows whose kind does not name their person or their tool: the names it leaves out.
CREATE TABLE audit_unnamed (
  seq    INTEGER PRIMARY KEY,
  time   INTEGER NOT NULL,
  kind   INTEGER NOT NULL REFERENCES audit_kinds (id),
  person TEXT,
  tool   TEXT
) STRICT;
CREATE INDEX audit_unnamed_person ON audit_unnamed (person) WHERE person IS NOT NULL;
CREATE INDEX audit_unnamed_tool ON audit_unnamed (tool) WHERE tool IS NOT NULL;

-- How many rows of a kind fall on a stretch of time: of five minutes, of one hour and 4, of a day, 4, 16 and 64 days, and on
-- all time. Begun in minutes since 1970.
CREATE TABLE audit_counts (
  minutes INTEGER NOT NULL,
  start   INTEGER NOT NULL,
  kind    INTEGER NOT NULL REFERENCES audit_kinds (id),
  number  INTEGER NOT NULL,
  PRIMARY KEY (minutes, start, kind)
) STRICT, WITHOUT ROWID;

-- Of five minutes and of an hour: between which numbers the rows stand, how many there are, and how many of them failed or
-- were refused.
CREATE TABLE audit_totals (
  minutes   INTEGER NOT NULL,
  start     INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq  INTEGER NOT NULL,
  number    INTEGER NOT NULL,
  wrong     INTEGER NOT NULL,
  PRIMARY KEY (minutes, start)
) STRICT, WITHOUT ROWID;

-- Rows up to this number are not counted yet: they were written before there were counts.
CREATE TABLE audit_uncounted (
  id   INTEGER PRIMARY KEY CHECK (id = 1),
  upto INTEGER NOT NULL
) STRICT;
INSERT INTO audit_uncounted (id, upto) SELECT 1, coalesce(max(seq), 0) FROM audit;
