//! `search`: the launcher, as the palette of the console has it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::{Error, Result},
    output::Output,
    spec::Category,
};
use satchel_services::launcher;

/// The number of results unless told otherwise.
const DEFAULT_LIMIT: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Search query: letters of a name, mistyped or left out ones too. Empty gives what is opened most.
    query: String,
    /// Max results to return (default 10).
    limit: Option<f64>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "search",
        Category::Desktop,
        "Queries the launcher: the tools, pages, documents and conversations the person may open whose name fits, ranked \
         by how well it fits and how often and lately the person opened it.",
        "The person names something to open and you need its id, or asks what there is by that name.",
        run,
    )
    .personal("the names and words of your conversations")
    .giving(&[("results", "array")])
    .example(
        "A tool by a mistyped name",
        json!({"query": "calcualtor", "limit": 1}),
        json!({"results": [{"id": "builtin:calculator", "name": "calculator", "type": "tool"}]}),
    )
    .example("None wanted", json!({"query": "chat", "limit": 0}), json!({"results": []}))
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let limit = args.limit.map_or(Ok(DEFAULT_LIMIT), whole)?;
    Ok(Output::json(json!({"results": launcher::search(&cx, &args.query, limit).await?})))
}

fn whole(limit: f64) -> Result<usize> {
    if limit < 0.0 || limit.fract() != 0.0 || !limit.is_finite() {
        return Err(Error::invalid("'limit' must be a whole number, 0 or more."));
    }
    // Whatever is beyond what there can be means all of it.
    Ok(u32::try_from(limit as u64).map_or(usize::MAX, |limit| limit as usize))
}
