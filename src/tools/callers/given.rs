//! The common parts of the tools that call systems: how a call to a system is assessed, how long it may take, and flat
//! values as they are written.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;

use satchel_engine::{preparation::Preparation, tool::Tool};
use satchel_model::{
    catalog::{directory::Directory, pace::MAX_TIMEOUT},
    error::{Error, Result},
    spec::Risk,
};
use satchel_services::{catalog::resolve, handles::Handles};

/// A system's own time, retries and its turn included, ends a call before this does.
pub(super) const TIMEOUT: Duration = Duration::from_secs(MAX_TIMEOUT as u64 + 60);

/// A tool that calls systems.
pub(super) fn caller(tool: Tool) -> Tool {
    tool.permission("catalog:read").risk(Risk::LowWrite).up_to(Risk::Destructive).timeout(TIMEOUT)
}

/// Calls of the system that the arguments name, with the risk that such a call has by the catalog.
pub(super) fn to_system<Args: 'static>(
    calls: Preparation<Args>,
    handles: &Handles,
    system: fn(&Args) -> &str,
    risk: fn(&Directory, &Args) -> Result<Risk>,
) -> Preparation<Args> {
    let [reached, relied_on, assessed] = [(); 3].map(|()| handles.clone());
    calls
        .reaches_named(move |args| resolve::destinations(&reached.directory(), system(args)))
        .relies_on(move |args| resolve::system_as_it_is(&relied_on.directory(), system(args)))
        .risk_of_call(move |args| risk(&assessed.directory(), args))
}

/// Returns pairs of names and values; a list is its name several times.
///
/// # Errors
///
/// If a value is no text, number, boolean or list of these.
pub(super) fn pairs(what: &str, given: Option<BTreeMap<String, Value>>) -> Result<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    for (name, value) in given.unwrap_or_default() {
        match value {
            Value::Null => {}
            Value::Array(items) => {
                for item in items {
                    pairs.push((name.clone(), text(what, &name, item)?));
                }
            }
            value => pairs.push((name.clone(), text(what, &name, value)?)),
        }
    }
    Ok(pairs)
}

fn text(what: &str, name: &str, value: Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Bool(_) | Value::Number(_) => Ok(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            let name: String = name.chars().take(80).collect();
            Err(Error::invalid(format!(
                "The value of '{name}' in {what} is text, a number, a boolean or a list of these."
            )))
        }
    }
}
