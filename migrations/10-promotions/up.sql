-- Tools found in a conversation: they stay in its model's context (R47).
CREATE TABLE promotions (
  topic TEXT NOT NULL,
  tool  TEXT NOT NULL,
  PRIMARY KEY (topic, tool)
) STRICT, WITHOUT ROWID;
