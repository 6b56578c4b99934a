//! Groups of tools and profiles of layers, as data.

/// Groups by name, with the patterns of their members.
pub const GROUPS: &[(&str, &[&str])] = &[
    ("fs", &["read", "write", "edit", "apply_patch"]),
    ("runtime", &["exec", "process", "run_code"]),
    ("web", &["web_search", "web_fetch", "browser"]),
    ("memory", &["recall_memories", "memory_get", "save_memory", "reflect", "list"]),
    (
        "knowledge",
        &[
            "search_knowledge",
            "document",
            "document_read",
            "document_create",
            "document_modify",
            "document_convert",
            "index_put",
            "index_query",
            "index_remove",
            "graph_upsert_node",
            "graph_upsert_edge",
            "graph_get_node",
            "graph_neighbors",
        ],
    ),
    (
        "sessions",
        &[
            "sessions_list",
            "sessions_history",
            "sessions_send",
            "sessions_spawn",
            "session_status",
            "agents_list",
            "specialists_infer",
        ],
    ),
    ("automation", &["schedule", "gateway"]),
    ("messaging", &["message"]),
    ("nodes", &["nodes"]),
    ("media", &["image", "tts"]),
    ("data", &["grep_result", "parse_json", "filter_rows", "transform_data", "llm_transform", "calculator"]),
    (
        "catalog",
        &[
            "list_catalog_systems",
            "list_system_endpoints",
            "create_catalog_system",
            "update_catalog_system",
            "create_system_endpoint",
            "call_rest_endpoint",
            "call_graphql_endpoint",
            "call_soap_endpoint",
            "call_grpc_endpoint",
            "call_websocket",
            "catalog:*",
        ],
    ),
];

/// Profiles by name, with the patterns of what they allow.
pub const PROFILES: &[(&str, &[&str])] = &[
    ("minimal", &["session_status"]),
    ("coding", &["group:fs", "group:runtime", "group:sessions", "group:memory", "image"]),
    ("messaging", &["group:messaging", "sessions_list", "sessions_history", "sessions_send", "session_status"]),
    ("full", &["*"]),
];

/// Denied to sessions below an agent's where no `subagent` layer is written.
pub const SUBAGENT_DENY: &[&str] = &[
    "sessions_list",
    "sessions_history",
    "sessions_send",
    "sessions_spawn",
    "session_status",
    "agents_list",
    "gateway",
    "schedule",
    "recall_memories",
    "memory_get",
];
