//! `search_knowledge`: the passages of documents that answer a question, numbered to be cited.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::Result,
    output::{Content, Output},
    spec::Category,
};
use satchel_services::knowledge::{
    calls,
    search::{Hit, Question},
};

/// Passages unless told otherwise.
const DEFAULT_RESULTS: usize = 5;
/// Characters of all passages together that a model reads.
const SHOWN: usize = 2_700;
/// Characters of one passage it reads at least.
const LEAST: usize = 160;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Natural-language search query.
    query: String,
    /// Number of results to return (default: 5).
    #[schemars(range(min = 1, max = 50))]
    top_k: Option<usize>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "search_knowledge",
        Category::Knowledge,
        "Searches the organization's knowledge base by words and by meaning, and gives the passages of its documents that \
         answer best. Each has a number: cite what you take from it as [number].",
        "The user asks a question that might be answered by internal documentation, policies, guides, or manuals.",
        run,
    )
    .permission("knowledge:read")
    .innate()
    .giving(&[("count", "integer"), ("results", "array")])
    .example("Nothing is known", json!({"query": "failed ACH transfer procedure"}), json!({"results": [], "count": 0}))
    .example("At most one passage", json!({"query": "opening hours", "top_k": 1}), json!({"results": [], "count": 0}))
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let limit = args.top_k.unwrap_or(DEFAULT_RESULTS);
    let question = Question { query: args.query, limit: Some(limit), ..Question::default() };
    let found = calls::search(&cx, &question).await?;
    let numbers = calls::number_passages(&cx, &found).await?;
    let room = (SHOWN / found.len().max(1)).max(LEAST);
    let (mut results, mut lines) = (Vec::new(), Vec::new());
    for (number, hit) in numbers.into_iter().zip(&found) {
        lines.push(line(number, hit, room));
        results.push(json!({
            "number": number, "document_id": hit.document_id, "chunk_id": hit.chunk_id, "title": hit.title,
            "heading": hit.heading, "page": hit.page, "text": hit.text, "spans": hit.spans, "score": hit.score,
        }));
    }
    let mut output = Output::json(json!({"count": results.len(), "results": results}));
    if !lines.is_empty() {
        output.content = vec![Content::Text { text: lines.join("\n\n") }];
    }
    cx.taint().note(found.into_iter().filter_map(|hit| hit.outside));
    Ok(output.ours())
}

fn line(number: u32, hit: &Hit, room: usize) -> String {
    let heading = if hit.heading.is_empty() { String::new() } else { format!(" › {}", hit.heading) };
    let page = hit.page.map_or_else(String::new, |page| format!(", page {page}"));
    let title: String = format!("{}{heading}", hit.title).chars().take(120).collect();
    let head = format!("[{number}] {title}{page}\n");
    let room = room.saturating_sub(head.chars().count() + 4).max(LEAST / 2);
    format!("{head}{}", hit.snippet(room))
}
