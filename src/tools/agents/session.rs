//! A session in the examples of the tools.

use serde_json::{Value, json};

/// The key of a session in examples.
pub(super) const EXAMPLE: &str = "agent:assistant:sub:01931c6e-8a52-7c8e-b8f1-0d6f3f2a9c11";

/// The call before an example that makes such a session.
pub(super) fn before() -> Vec<(&'static str, Value)> {
    vec![("sessions_spawn", json!({"task": "What is 6 * 7?", "blocking": true}))]
}
