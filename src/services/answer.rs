//! What a call answers: success with the exact data, or the tool's own failure.

use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use satchel_engine::{cut, sanitise};
use satchel_model::{
    call::{Approved, CallId, Done},
    error::{Error, Kind},
    output::{Content, Output},
};
use satchel_store::tickets::Verdict;

/// The outcome of a call.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct InvokeAnswer {
    /// Whether it worked.
    pub success: bool,
    /// The result as it is shown.
    pub content: Vec<Content>,
    /// The tool's exact return value; of one that no answer of 8 MB holds, `{handle, bytes, preview}`.
    pub data: Value,
    /// The failure, in words; null where it worked.
    pub error: Option<String>,
    /// The failure, as programs want it beside the words.
    pub problem: Option<CallProblem>,
    /// Facts: `call_id`, `tool`, `duration_ms`, `model_text` (what a model reads of it), and what the tool adds. Where the
    /// result was cut, `handle` (what the data tools take as `data`; null where it was not kept) and `bytes`. Where a
    /// person was asked, `approved_by`; where they changed the arguments, `executed_arguments` and `edited`, each with its
    /// `name`, `from` and `to`.
    #[schema(value_type = Object)]
    pub meta: Map<String, Value>,
}

/// A failure, as programs want it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CallProblem {
    /// Which kind of failure it is.
    #[schema(value_type = String)]
    pub kind: Kind,
    /// The argument or setting that is wrong, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// More, where there is.
    pub details: Option<Value>,
}

/// An approval as an answer tells it: `call_id`, `approved_by`, `executed_arguments`, `edited`, `duration_ms`, as far as
/// there are any.
pub fn facts(approved: &Approved, duration_ms: Option<u64>) -> Map<String, Value> {
    let Approved { approved_by, call, executed, edited } = approved;
    let mut facts = Map::new();
    let mut say = |name: &str, fact: Option<Value>| facts.extend(fact.map(|fact| (name.to_owned(), fact)));
    say("call_id", call.map(|call| json!(call)));
    say("approved_by", approved_by.as_ref().map(|by| json!(by)));
    say("executed_arguments", executed.clone());
    say("edited", (!edited.is_empty()).then(|| json!(edited)));
    say("duration_ms", duration_ms.map(|taken| json!(taken)));
    facts
}

impl InvokeAnswer {
    /// A call that worked.
    pub fn done(done: &Done) -> Self {
        let mut answer = Self::of_output(&done.tool, &done.output, &done.approved, done.handle.as_deref());
        answer.meta.insert("call_id".to_owned(), json!(done.call));
        answer.meta.insert("duration_ms".to_owned(), json!(done.duration_ms));
        answer
    }

    /// A call that ran and failed.
    pub fn failed(call: CallId, error: &Error) -> Self {
        let details = error.details().map(cut::short_details);
        let mut answer = Self::of_failure(error.kind(), error.message(), details);
        answer.meta.insert("call_id".to_owned(), json!(call));
        if let Some((approved, duration_ms)) = error.approval() {
            answer.meta.extend(facts(approved, Some(duration_ms)));
        }
        answer
    }

    /// What came of a ticket; none where the person refused.
    pub fn of_verdict(tool: &str, verdict: &Verdict) -> Option<Self> {
        match verdict {
            Verdict::Ran { output, duration_ms, approved, handle } => {
                let mut answer = Self::of_output(tool, output, approved, handle.as_deref());
                answer.meta.insert("duration_ms".to_owned(), json!(duration_ms));
                Some(answer)
            }
            Verdict::Failed { kind, message, details, approved, duration_ms, .. } => {
                let mut answer = Self::of_failure(*kind, message, details.as_ref().map(cut::short_details));
                answer.meta = facts(approved, Some(*duration_ms));
                Some(answer)
            }
            Verdict::Refused { .. } | Verdict::Changed { .. } => None,
        }
    }

    /// `handle` is that of the whole of a long result.
    fn of_output(tool: &str, output: &Output, approved: &Approved, handle: Option<&str>) -> Self {
        let mut meta = output.meta.clone();
        let name = tool.rsplit(':').next().unwrap_or(tool);
        meta.insert("tool".to_owned(), json!(tool));
        meta.insert(
            "model_text".to_owned(),
            json!(sanitise::wrap(name, &sanitise::render_run(output, approved), handle)),
        );
        meta.extend(facts(approved, None));
        for (key, value) in [("title", &output.title), ("html", &output.html)] {
            if let Some(value) = value {
                meta.insert(key.to_owned(), json!(value));
            }
        }
        Self { success: true, content: output.shown(), data: output.data.clone(), error: None, problem: None, meta }
    }

    fn of_failure(kind: Kind, message: &str, details: Option<Value>) -> Self {
        let field = details.as_ref().and_then(|details| details.get("field")?.as_str()).map(str::to_owned);
        let (error, problem) = (Some(message.to_owned()), Some(CallProblem { kind, field, details }));
        Self { success: false, content: Vec::new(), data: Value::Null, error, problem, meta: Map::new() }
    }
}
