-- The labels of a node are rows, too, so that nodes are found by them in words every database has.
CREATE TABLE graph_labels (
  node  INTEGER NOT NULL REFERENCES graph_nodes (number) ON DELETE CASCADE,
  label TEXT NOT NULL,
  PRIMARY KEY (node, label)
) STRICT, WITHOUT ROWID;
INSERT INTO graph_labels (node, label) SELECT DISTINCT n.number, l.value FROM graph_nodes n, json_each(n.labels) l;
