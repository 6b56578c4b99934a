-- The graph: things and how they are related, put there by tools or found in documents.
CREATE TABLE graph_nodes (
  number     INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL,
  -- A JSON array.
  labels     TEXT NOT NULL,
  -- A JSON object.
  props      TEXT NOT NULL,
  -- Put by somebody, and so seen by all who read the graph; others are seen by who sees a document that names them.
  put        INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX graph_nodes_name ON graph_nodes (name);

-- Which documents name a node.
CREATE TABLE graph_sources (
  node     INTEGER NOT NULL REFERENCES graph_nodes (number) ON DELETE CASCADE,
  document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
  PRIMARY KEY (node, document)
) STRICT, WITHOUT ROWID;
CREATE INDEX graph_sources_of ON graph_sources (document);

CREATE TABLE graph_edges (
  number     INTEGER PRIMARY KEY,
  src        INTEGER NOT NULL REFERENCES graph_nodes (number) ON DELETE CASCADE,
  rel        TEXT NOT NULL,
  dst        INTEGER NOT NULL REFERENCES graph_nodes (number) ON DELETE CASCADE,
  -- The document it was found in; none where it was put by somebody.
  document   INTEGER REFERENCES documents (number) ON DELETE CASCADE,
  props      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX graph_edges_once ON graph_edges (src, rel, dst, coalesce(document, 0));
CREATE INDEX graph_edges_back ON graph_edges (dst, rel);
CREATE INDEX graph_edges_document ON graph_edges (document) WHERE document IS NOT NULL;

-- What has been read of a document: its version, and by what.
CREATE TABLE graph_reads (
  document INTEGER PRIMARY KEY REFERENCES documents (number) ON DELETE CASCADE,
  version  INTEGER NOT NULL,
  -- A model has read it, too.
  by_model INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Tokens that models took to read for the graph on a day (UTC).
CREATE TABLE graph_usage (
  day    TEXT PRIMARY KEY,
  tokens INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What only a document named goes with it.
CREATE TRIGGER graph_sources_gone AFTER DELETE ON graph_sources BEGIN
  DELETE FROM graph_nodes WHERE number = old.node AND put = 0
    AND NOT EXISTS (SELECT 1 FROM graph_sources WHERE node = old.node);
END;
