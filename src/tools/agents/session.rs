//! A run of a session as the tools answer it.

use serde_json::{Value, json};

use satchel_model::agent::session::SessionRun;

/// The key of a session in examples.
pub(super) const EXAMPLE: &str = "agent:assistant:sub:01931c6e-8a52-7c8e-b8f1-0d6f3f2a9c11";

/// The call before an example that makes such a session.
pub(super) fn before() -> Vec<(&'static str, Value)> {
    vec![("sessions_spawn", json!({"task": "What is 6 * 7?", "blocking": true}))]
}

/// The run, with its answer under this name.
pub(super) fn shown(run: &SessionRun, answer: &str) -> Value {
    let mut shown = json!(run);
    if let (Some(text), Some(shown)) = (&run.answer, shown.as_object_mut()) {
        shown.insert(answer.to_owned(), json!(text));
    }
    shown
}
