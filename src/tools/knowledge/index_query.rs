//! `index_query`: the entries of the index that fit best, by words, by a vector, or by both.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use satchel_engine::{
    context::Context,
    tool::{Alias, Tool},
};
use satchel_model::{error::Result, index::Scalar, output::Output, spec::Category};
use satchel_services::entries::{self, Query};

/// Results where nothing is said of them.
const RESULTS: usize = 5;

#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Words to search for.
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<String>,
    /// Most results, 5 where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
    /// A vector to search near to; with a query, both are weighed.
    #[serde(skip_serializing_if = "Option::is_none")]
    vector: Option<Vec<f32>>,
    /// Most results, as `limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 200))]
    k: Option<usize>,
    /// Only entries whose metadata has all of this.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    filter: BTreeMap<String, Scalar>,
    /// Take the query by what it means, too: entries are found that say it in other words.
    #[serde(default)]
    by_meaning: bool,
}

/// `search_query`: by words.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Words {
    /// The words to search for.
    query: String,
    /// Most results, 5 where nothing is said.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
}

/// `vector_query`: by nearness.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Near {
    /// The query vector.
    vector: Vec<f32>,
    /// Most results, 5 where nothing is said.
    #[schemars(range(min = 1, max = 200))]
    k: Option<usize>,
    /// Metadata filter map.
    #[serde(default)]
    filter: BTreeMap<String, Scalar>,
}

pub(super) fn tool() -> Tool {
    let fox = || vec![("index_put", json!({"id": "doc-1", "text": "The quick brown fox"}))];
    Tool::new(
        "index_query",
        Category::Knowledge,
        "Searches the platform's search index by words, by a vector, or by both, the best first.",
        "Something was put into the index with index_put and is to be found again. For documents use search_knowledge.",
        run,
    )
    .giving(&[("ok", "boolean"), ("results", "array")])
    .permission("index:read")
    .example_after(
        fox(),
        "By words",
        json!({"query": "foxes"}),
        json!({"ok": true, "results": [{"id": "doc-1", "text": "The quick brown fox", "metadata": {}}]}),
    )
    .alias(
        Alias::new(
            "search_query",
            "Queries the full-text index and returns matching documents.",
            |words: Words| Ok(Args { query: Some(words.query), limit: words.limit, ..Args::default() }),
            |data| data,
        )
        .example_after(
            fox(),
            "By words",
            json!({"query": "quick"}),
            json!({"ok": true, "results": [{"id": "doc-1"}]}),
        ),
    )
    .alias(
        Alias::new(
            "vector_query",
            "Queries nearest neighbors using a query vector.",
            |near: Near| Ok(Args { vector: Some(near.vector), k: near.k, filter: near.filter, ..Args::default() }),
            |data| data,
        )
        .example_after(
            vec![("index_put", json!({"id": "v-2", "vector": along_the_first_axis(), "metadata": {"kind": "axis"}}))],
            "By nearness, among entries of one kind",
            json!({"vector": along_the_first_axis(), "k": 1, "filter": {"kind": "axis"}}),
            json!({"ok": true, "results": [{"id": "v-2", "metadata": {"kind": "axis"}}]}),
        ),
    )
}

/// A vector as long as the built-in model's, for the example.
fn along_the_first_axis() -> Vec<u8> {
    let mut vector = vec![0; 384];
    if let Some(first) = vector.first_mut() {
        *first = 1;
    }
    vector
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let Args { query, limit, vector, k, filter, by_meaning } = args;
    let limit = limit.or(k).unwrap_or(RESULTS);
    let results = entries::query(&cx, Query { text: query, vector, by_meaning, filter, limit }).await?;
    // The run has noted what is from outside among them.
    Ok(Output::json(json!({"ok": true, "results": results})).ours())
}
