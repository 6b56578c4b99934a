//! `clipboard_write`: a text onto the clipboard.

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
use satchel_services::clipboard;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The text to write to the clipboard.
    text: String,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "clipboard_write",
        Category::Desktop,
        "Writes text to the clipboard, in place of what it holds: the desktop's where the server runs on one, else \
         the caller's own on the server.",
        "The person wants to paste a result somewhere.",
        run,
    )
    .risk(Risk::LowWrite)
    .own_data()
    .personal("your clipboard")
    .private(&["text"])
    .giving(&[("ok", "boolean")])
    .example("A text to paste", json!({"text": "42 Main Street"}), json!({"ok": true}))
    .alias(Alias::same("clipboard-write"))
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    clipboard::write(&cx, args.text).await?;
    Ok(Output::json(json!({"ok": true})))
}
