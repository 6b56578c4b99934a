//! `recall_memories`: what is remembered of the person about something.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shown;
use satchel_engine::{
    context::Context,
    tool::{Alias, Tool},
};
use satchel_model::{
    error::{Error, Result},
    memory::{Layer, Match, Memory},
    output::Output,
    spec::Category,
    words,
};
use satchel_services::remembering::{Ask, Remembering};

/// The number of results unless told otherwise.
const DEFAULT_LIMIT: u32 = 10;
/// A match this much worse than the best is left out where the newest come first: it would hide what was meant.
const CLOSE: f64 = 0.4;
/// The number of matches that are looked at for the newest of them.
const LOOKED_AT: usize = 100;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Search query to find relevant memories. Words such as 'everything' give the latest.
    query: String,
    /// Which come first: the newest (`recency`, default) or the best matches (`similarity`).
    #[serde(default)]
    order: Order,
    /// Most memories to return (default 10).
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// Only memories at least this similar, 0 to 1; 0 takes what is not similar at all as well.
    #[schemars(range(min = 0.0, max = 1.0))]
    threshold: Option<f64>,
    /// Only these layers: facts, gists, episodes. All where left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    layers: Vec<LayerName>,
}

/// A layer, by one or many of it.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum LayerName {
    Facts,
    Gists,
    Episodes,
    Fact,
    Gist,
    Episode,
}

impl LayerName {
    fn layer(self) -> Layer {
        match self {
            Self::Fact | Self::Facts => Layer::Fact,
            Self::Gist | Self::Gists => Layer::Gist,
            Self::Episode | Self::Episodes => Layer::Episode,
        }
    }
}

#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Default, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Order {
    #[default]
    Recency,
    Similarity,
}

/// `memory_search`: by similarity.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MemorySearch {
    /// Search query.
    query: String,
    /// Maximum results (default 10).
    #[schemars(range(min = 1, max = 100))]
    limit: Option<f64>,
    /// Similarity threshold, 0 to 1; 0 returns all there are, up to the limit.
    #[schemars(range(min = 0.0, max = 1.0))]
    threshold: Option<f64>,
}

/// `recall`: by layer.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Recall {
    /// What to recall.
    query: String,
    /// Only these layers: facts, gists, episodes. All where left out.
    #[serde(default)]
    layers: Vec<LayerName>,
}

pub(super) fn tool() -> Tool {
    let said = || {
        vec![
            ("save_memory", json!({"content": "Prefers reports in CSV", "category": "preference"})),
            ("save_memory", json!({"content": "The sales report goes to Anna on Mondays", "category": "workflow"})),
            ("save_memory", json!({"content": "Allergic to peanuts", "category": "fact"})),
        ]
    };
    Tool::new(
        "recall_memories",
        Category::Memory,
        "Finds what was saved about this user: up to 10 matching memories, the newest first.",
        "You need the user's preferences, past instructions or facts they have shared before, and they are not in this \
         conversation already.",
        run,
    )
    .innate()
    .personal("your memories")
    .private(&["query"])
    .example_after(
        said(),
        "What is known of reports, the newest first",
        json!({"query": "report format"}),
        json!({"count": 2, "memories": [
            {"content": "The sales report goes to Anna on Mondays"},
            {"content": "Prefers reports in CSV", "category": "preference"},
        ]}),
    )
    .example("Nothing is known", json!({"query": "favourite colour"}), json!({"memories": [], "count": 0}))
    .alias(
        Alias::new(
            "memory_search",
            "Searches the user's memories; the most similar come first, each with a score from 0 to 1.",
            |given: MemorySearch| adapt_search(given),
            |data: Value| json!({"results": data.get("memories"), "count": data.get("count")}),
        )
        .example_after(
            said(),
            "The best match first",
            json!({"query": "reports in CSV", "limit": 1}),
            json!({"count": 1, "results": [{"content": "Prefers reports in CSV"}]}),
        ),
    )
    .alias(
        Alias::new(
            "recall",
            "Recalls what is remembered of the user, from all layers or some: facts, gists of talks, episodes.",
            |given: Recall| {
                let Recall { query, layers } = given;
                Ok(Args { query, order: Order::Similarity, limit: None, threshold: None, layers })
            },
            |data: Value| json!({"memories": data.get("memories"), "count": data.get("count")}),
        )
        .example_after(
            vec![("memorize", json!({"gists": ["Talked about the trip to Lisbon"], "facts": ["Lives in Lisbon"]}))],
            "Only gists",
            json!({"query": "Lisbon", "layers": ["gists"]}),
            json!({"count": 1, "memories": [{"content": "Talked about the trip to Lisbon", "layer": "gist"}]}),
        ),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let memories = Remembering::of_caller(&cx);
    let limit = args.limit.unwrap_or(DEFAULT_LIMIT) as usize;
    let layers: Vec<Layer> = args.layers.iter().map(|name| name.layer()).collect();
    if words::topics(&args.query).is_empty() {
        let latest = memories.recent(layers, limit).await?;
        memories.recalled(&latest).await?;
        return Ok(answer(latest.iter().map(|memory| shown::memory(&cx, memory)).collect()));
    }
    let newest_first = args.order == Order::Recency;
    let most = if newest_first { limit.max(LOOKED_AT) } else { limit };
    let mut found = memories.search(Ask { query: args.query, layers, threshold: args.threshold, limit: most }).await?;
    if newest_first {
        let best = found.first().map_or(0.0, |m| m.score);
        found.retain(|m| m.score >= best * CLOSE);
        found.sort_by_key(|m| std::cmp::Reverse(m.memory.updated_at));
        found.truncate(limit);
    }
    let recalled: Vec<Memory> = found.iter().map(|found| found.memory.clone()).collect();
    memories.recalled(&recalled).await?;
    Ok(answer(found.iter().map(|found| scored(&cx, found)).collect()))
}

fn answer(memories: Vec<Value>) -> Output {
    Output::json(json!({"count": memories.len(), "memories": memories}))
}

fn scored(cx: &Context, found: &Match) -> Value {
    let mut data = shown::memory(cx, &found.memory);
    if let Value::Object(data) = &mut data {
        data.insert("score".to_owned(), json!((found.score * 1_000.0).round() / 1_000.0));
    }
    data
}

fn adapt_search(given: MemorySearch) -> Result<Args> {
    let limit = given.limit.map(whole).transpose()?;
    Ok(Args { query: given.query, order: Order::Similarity, limit, threshold: given.threshold, layers: Vec::new() })
}

/// The documented type is `number`; half a memory cannot be returned.
fn whole(number: f64) -> Result<u32> {
    (1..=100)
        .find(|n| f64::from(*n) == number)
        .ok_or_else(|| Error::invalid("'limit' must be a whole number from 1 to 100."))
}
