//! `index_remove`: takes an entry out of the index.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use satchel_engine::{
    context::Context,
    tool::{Alias, Tool},
};
use satchel_model::{
    error::Result,
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::entries;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The entry's name.
    id: String,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "index_remove",
        Category::Knowledge,
        "Takes an entry out of the platform's search index: its text, its vector and its metadata. Removing what is not \
         there does nothing.",
        "Something put into the index with index_put should not be found any more.",
        run,
    )
    .giving(&[("ok", "boolean")])
    .risk(Risk::LowWrite)
    .for_everybody()
    .permission("index:write")
    .example_after(
        vec![("index_put", json!({"id": "faq-1", "text": "Refunds take five days."}))],
        "By its name",
        json!({"id": "faq-1"}),
        json!({"ok": true}),
    )
    .alias(Alias::same("search_remove"))
    .alias(Alias::same("vector_delete"))
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    entries::remove(&cx, args.id).await?;
    Ok(Output::json(json!({"ok": true})).ours())
}
