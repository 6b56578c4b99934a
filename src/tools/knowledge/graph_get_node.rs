//! `graph_get_node`: one thing of the graph, by its id.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{error::Result, output::Output, spec::Category};
use satchel_services::graph;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The node's id.
    id: String,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "graph_get_node",
        Category::Knowledge,
        "Fetches a node of the graph by its id, with its labels and properties.",
        "You know a node's id, from graph_neighbors or because it was put under it, and need what is known of it.",
        run,
    )
    .giving(&[("id", "string"), ("labels", "array"), ("props", "object")])
    .permission("index:read")
    .example_after(
        vec![("graph_upsert_node", json!({"id": "person:anna", "labels": ["Person"], "props": {"team": "sales"}}))],
        "A person",
        json!({"id": "person:anna"}),
        json!({"id": "person:anna", "labels": ["Person"], "props": {"team": "sales"}}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let (graph, sight) = graph::seen_by(&cx);
    let node = graph.node(sight, args.id.trim()).await?;
    cx.taint().note(node.origin);
    cx.taint().note_authors(&node.author);
    let output = Output::json(json!({"id": node.id, "labels": node.labels, "props": node.props}));
    // What documents speak of may say what they say.
    Ok(if node.documents.is_empty() { output.ours() } else { output })
}
