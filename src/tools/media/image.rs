//! `image`: a picture looked at, made, or changed.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use satchel_engine::{
    context::Context,
    tool::{Alias, Tool},
};
use satchel_model::{
    error::{Error, Result},
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::{
    media::{images, vision},
    model::Choice,
};

/// Models that look at pictures, and those that make them, take their time.
pub(super) const TIMEOUT: Duration = Duration::from_secs(300);
/// The prompt of the picture in examples.
pub(super) const EXAMPLE: &str = "a heron";

#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Action {
    Analyze,
    Generate,
    Edit,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// `analyze` looks at a picture, `generate` makes one from words, `edit` makes a changed copy of one.
    action: Action,
    /// The path of the picture that is looked at or changed.
    path: Option<String>,
    /// The picture to be made, the change, or the question asked about the picture.
    prompt: Option<String>,
    /// Another model than the caller's to look at it: `provider:model`, or one that the provider has.
    model: Option<String>,
    /// The address of a provider that is connected, to look at it; no other one is asked.
    base_url: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Describe {
    /// The picture's path in the workspace: PNG, JPEG, GIF or WebP.
    path: String,
    /// The question to be answered about it. Left out, all that it shows is told.
    prompt: Option<String>,
    /// Another model than the caller's: `provider:model`, or one that the provider has.
    model: Option<String>,
    /// The address of a provider that is connected; no other one is asked.
    base_url: Option<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "image",
        Category::Media,
        "Makes a picture from words, makes a changed copy of one, or says what one shows. New pictures lie in the folder \
         images of the workspace.",
        "Somebody wants a picture drawn or changed, or asks what one shows.",
        run,
    )
    .risk(Risk::LowWrite)
    .own_data()
    .personal("your files")
    .timeout(TIMEOUT)
    .example(
        "A picture from words",
        json!({"action": "generate", "prompt": EXAMPLE}),
        json!({"ok": true, "action": "generate", "path": "images/a-heron.png", "mime": "image/png"}),
    )
    .example_after(
        vec![("image", json!({"action": "generate", "prompt": EXAMPLE}))],
        "A changed copy of it",
        json!({"action": "edit", "path": "images/a-heron.png", "prompt": "make it blue"}),
        json!({"ok": true, "action": "edit", "path": "images/make-it-blue.png"}),
    )
    .example_after(
        vec![("image", json!({"action": "generate", "prompt": EXAMPLE}))],
        "What it shows",
        json!({"action": "analyze", "path": "images/a-heron.png"}),
        json!({"ok": true, "action": "analyze", "output": "A heron."}),
    )
    .alias(describe_image())
}

fn describe_image() -> Alias {
    Alias::new(
        "describe_image",
        "Has a model look at a picture of the workspace and say what it shows, or answer a question about it.",
        |Describe { path, prompt, model, base_url }| {
            Ok(Args { action: Action::Analyze, path: Some(path), prompt, model, base_url })
        },
        |data| json!({"ok": true, "output": data.get("output")}),
    )
    .example_after(
        vec![("image", json!({"action": "generate", "prompt": EXAMPLE}))],
        "What a picture shows",
        json!({"path": "images/a-heron.png", "prompt": "What bird is it?"}),
        json!({"ok": true, "output": "A heron."}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let Args { action, path, prompt, model, base_url } = args;
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let (path, prompt) = (given(path), given(prompt));
    let needed = |text: Option<String>, name: &str| {
        text.ok_or_else(|| Error::invalid(format!("`{name}` is missing: this action needs it.")))
    };
    match action {
        Action::Generate => images::generate(&cx, &needed(prompt, "prompt")?).await,
        Action::Edit => images::edit(&cx, &needed(path, "path")?, &needed(prompt, "prompt")?).await,
        Action::Analyze => {
            let choice = Choice { model, base_url };
            let said = vision::describe(&cx, &needed(path, "path")?, prompt.as_deref(), choice).await?;
            Ok(Output::json(json!({"ok": true, "action": "analyze", "output": said.text})))
        }
    }
}
