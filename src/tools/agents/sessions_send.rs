//! `sessions_send`: a message to a session, and its reply.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{session, sessions_spawn::TIMEOUT};
use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::Result,
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::handles::Handles;

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The session: a key as sessions_spawn and sessions_list give it.
    session_key: String,
    /// The message.
    message: String,
}

pub(super) fn tool(handles: &Handles) -> Tool {
    let handles = handles.clone();
    Tool::new(
        "sessions_send",
        Category::Agents,
        "Sends a message to a session that was begun here and waits for its reply.",
        "A session has answered, and more is wanted of it: a question, a correction, the next part.",
        move |cx, args| run(handles.clone(), cx, args),
    )
    .permission("agents:run")
    .risk(Risk::LowWrite)
    .personal("your conversations")
    .private(&["message"])
    .timeout(TIMEOUT)
    .resumes()
    .example_after(
        session::before(),
        "A further question",
        json!({"session_key": session::EXAMPLE, "message": "Are you sure?"}),
        json!({"state": "done", "reply": "6 * 7 is 42."}),
    )
}

async fn run(handles: Handles, cx: Context, args: Args) -> Result<Output> {
    let run = handles.sessions()?.send(cx, args.session_key, args.message).await?;
    Ok(Output::json(run.shown("reply")))
}
