//! `graph_neighbors`: what a thing of the graph leads to over one relation.

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
    /// The relation.
    rel: String,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "graph_neighbors",
        Category::Knowledge,
        "Lists the ids of the nodes that a node of the graph leads to over a relation, outbound only.",
        "You need what a thing is related to: a person's employer, a system's dependencies.",
        run,
    )
    .giving(&[("count", "integer"), ("neighbors", "array")])
    .permission("index:read")
    .example_after(
        vec![
            ("graph_upsert_edge", json!({"src": "app", "rel": "depends_on", "dst": "database"})),
            ("graph_upsert_edge", json!({"src": "app", "rel": "depends_on", "dst": "cache"})),
            ("graph_upsert_edge", json!({"src": "site", "rel": "depends_on", "dst": "app"})),
        ],
        "What an application depends on",
        json!({"id": "app", "rel": "depends_on"}),
        json!({"neighbors": ["cache", "database"], "count": 2}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let (graph, sight) = graph::seen_by(&cx);
    let near = graph.outbound(sight, args.id.trim(), args.rel.trim()).await?;
    cx.taint().note(near.iter().filter_map(|near| near.origin.clone()));
    cx.taint().note_authors(near.iter().filter_map(|near| near.author.as_ref()));
    let ids: Vec<&str> = near.iter().map(|near| near.id.as_str()).collect();
    let output = Output::json(json!({"count": ids.len(), "neighbors": ids}));
    Ok(if near.iter().any(|near| near.found) { output } else { output.ours() })
}
