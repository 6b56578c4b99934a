//! The risk of SOAP: that of the operation registered where it goes, by its action and by the element of its body.

use super::{super::soap_message::Message, UNKNOWN};
use satchel_formats::soap::{Request, Version};
use satchel_model::{
    catalog::{
        directory::Registered,
        endpoint::{Endpoint, Operation},
    },
    error::Result,
    spec::Risk,
};

/// Returns the risk of an envelope, or the body of one, that is sent with an action to a path.
///
/// # Errors
///
/// If a service could find another operation in it than we do.
pub(super) fn sent(found: &Registered, path: &str, action: &str, body: &str) -> Result<Risk> {
    let request = Request::new(body, Version::V11)?;
    let message = Message::read(&request.envelope)?;
    let actions = message.actions.iter().map(String::as_str).chain([action]).filter(|action| !action.trim().is_empty());
    let by_action = actions.map(|action| acted(found, path, action)).max().unwrap_or(Risk::Read);
    let elements = message.elements.iter();
    let by_element = elements.map(|(name, namespace)| named(found, path, (name, namespace))).max().unwrap_or(UNKNOWN);
    Ok(by_element.max(by_action))
}

/// Returns the risk of an action. One that only looks like a registered one is not let through as that.
pub(super) fn acted(found: &Registered, path: &str, asked: &str) -> Risk {
    let action = |endpoint: &Endpoint, is: fn(&str, &str) -> bool| match &endpoint.operation {
        Operation::Soap { action, .. } => is(action, asked),
        _ => false,
    };
    weighed(found, path, |endpoint| action(endpoint, |own, asked| own == asked), |endpoint| action(endpoint, is_alike))
}

/// Returns the risk of an element of a body, by its name and its namespace.
pub(super) fn named(found: &Registered, path: &str, (name, namespace): (&str, &str)) -> Risk {
    let is_same = |endpoint: &Endpoint| match &endpoint.operation {
        Operation::Soap { element, namespace: own, .. } => element == name && own == namespace,
        _ => false,
    };
    let is_alike = |endpoint: &Endpoint| match &endpoint.operation {
        Operation::Soap { element, .. } => element.eq_ignore_ascii_case(name),
        _ => false,
    };
    weighed(found, path, is_same, is_alike)
}

/// The risk of what is the same at this path. What is alike there can only raise it; and what is not let through there, but
/// elsewhere, has the risk of that at least, as some services are one behind all their paths.
fn weighed(
    found: &Registered,
    path: &str,
    is_same: impl Fn(&Endpoint) -> bool,
    is_alike: impl Fn(&Endpoint) -> bool,
) -> Risk {
    let anywhere = found.endpoints.iter().filter(|endpoint| is_alike(endpoint)).map(Endpoint::effective_risk).max();
    let unknown = UNKNOWN.max(anywhere.unwrap_or(Risk::Read));
    // No operation is registered with a query.
    let is_plain = !path.contains(['?', '#']);
    let same = found.weigh(path, unknown, |endpoint| is_plain && is_same(endpoint));
    same.max(found.weigh(path, Risk::Read, is_alike))
}

/// Returns whether a lax service may take one action for another.
fn is_alike(one: &str, other: &str) -> bool {
    let plain = |action: &str| action.trim_matches([' ', '\t', '/', '"']).to_lowercase();
    plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::testing::{self, system};

    const READ: Risk = Risk::Read;
    const HIGH: Risk = Risk::HighWrite;

    fn endpoint(path: &str, name: &str, risk: Risk) -> Endpoint {
        let operation =
            json!({"protocol": "soap", "action": format!("urn:{name}"), "element": name, "namespace": "urn:p"});
        let said = json!({"name": name, "path": path, "risk": risk, "operation": operation});
        testing::endpoint(said)
    }

    #[test]
    fn an_operation_is_let_through_only_where_it_is_registered() {
        let found = system(vec![
            endpoint("/ws/price", "Get", READ),
            endpoint("/ws/price", "Drop", Risk::Destructive),
            endpoint("/", "Ping", READ),
        ]);
        let body = |name: &str| format!("<{name} xmlns=\"urn:p\"/>");
        for (path, action, body, wanted) in [
            ("/ws/price", "urn:Get", body("Get"), READ),
            ("/ws/price", "", body("Get"), READ),
            ("", "urn:Ping", body("Ping"), READ),
            ("/", "urn:Ping", body("Ping"), READ),
            ("/orders/7/cancel", "urn:Get", body("Get"), HIGH),
            ("/admin/shutdown?now=1", "", body("Get"), HIGH),
            ("/ws/price?op=Drop", "urn:Get", body("Get"), HIGH),
            ("/ws/Price/", "urn:Get", body("Get"), HIGH),
            ("/ws/pric%65", "urn:Get", body("Get"), HIGH),
            ("", "urn:Get", body("Get"), HIGH),
            ("/ws/price", "urn:get", body("Get"), HIGH),
            ("/ws/price", "urn:Other", body("Get"), HIGH),
            ("/ws/price", "urn:Get", body("Other"), HIGH),
            ("/ws/price", "urn:Get", body("Drop"), Risk::Destructive),
            ("/ws/other", "urn:Drop", body("Other"), Risk::Destructive),
            ("/ws/other", "urn:Other", body("drop"), Risk::Destructive),
        ] {
            assert_eq!(sent(&found, path, action, &body).unwrap(), wanted, "{path} {action} {body}");
        }
    }

    #[test]
    fn an_element_is_let_through_in_its_own_namespace_only() {
        let found = system(vec![endpoint("/ws", "Get", READ)]);
        for (body, wanted) in [
            ("<x:Get xmlns:x=\"urn:p\"/>", READ),
            ("<x:Get xmlns:x=\"urn:other\"/>", HIGH),
            ("<Get/>", HIGH),
            ("<Get xmlns=\"URN:P\"/>", HIGH),
        ] {
            assert_eq!(sent(&found, "/ws", "urn:Get", body).unwrap(), wanted, "{body}");
        }
    }
}
