//! `sessions_history`: the last messages of a session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::session;
use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{error::Result, output::Output, spec::Category};
use satchel_services::handles::Handles;

const DEFAULT_LIMIT: usize = 50;

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The session: a key as sessions_spawn and sessions_list give it.
    session_key: String,
    /// The number of messages, counted from the last, 1 to 500; 50 if left out.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

pub(super) fn tool(handles: &Handles) -> Tool {
    let handles = handles.clone();
    Tool::new(
        "sessions_history",
        Category::Agents,
        "Returns the last messages of a session that was begun here, in order.",
        "You want to see how a session came to its answer, or how far it is.",
        move |cx, args| run(handles.clone(), cx, args),
    )
    .giving(&[("messages", "array")])
    .permission("agents:run")
    .personal("your conversations")
    .example_after(
        session::before(),
        "The last message",
        json!({"session_key": session::EXAMPLE, "limit": 1}),
        json!({"messages": [{"role": "assistant", "text": "6 * 7 is 42."}]}),
    )
}

async fn run(handles: Handles, cx: Context, args: Args) -> Result<Output> {
    let limit = args.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
    let messages = handles.sessions()?.history(cx, args.session_key, limit).await?;
    Ok(Output::json(json!({"messages": messages})))
}
