//! `skill`: how a kind of task is done, as somebody wrote it down; its files when they are needed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{error::Result, output::Output, spec::Category};
use satchel_services::skills::reading;

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The skill's name.
    name: String,
    /// A file of it to be read, by its path within the skill. Left out, its instructions are.
    file: Option<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "skill",
        Category::Agents,
        "Reads how a kind of task is done: the instructions of a skill, which you then follow to the end of your answer, or \
         one of its files.",
        "A skill you have, or one that find_tools names, fits the task. Read it before you begin.",
        run,
    )
    .example(
        "How an invoice is checked",
        json!({"name": "invoice-check"}),
        json!({"name": "invoice-check", "files": ["references/rates.md"], "allowed_tools": ["read", "calculator"]}),
    )
    .example(
        "A file of it",
        json!({"name": "invoice-check", "file": "references/rates.md"}),
        json!({"name": "invoice-check", "file": "references/rates.md", "text": "VAT: 19 %"}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    match args.file {
        Some(path) => reading::file(&cx, &args.name, &path).await,
        None => reading::body(&cx, &args.name).await,
    }
}
