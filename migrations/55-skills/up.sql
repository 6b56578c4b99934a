-- Skills: folders that say how a kind of task is done, as people took them in, and the runs that follow one.
CREATE TABLE skills (
  name        TEXT PRIMARY KEY,
  -- The head of its SKILL.md, JSON.
  head        TEXT NOT NULL,
  body        TEXT NOT NULL,
  source      TEXT NOT NULL,
  digest      TEXT NOT NULL,
  -- Of its description, by which it is found.
  hash        BLOB NOT NULL,
  -- None where the person is gone.
  owner       TEXT REFERENCES users (id) ON DELETE SET NULL,
  owner_name  TEXT NOT NULL,
  -- None once an administrator trusts it, JSON.
  origin      TEXT,
  trusted_by  TEXT,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX skills_hash ON skills (hash);
CREATE INDEX skills_owner ON skills (owner);

CREATE TABLE skill_files (
  skill   TEXT NOT NULL REFERENCES skills (name) ON DELETE CASCADE,
  path    TEXT NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (skill, path)
) STRICT;

-- The skills that a run follows, as they were when it began to: a later text, or none, changes nothing for it.
CREATE TABLE active_skills (
  turn    TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  skill   TEXT NOT NULL,
  -- The tools it is held to, JSON; an empty list holds it to none.
  allowed TEXT NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (turn, skill)
) STRICT, WITHOUT ROWID;
