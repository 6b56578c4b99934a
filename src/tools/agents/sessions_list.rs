//! `sessions_list`: the sessions that were begun below a conversation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{error::Result, output::Output, spec::Category};
use satchel_services::handles::Handles;

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {}

pub(super) fn tool(handles: &Handles) -> Tool {
    let handles = handles.clone();
    Tool::new(
        "sessions_list",
        Category::Agents,
        "Lists the sessions that were begun in this conversation and below, with state and agent, the newest first.",
        "You need the key of a session, or want to know which are at work.",
        move |cx, _: Args| run(handles.clone(), cx),
    )
    .permission("agents:run")
    .personal("your conversations")
    .giving(&[("sessions", "array")])
    .example("No session was begun here", json!({}), json!({"sessions": []}))
}

async fn run(handles: Handles, cx: Context) -> Result<Output> {
    Ok(Output::json(json!({"sessions": handles.sessions()?.list(cx).await?})))
}
