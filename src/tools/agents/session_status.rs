//! `session_status`: the state of a session, and what it took.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::session;
use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{error::Result, output::Output, spec::Category};
use satchel_services::handles::Handles;

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The session: a key as sessions_spawn and sessions_list give it; left out, the conversation this is asked in.
    session_key: Option<String>,
}

pub(super) fn tool(handles: &Handles) -> Tool {
    let handles = handles.clone();
    Tool::new(
        "session_status",
        Category::Agents,
        "Returns state, agent, model and tokens of a session that was begun here, or of this conversation.",
        "You want to know whether a session is at work, waits for a person or is over, and what it took.",
        move |cx, args| run(handles.clone(), cx, args),
    )
    .permission("agents:run")
    .personal("your conversations")
    .example_after(
        session::before(),
        "A session that has answered",
        json!({"session_key": session::EXAMPLE}),
        json!({"state": "done", "agent": "assistant", "usage": {"input_tokens": 10, "output_tokens": 5}}),
    )
}

async fn run(handles: Handles, cx: Context, args: Args) -> Result<Output> {
    Ok(Output::json(json!(handles.sessions()?.status(cx, args.session_key).await?)))
}
