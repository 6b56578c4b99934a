//! `graph_upsert_edge`: relates two things of the graph.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::Result,
    graph::NewEdge,
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::graph;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The id of the node it comes from; made where there is none.
    src: String,
    /// The relation, e.g. `works_for`.
    rel: String,
    /// The id of the node it goes to; made where there is none.
    dst: String,
    /// Properties to set beside those the relation has; null takes one away.
    props: Option<Map<String, Value>>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "graph_upsert_edge",
        Category::Knowledge,
        "Creates or updates a relationship from one node of the graph to another.",
        "It should be kept how two things are related: who works for whom, what depends on what.",
        run,
    )
    .risk(Risk::LowWrite)
    .for_everybody()
    .permission("index:write")
    .giving(&[("ok", "boolean")])
    .example(
        "Who works where",
        json!({"src": "person:anna", "rel": "works_for", "dst": "org:acme", "props": {"since": 2021}}),
        json!({"ok": true}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let edge = NewEdge::new(&args.src, &args.rel, &args.dst, args.props)?.with_origin(cx.taint().origin_for_all());
    let edge = edge.by(Some(cx.caller().user));
    let made = graph::seen_by(&cx).0.put_edge(edge, cx.now()).await?;
    let mut output = Output::json(json!({"ok": true})).ours();
    if !made.is_empty() {
        output.meta.insert("created_nodes".to_owned(), json!(made));
    }
    Ok(output)
}
