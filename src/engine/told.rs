//! Arguments of calls as they may be told beside them.

use serde_json::Value;

use super::{
    context::Context,
    record::{names_only, redact},
    registry::Registry,
};

/// Arguments of a call that a run made, without secrets and without what is private of its tool.
pub fn arguments(cx: &Context, tool: &str, params: &Value) -> Value {
    match Registry::around(cx).find(tool) {
        Ok(found) => redact(params, found.tool.private_arguments()),
        Err(_) => names_only(params),
    }
}
