-- Work on documents goes in turn among people, and what waits is found without reading all documents: for that, an index's
-- condition has to be the very one that is asked.
DROP INDEX documents_work;
CREATE INDEX documents_queued ON documents (coalesce(added_by, ''), number) WHERE status = 'queued';
CREATE INDEX documents_reading ON documents (coalesce(added_by, ''), number) WHERE status = 'reading';
CREATE INDEX documents_embedding ON documents (coalesce(added_by, ''), number) WHERE status = 'embedding';
CREATE INDEX documents_deleted ON documents (deleted_at) WHERE status = 'deleted';

-- How much is kept of one person is counted.
CREATE INDEX results_user ON results (user, created_at);

-- The rest of a long result, in pieces: whoever writes meanwhile waits for one of them, not for all.
CREATE TABLE result_parts (
  result TEXT NOT NULL REFERENCES results (id) ON DELETE CASCADE,
  part   INTEGER NOT NULL,
  text   TEXT NOT NULL,
  PRIMARY KEY (result, part)
) STRICT;
