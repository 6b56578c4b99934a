-- What is done by itself: at which moments, and what came of it each time. A job outlives its owner's account, to say so.
CREATE TABLE jobs (
  id             TEXT PRIMARY KEY,
  person         TEXT NOT NULL,
  owner_name     TEXT NOT NULL,
  key_id         TEXT,
  name           TEXT NOT NULL,
  moments        TEXT NOT NULL,
  deed           TEXT NOT NULL,
  catch_up       TEXT NOT NULL,
  retries        INTEGER NOT NULL,
  notify         TEXT NOT NULL,
  enabled        INTEGER NOT NULL,
  paused_because TEXT,
  next_at        INTEGER,
  hook           TEXT UNIQUE,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  origin         TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_next ON jobs (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX jobs_person ON jobs (person);

-- Runs of jobs. One is claimed by the node that changes its state from queued to running; whoever writes of it later names
-- that claim, the number of which is in run.
CREATE TABLE firings (
  id           TEXT PRIMARY KEY,
  job          TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  cause        TEXT NOT NULL,
  state        TEXT NOT NULL,
  due_at       INTEGER NOT NULL,
  ready_at     INTEGER NOT NULL,
  attempt      INTEGER NOT NULL,
  node         TEXT,
  run          INTEGER NOT NULL DEFAULT 0,
  started_at   INTEGER,
  ended_at     INTEGER,
  error        TEXT,
  output       TEXT,
  ticket       TEXT,
  call_id      TEXT,
  conversation TEXT,
  turn         TEXT,
  input        TEXT,
  log          TEXT NOT NULL,
  origin       TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX firings_job ON firings (job, id);
CREATE UNIQUE INDEX firings_due ON firings (job, due_at) WHERE cause = 'time';
CREATE INDEX firings_queued ON firings (ready_at) WHERE state = 'queued';
CREATE INDEX firings_open ON firings (job, state) WHERE state IN ('queued', 'running', 'waiting');
CREATE INDEX firings_ticket ON firings (ticket) WHERE ticket IS NOT NULL;

-- Messages that came in by webhooks not long ago: none of them is taken twice.
CREATE TABLE hook_messages (
  job      TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  message  TEXT NOT NULL,
  taken_at INTEGER NOT NULL,
  PRIMARY KEY (job, message)
) STRICT, WITHOUT ROWID;
