//! What the callers have in common: how long they may take, and flat values as they are written.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;

use crate::model::{
    catalog::pace::MAX_TIMEOUT,
    error::{Error, Result},
};

/// A system's own time, retries and its turn included, ends a call before this does.
pub(super) const TIMEOUT: Duration = Duration::from_secs(MAX_TIMEOUT as u64 + 60);

/// Pairs of names and values; a list is its name several times. Fails where a value is no text, number, boolean or list
/// of these.
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
