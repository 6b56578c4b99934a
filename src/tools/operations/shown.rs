//! An event of the audit as the tools give it back: without the chain's hashes, which only the console needs.

use serde_json::{Value, json};

use satchel_model::audit::Entry;

/// Returns what a person or a model needs of an event.
pub(super) fn event(entry: &Entry) -> Value {
    json!({
        "seq": entry.seq,
        "time": entry.time,
        "event_type": entry.event_type,
        "user": entry.user,
        "action": entry.action,
        "tool": entry.tool,
        "outcome": entry.outcome,
        "risk": entry.risk,
        "door": entry.door,
        "arguments": entry.arguments,
        "error": entry.error,
        "duration_ms": entry.duration_ms,
        "topic": entry.topic,
        "call_id": entry.call_id,
        "approved_by": entry.approved_by,
        "edited": entry.edited,
        "agent": entry.agent,
    })
}
