-- A yes for a whole conversation covers what it said, and no more: a tool at a place, as it was defined then. What earlier
-- versions kept covered every call of a tool, which nobody was told, so it is asked about again.
DROP TABLE approvals;
CREATE TABLE approvals (
  topic      TEXT NOT NULL,
  tool       TEXT NOT NULL,
  -- What it covers, in the words the person was shown.
  scope      TEXT NOT NULL,
  -- The digest of what the tool did then.
  definition TEXT NOT NULL,
  PRIMARY KEY (topic, tool, scope)
) STRICT, WITHOUT ROWID;

-- A host is a name and a port.
DROP INDEX egress_topic;
CREATE INDEX egress_topic ON egress (topic, host, port) WHERE topic IS NOT NULL;
