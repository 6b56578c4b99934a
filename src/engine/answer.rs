//! What a call answers: success with the exact data, or the tool's own failure.

use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::{
    engine::sanitise,
    model::{
        call::{CallId, Done},
        error::{Error, Kind},
        output::{Content, Output},
    },
    store::tickets::Verdict,
};

/// What came of a call (R24).
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct InvokeAnswer {
    /// Whether it worked.
    pub success: bool,
    /// The result as it is shown.
    pub content: Vec<Content>,
    /// The tool's exact return value.
    pub data: Value,
    /// What went wrong.
    pub error: Option<Failure>,
    /// Facts: `call_id`, `tool`, `duration_ms`, `model_text` (what a model reads of it), `executed_arguments` where the
    /// person who approved it had changed them, and what the tool adds.
    #[schema(value_type = Object)]
    pub meta: Map<String, Value>,
}

/// A failure, for programs and people.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Failure {
    /// For programs.
    #[schema(value_type = String)]
    pub kind: Kind,
    /// For people.
    pub message: String,
    /// More, where there is.
    pub details: Option<Value>,
}

impl InvokeAnswer {
    /// A call that worked.
    pub fn done(done: &Done) -> Self {
        let mut answer = Self::of_output(&done.tool, &done.output, done.executed.as_ref());
        answer.meta.insert("call_id".to_owned(), json!(done.call));
        answer.meta.insert("duration_ms".to_owned(), json!(done.duration_ms));
        answer
    }

    /// A call that ran and failed.
    pub fn failed(call: CallId, error: &Error) -> Self {
        let mut answer = Self::of_failure(error.kind(), error.message(), error.details().cloned());
        answer.meta.insert("call_id".to_owned(), json!(call));
        answer
    }

    /// What came of a ticket; none where the person refused.
    pub fn of_verdict(tool: &str, verdict: &Verdict) -> Option<Self> {
        match verdict {
            Verdict::Ran { output, duration_ms, executed } => {
                let mut answer = Self::of_output(tool, output, executed.as_ref());
                answer.meta.insert("duration_ms".to_owned(), json!(duration_ms));
                Some(answer)
            }
            Verdict::Failed { kind, message, executed, .. } => {
                let details = executed.as_ref().map(|executed| json!({"executed_arguments": executed}));
                Some(Self::of_failure(*kind, message, details))
            }
            Verdict::Refused { .. } => None,
        }
    }

    fn of_output(tool: &str, output: &Output, executed: Option<&Value>) -> Self {
        let mut meta = output.meta.clone();
        let name = tool.rsplit(':').next().unwrap_or(tool);
        meta.insert("tool".to_owned(), json!(tool));
        meta.insert(
            "model_text".to_owned(),
            json!(sanitise::wrap(name, &sanitise::render_run(output, executed), None)),
        );
        if let Some(executed) = executed {
            meta.insert("executed_arguments".to_owned(), executed.clone());
        }
        for (key, value) in [("title", &output.title), ("html", &output.html)] {
            if let Some(value) = value {
                meta.insert(key.to_owned(), json!(value));
            }
        }
        Self { success: true, content: output.shown(), data: output.data.clone(), error: None, meta }
    }

    fn of_failure(kind: Kind, message: &str, details: Option<Value>) -> Self {
        let error = Failure { kind, message: message.to_owned(), details };
        Self { success: false, content: Vec::new(), data: Value::Null, error: Some(error), meta: Map::new() }
    }
}
