//! Conditions made from the arguments of a call that a person approved.

use serde_json::Value;

use super::{
    Condition, When,
    condition::address,
    coverage::{default_at, escape},
};
use crate::json::canonical;

/// Conditions that these arguments meet: the host of each address, and every other value exactly. Values that are as by
/// default are left out.
pub fn conditions(arguments: &Value, schema: &Value) -> When {
    let Value::Object(given) = arguments else { return When::new() };
    given
        .iter()
        .filter_map(|(name, value)| {
            let pointer = format!("/{}", escape(name));
            let is_usual = match default_at(schema, &pointer) {
                Some(usual) => canonical(usual) == canonical(value),
                None => value.is_null(),
            };
            (!is_usual).then(|| (pointer, condition(value)))
        })
        .collect()
}

fn condition(value: &Value) -> Condition {
    let url = value.as_str().and_then(address);
    let host = url.as_ref().and_then(|url| Some((url.host_str()?.trim_end_matches('.'), url.port())));
    match host {
        Some((host, Some(port))) => Condition::Domain(format!("{host}:{port}")),
        Some((host, None)) => Condition::Domain(host.to_owned()),
        None => Condition::Equals(value.clone()),
    }
}
