//! `agents_list`: the agents there are for the person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{error::Result, output::Output, spec::Category};
use satchel_services::agents::sessions;

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {}

pub(super) fn tool() -> Tool {
    Tool::new(
        "agents_list",
        Category::Agents,
        "Lists the agents and specialists there are for the person, with what each is for.",
        "You look for an agent or a specialist for a task.",
        |cx, _: Args| run(cx),
    )
    .permission("agents:run")
    .giving(&[("agents", "array")])
    .example("The built-in agent", json!({}), json!({"agents": [{"id": "assistant", "name": "assistant"}]}))
}

async fn run(cx: Context) -> Result<Output> {
    Ok(Output::json(json!({"agents": sessions::agents(&cx).await?})))
}
