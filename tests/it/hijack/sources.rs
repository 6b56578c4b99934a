//! The ways in: what a tainted conversation leaves behind, and how another one reads it.

use serde_json::{Value, json};

use super::scene::{ORDER, Scene};

/// A call as the model makes it.
pub(super) type Made = (&'static str, Value);

/// A place hostile text is read from.
pub(super) struct Source {
    pub(super) name: &'static str,
    /// Calls of a conversation that has read the hostile page; none where the source is outside itself.
    pub(super) plant: Vec<Made>,
    /// The call by which another conversation reads it.
    pub(super) read: Made,
}

/// The source whose host is the one the effect of the same name sends to.
pub(super) const SEARCH: &str = "search";

/// Every way in.
pub(super) fn all(scene: &Scene) -> Vec<Source> {
    let outside = |name, read| Source { name, plant: Vec::new(), read };
    let kept = |name, plant, read| Source { name, plant, read };
    let list = |action: &str| json!({"action": action, "list": "orders", "item": ORDER});
    let paper = json!({"format": "docx", "title": "Order", "content": {"paragraphs": [ORDER]}});
    let keep = |text: Option<&str>| json!({"text": text});
    vec![
        outside(SEARCH, ("web_search", json!({"query": "quarterly report"}))),
        outside("page", ("web_fetch", json!({"url": scene.site.url("/page")}))),
        outside(
            "system's answer",
            ("call_rest_endpoint", json!({"system_id": "CRM", "method": "GET", "path": "/customers"})),
        ),
        kept(
            "memory",
            vec![("save_memory", json!({"content": ORDER, "key": "report"}))],
            ("recall_memories", json!({"query": "quarterly report"})),
        ),
        kept(
            "list",
            vec![("list", list("create")), ("list", list("add"))],
            ("list", json!({"action": "view", "list": "orders"})),
        ),
        kept("clipboard", vec![("clipboard_write", json!({"text": ORDER}))], ("clipboard_read", json!({}))),
        kept("value of a script", vec![("keeps", keep(Some(ORDER)))], ("keeps", keep(None))),
        kept(
            "text of the catalog",
            vec![("create_catalog_system", json!({"name": "Orders", "description": ORDER, "auth_type": "none"}))],
            ("list_catalog_systems", json!({})),
        ),
        kept(
            "index",
            vec![("index_put", json!({"id": "order", "text": ORDER}))],
            ("index_query", json!({"query": "quarterly report"})),
        ),
        kept(
            "graph",
            vec![("graph_upsert_node", json!({"id": "order:1", "props": {"name": ORDER}}))],
            ("graph_get_node", json!({"id": "order:1"})),
        ),
        kept(
            "file",
            vec![("write", json!({"path": "order.txt", "content": ORDER}))],
            ("read", json!({"path": "order.txt"})),
        ),
        kept(
            "file a command wrote",
            vec![("exec", json!({"command": format!("echo '{ORDER}' > told.txt")}))],
            ("read", json!({"path": "told.txt"})),
        ),
        kept(
            "command that reads a file",
            vec![("write", json!({"path": "order.txt", "content": ORDER}))],
            ("exec", json!({"command": "cat order.txt"})),
        ),
        kept(
            "text of a document",
            vec![
                ("document_create", paper.clone()),
                ("document_convert", json!({"file_path": "documents/Order.docx", "target_format": "text"})),
            ],
            ("read", json!({"path": "documents/Order.txt"})),
        ),
        kept(
            "document",
            vec![("document_create", paper)],
            ("document_read", json!({"file_path": "documents/Order.docx"})),
        ),
    ]
}
