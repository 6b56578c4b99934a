//! `specialists_infer`: one question to a specialist, an agent without tools.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::Result,
    output::Output,
    provider::parameters::ReasoningEffort,
    spec::{Category, Risk},
};
use satchel_services::{agents::sessions::Inference, handles::Handles};

const TIMEOUT: Duration = Duration::from_secs(600);

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The specialist, by name or id (agents_list).
    specialist: String,
    /// The question, with all that is needed to answer it: the specialist knows nothing of this conversation.
    prompt: String,
    /// Reasoning before it answers, in place of its own: low, medium or high.
    override_reasoning_effort: Option<Effort>,
}

#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Effort {
    Low,
    Medium,
    High,
}

impl From<Effort> for ReasoningEffort {
    fn from(effort: Effort) -> Self {
        match effort {
            Effort::Low => Self::Low,
            Effort::Medium => Self::Medium,
            Effort::High => Self::High,
        }
    }
}

pub(super) fn tool(handles: &Handles) -> Tool {
    let handles = handles.clone();
    Tool::new(
        "specialists_infer",
        Category::Agents,
        "Asks a specialist, an agent without tools, one question: its model answers by its instructions.",
        "A specialist is for exactly this: a review, an extraction, a judgement from one text.",
        move |cx, args| run(handles.clone(), cx, args),
    )
    .permission("agents:run")
    .risk(Risk::LowWrite)
    .private(&["prompt"])
    .timeout(TIMEOUT)
    .example(
        "A question to a specialist",
        json!({"specialist": "reviewer", "prompt": "What is 6 * 7?", "override_reasoning_effort": "low"}),
        json!({"ok": true, "specialist": "reviewer", "used_reasoning_effort": "low", "output": "6 * 7 is 42."}),
    )
}

async fn run(handles: Handles, cx: Context, args: Args) -> Result<Output> {
    let Args { specialist, prompt, override_reasoning_effort } = args;
    let asked = Inference { specialist, prompt, effort: override_reasoning_effort.map(ReasoningEffort::from) };
    let mut answer = json!(handles.sessions()?.infer(cx, asked).await?);
    if let Some(answer) = answer.as_object_mut() {
        answer.insert("ok".to_owned(), json!(true));
    }
    Ok(Output::json(answer))
}
