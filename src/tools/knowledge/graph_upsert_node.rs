//! `graph_upsert_node`: puts a thing into the graph, or changes it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::Result,
    graph::NewNode,
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::graph;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The node's id, e.g. `person:anna`.
    id: String,
    /// What kind of thing it is; in place of the labels it has. Left out, those stay.
    labels: Option<Vec<String>>,
    /// Properties to set beside those it has; null takes one away. `name` is what it is called.
    props: Option<Map<String, Value>>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "graph_upsert_node",
        Category::Knowledge,
        "Creates or updates a node in the graph of things and their relations. Everybody who may read the graph sees it.",
        "A person, place, system or other thing should be kept with what is known of it, to be related to others.",
        run,
    )
    .risk(Risk::LowWrite)
    .for_everybody()
    .permission("index:write")
    .giving(&[("ok", "boolean")])
    .example(
        "A person",
        json!({"id": "person:anna", "labels": ["Person"], "props": {"name": "Anna", "team": "sales"}}),
        json!({"ok": true}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let node = NewNode::new(&args.id, args.labels, args.props)?.with_origin(cx.taint().origin_for_all());
    let node = node.by(Some(cx.caller().user));
    graph::seen_by(&cx).0.put_node(node, cx.now()).await?;
    Ok(Output::json(json!({"ok": true})).ours())
}
