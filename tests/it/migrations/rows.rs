//! Rows as each migration's own version would write them.

/// After which migration, and what is written then; `NOW` is a time.
pub const ROWS: &[(usize, &str)] = &[
    (
        1,
        "INSERT INTO roles VALUES ('administrator', '[\"*\"]', 1);
         INSERT INTO users VALUES ('01900000-0000-7000-8000-00000000000a', 'Mara', 'mara', 'administrator', '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b9dWRWJTmaaJObG', 0, NOW, NULL);
         INSERT INTO api_keys VALUES ('01900000-0000-7000-8000-0000000000c1', x'0102', '01900000-0000-7000-8000-00000000000a', 'k', '[\"tools:run\"]', NOW, NULL);",
    ),
    (2, "INSERT INTO settings VALUES ('platform', '{\"tools_enabled\": true}', NOW);"),
    (3, "INSERT INTO tool_outcomes VALUES ('builtin:calculator', 3, 1, 1.2, NOW);"),
    (
        4,
        "INSERT INTO approvals VALUES ('01900000-0000-7000-8000-0000000000d1', 'builtin:write');",
    ),
    (5, "INSERT INTO clipboards VALUES ('01900000-0000-7000-8000-00000000000a', 'copied', NOW);"),
    (
        6,
        "INSERT INTO conversations VALUES ('01900000-0000-7000-8000-0000000000d1', '01900000-0000-7000-8000-00000000000a', 'Herons', NULL, NULL, NULL, NULL, NOW, NOW);
         INSERT INTO turns (id, conversation, state, caller, started_at, finished_at) VALUES ('01900000-0000-7000-8000-0000000000d2', '01900000-0000-7000-8000-0000000000d1', 'done', '{}', NOW, NOW);
         INSERT INTO messages VALUES (1, '01900000-0000-7000-8000-0000000000d3', '01900000-0000-7000-8000-0000000000d1', '01900000-0000-7000-8000-0000000000d2', 'user', 'Where is the heron?', '[]', NULL, NULL, NULL, NULL, NOW);
         INSERT INTO messages VALUES (2, '01900000-0000-7000-8000-0000000000d4', '01900000-0000-7000-8000-0000000000d1', '01900000-0000-7000-8000-0000000000d2', 'assistant', 'At the weir.', '[]', 'm', 1, 1, NULL, NOW);
         INSERT INTO steps VALUES ('01900000-0000-7000-8000-0000000000d4', 0, '01900000-0000-7000-8000-0000000000d5', 'p', 'builtin:calculator', 'calculator', '{}', NULL, 'read', 'done', 1, NULL, '2', NULL, 1, NOW);
         INSERT INTO usage VALUES ('01900000-0000-7000-8000-00000000000a', '2026-11-20', 5, 6);
         INSERT INTO providers VALUES ('01900000-0000-7000-8000-0000000000e1', 'ollama', 'Own', 'http://127.0.0.1:11434', 'm', 1, 1, NULL, NOW);",
    ),
    (
        7,
        "INSERT INTO memories (number, id, user, layer, category, key, content, words, source, created_at, updated_at)
         VALUES (1, '01900000-0000-7000-8000-0000000000f1', '01900000-0000-7000-8000-00000000000a', 'fact', 'general', 'heron', 'The heron stands at the weir', 'heron stand weir', NULL, NOW, NOW);",
    ),
    (
        8,
        "INSERT INTO lists VALUES (1, '01900000-0000-7000-8000-00000000000a', 'Shopping', 'shopping', NOW, NOW);
         INSERT INTO list_items VALUES (1, 0, 'bread', 0);
         INSERT INTO list_history VALUES (1, '01900000-0000-7000-8000-00000000000a', 'Shopping', 'shopping', NOW, 'create', '[]');",
    ),
    (
        9,
        "INSERT INTO results VALUES ('01900000-0000-7000-8000-0000000000a1', '01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-0000000000d1', 'long', NOW);",
    ),
    (
        10,
        "INSERT INTO documents (number, id, collection, title, titled, source, name, mime, kind, bytes, status, version, added_by, created_at, updated_at)
         VALUES (1, '01900000-0000-7000-8000-0000000000b1', 1, 'Weir', 1, 'text', 'weir.txt', 'text/plain', 'text', 20, 'ready', 1, '01900000-0000-7000-8000-00000000000a', NOW, NOW);
         INSERT INTO document_texts VALUES (1, 1, 0, 'The heron is at the weir.');
         INSERT INTO chunks (id, document, version, ordinal, heading, context, page, start, end, text, hash)
         VALUES (1, 1, 1, 0, '', '', NULL, 0, 25, 'The heron is at the weir.', zeroblob(32));
         INSERT INTO citations VALUES ('01900000-0000-7000-8000-0000000000d4', 1);",
    ),
    (
        11,
        "INSERT INTO outbox (space, id) VALUES ('knowledge', 1);
         INSERT INTO index_entries VALUES (1, 'note', 'a note', NULL, 0, '{}', '01900000-0000-7000-8000-00000000000a', NOW, NOW);",
    ),
    (
        12,
        "INSERT INTO graph_nodes VALUES (1, 'thing:weir', 'Weir', '[]', '{}', 1, NOW, NOW);
         INSERT INTO graph_nodes VALUES (2, 'thing:heron', 'Heron', '[]', '{}', 1, NOW, NOW);
         INSERT INTO graph_edges VALUES (1, 2, 'stands_at', 1, NULL, '{}', NOW, NOW);
         INSERT INTO graph_reads VALUES (1, 1, 0);",
    ),
    (
        13,
        "INSERT INTO memory_versions VALUES (1, 1, 'The heron was at the mill', NOW, 1);
         INSERT INTO uses VALUES ('01900000-0000-7000-8000-00000000000a', 'document', '01900000-0000-7000-8000-0000000000b1', 1, NOW);",
    ),
    (
        14,
        "INSERT INTO needs VALUES (1, '01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-0000000000d1', 'add numbers', NULL, NULL, NOW);
         INSERT INTO need_tools VALUES (1, 'builtin:calculator', 1, 0, NOW);",
    ),
    (
        15,
        "INSERT INTO egress (at, host, port, protocol, by, sent, received, outcome, ms) VALUES (NOW, 'example.com', 443, 'https', '{\"part\":\"command_line\"}', 1, 1, 'allowed', 1);",
    ),
    (
        16,
        "INSERT INTO systems VALUES ('01900000-0000-7000-8000-000000000101', 'Shop', 'shop', 'shop', 'A shop', 'https://shop.example.com', '[]', 'draft', '{\"type\":\"none\"}', 'null', 0, 30, NOW, NOW);",
    ),
    (
        17,
        "INSERT INTO scripts VALUES ('greet', NULL, 1, NOW);
         INSERT INTO script_versions VALUES ('greet', 1, '// Says hello.\n\"hello\"', 'mara', NOW, NULL, '[]');
         INSERT INTO script_values VALUES ('greet', '01900000-0000-7000-8000-00000000000a', 'count', '1');",
    ),
    (
        19,
        "INSERT INTO processes VALUES ('01900000-0000-7000-8000-000000000111', 'open the mill', '{\"name\": \"Open the mill\", \"steps\": [{\"id\": \"look\", \"name\": \"Look for the heron\"}]}', 'written', 'published', NULL, 1, zeroblob(32), NOW, NOW);",
    ),
    (22, "UPDATE scripts SET updated_by = 'mara' WHERE name = 'greet';"),
    (
        23,
        "INSERT INTO steps VALUES ('01900000-0000-7000-8000-0000000000d4', 1, '01900000-0000-7000-8000-0000000000d6', 'q', 'builtin:calculator', 'calculator', '{\"expression\": \"1 + 1\"}', NULL, 'read', 'done', 1, NULL, '2', NULL, 1, NOW, '{\"expression\": \"1\"}', 'mara', '[{\"name\": \"expression\", \"from\": \"1\", \"to\": \"1 + 1\"}]');",
    ),
    (
        24,
        "UPDATE messages SET provider = 'Own', instead_of = '{\"provider\": \"Other\", \"model\": \"m\", \"address\": \"other.example.com\", \"status\": 503, \"cause\": \"It is busy.\", \"mend\": \"/settings/models\"}' WHERE seq = 2;
         INSERT INTO environment_provider VALUES ('01900000-0000-7000-8000-0000000000e2', 3);",
    ),
    (25, "UPDATE conversations SET tainted_by = 'web_fetch: https://invoices.example/may', tainted_at = NOW;"),
    (
        26,
        "INSERT INTO former_answers VALUES ('01900000-0000-7000-8000-0000000000d3', 1, '[{\"id\": \"01900000-0000-7000-8000-0000000000d7\", \"role\": \"assistant\", \"text\": \"At the mill.\", \"steps\": [], \"citations\": [1]}]');",
    ),
    (27, "UPDATE providers SET parameters = '{\"temperature\": 0.5}' WHERE name = 'Own';"),
    (
        28,
        "INSERT INTO approvals VALUES ('01900000-0000-7000-8000-0000000000d1', 'builtin:write', 'write files in “mill” in this conversation', '00');",
    ),
    (
        29,
        "INSERT INTO results VALUES ('01900000-0000-7000-8000-0000000000a2', '01900000-0000-7000-8000-00000000000a', NULL, 'longer', NOW);
         INSERT INTO result_parts VALUES ('01900000-0000-7000-8000-0000000000a2', 1, ' still');",
    ),
    (
        30,
        "UPDATE api_keys SET personal = 0 WHERE id = '01900000-0000-7000-8000-0000000000c1';
         INSERT INTO script_consents VALUES ('01900000-0000-7000-8000-00000000000a', 'greet', 'a1b2', NOW);",
    ),
    (
        31,
        "UPDATE memories SET origin = '{\"source\": \"web_fetch: https://invoices.example/may\", \"at\": \"2026-05-03T12:00:00.000Z\"}';
         UPDATE script_values SET updated_at = NOW;",
    ),
    (
        32,
        "UPDATE endpoints SET waiting = '{\"by\": \"mara\", \"tool\": \"create_system_endpoint\", \"at\": \"2026-05-03T10:00:00.000Z\"}', origin = '{\"source\": \"web_fetch: https://invoices.example/\", \"at\": \"2026-05-03T10:00:00.000Z\"}';
         INSERT INTO file_origins VALUES ('01900000-0000-7000-8000-00000000000a', 'invoices.csv', '{\"source\": \"web_fetch: https://invoices.example/\", \"at\": \"2026-05-03T10:00:00.000Z\"}', NULL, 1777000000000000000);
         INSERT INTO tree_origins VALUES ('01900000-0000-7000-8000-000000000121', '01900000-0000-7000-8000-00000000000a', '', '{\"source\": \"web_fetch: https://invoices.example/\", \"at\": \"2026-05-03T10:00:00.000Z\"}', 1777000000000000000);",
    ),
    (
        33,
        "UPDATE tree_origins SET lasting = 0;
         UPDATE documents SET origin = '{\"source\": \"api: a program of mara\", \"at\": \"2026-05-03T10:00:00.000Z\"}';
         INSERT INTO known_networks VALUES ('01900000-0000-7000-8000-00000000000a', '127.0.0.1', NOW);",
    ),
];
