//! `sessions_spawn`: another agent does a task in a session of its own.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::Result,
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::{agents::sessions::NewSession, handles::Handles};

/// Longer than a call waits for a session: that one says that it goes on.
pub(super) const TIMEOUT: Duration = Duration::from_secs(3_900);

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The task, in words that stand by themselves: the session knows nothing of this conversation.
    task: String,
    /// The agent that does it, by id or name (agents_list); left out, the one that asks.
    agent_id: Option<String>,
    /// true to wait for its result. Else the result comes into this conversation once it is there.
    blocking: Option<bool>,
}

pub(super) fn tool(handles: &Handles) -> Tool {
    let handles = handles.clone();
    Tool::new(
        "sessions_spawn",
        Category::Agents,
        "Has an agent do a task in a session of its own, with no more rights than here. Returns its key; with `blocking` its \
         result, which otherwise comes later.",
        "A part of the work stands by itself: it can be done beside the rest, would fill this conversation, or is another \
         agent's.",
        move |cx, args| run(handles.clone(), cx, args),
    )
    .permission("agents:run")
    .risk(Risk::LowWrite)
    .personal("your conversations")
    .private(&["task"])
    .timeout(TIMEOUT)
    .resumes()
    .example(
        "A task, whose result is waited for",
        json!({"task": "What is 6 * 7?", "blocking": true}),
        json!({"state": "done", "output": "6 * 7 is 42."}),
    )
}

async fn run(handles: Handles, cx: Context, args: Args) -> Result<Output> {
    let Args { task, agent_id, blocking } = args;
    let new = NewSession { task, agent: agent_id, blocking: blocking.unwrap_or(false) };
    let run = handles.sessions()?.spawn(cx, new).await?;
    Ok(Output::json(run.shown("output")))
}
