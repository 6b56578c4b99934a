//! `memory_get`: one memory by its key.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::shown;
use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{error::Result, output::Output, spec::Category};
use satchel_services::remembering::Remembering;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Memory key name, as save_memory and memory_search return it.
    key: String,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "memory_get",
        Category::Memory,
        "Reads one of the user's memories whole, by its key: what it says, where it comes from, what was merged into it and \
         what it said before.",
        "You know a memory's key, from a search or because it was saved under a name, and need its content.",
        run,
    )
    .personal("your memories")
    .private(&["key"])
    .example_after(
        vec![("memorize", json!({"facts": [{"key": "birthday", "value": "12 May"}]}))],
        "A named fact",
        json!({"key": "birthday"}),
        json!({"key": "birthday", "content": "birthday: 12 May", "layer": "fact", "history": []}),
    )
    .example_after(
        vec![
            ("memorize", json!({"facts": [{"key": "home", "value": "Bern"}]})),
            ("memorize", json!({"facts": [{"key": "home", "value": "Basel"}]})),
        ],
        "A fact that has changed",
        json!({"key": "home"}),
        json!({"content": "home: Basel", "history": [{"content": "home: Bern"}]}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let memory = Remembering::of_caller(&cx).get(&args.key).await?;
    Ok(Output::json(shown::whole(&cx, &memory)))
}
