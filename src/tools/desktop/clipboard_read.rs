//! `clipboard_read`: the text on the clipboard.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use satchel_engine::{
    context::Context,
    tool::{Alias, Tool},
};
use satchel_model::{error::Result, output::Output, spec::Category};
use satchel_services::clipboard;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {}

pub(super) fn tool() -> Tool {
    let before = || vec![("clipboard_write", json!({"text": "42 Main Street"}))];
    Tool::new(
        "clipboard_read",
        Category::Desktop,
        "Reads the text on the clipboard: the desktop's where the server runs on one, else the caller's own on the \
         server.",
        "The person speaks of what was just copied.",
        run,
    )
    .personal("your clipboard")
    .example_after(before(), "What was copied", json!({}), json!({"text": "42 Main Street"}))
    .alias(Alias::same("clipboard-read"))
}

async fn run(cx: Context, _: Args) -> Result<Output> {
    Ok(Output::json(json!({"text": clipboard::read(&cx).await?})))
}
