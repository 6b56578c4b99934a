//! The XML namespace a value is written in: the word `xml` of its schema, as OpenAPI's XML Object has it. What says none
//! stands in the namespace of what is around it; `""` is no namespace.

use serde_json::{Map, Value, json};

/// The namespace a value with this schema says it is written in.
pub fn namespace(schema: &Value) -> Option<&str> {
    schema.get("xml")?.get("namespace")?.as_str()
}

/// Says the namespace of a value with this schema.
pub fn put(schema: &mut Value, namespace: &str) {
    if let Some(map) = schema.as_object_mut() {
        map.insert("xml".to_owned(), json!({"namespace": namespace}));
    }
}

/// Takes out what goes without saying, where `around` is the namespace of the element around it: of this schema, and of
/// the elements in it.
pub fn settle(schema: &mut Value, around: &str) {
    let Some(map) = schema.as_object_mut() else { return };
    // What repeats says it of each.
    if let Some(items) = map.get_mut("items") {
        return settle(items, around);
    }
    let own = map.get("xml").and_then(|xml| xml.get("namespace")?.as_str()).unwrap_or(around).to_owned();
    if own == around {
        map.remove("xml");
    }
    // An attribute stands in no namespace unless it says so.
    let elements = properties(map).filter(|(name, _)| !name.starts_with('@'));
    elements.for_each(|(_, schema)| settle(schema, &own));
}

/// The schema for whoever fills it in: how it is written as XML is left out.
pub fn untold(mut schema: Value) -> Value {
    leave_out(&mut schema);
    schema
}

fn leave_out(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else { return };
    map.remove("xml");
    map.get_mut("items").into_iter().for_each(leave_out);
    properties(map).for_each(|(_, schema)| leave_out(schema));
}

fn properties(schema: &mut Map<String, Value>) -> impl Iterator<Item = (&String, &mut Value)> {
    schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_change_of_the_namespace_is_said_and_callers_do_not_see_it() {
        let named = |namespace: &str, more: Value| {
            let mut schema = more;
            put(&mut schema, namespace);
            schema
        };
        let attribute = named("urn:a", json!({"type": "string"}));
        let inner = named(
            "urn:b",
            json!({"properties": {"same": named("urn:b", json!({})), "@id": attribute, "xml": {"type": "string"}}}),
        );
        let mut schema =
            json!({"properties": {"own": named("urn:a", json!({})), "list": {"type": "array", "items": inner}}});
        settle(&mut schema, "urn:a");
        let inner = json!({"xml": {"namespace": "urn:b"}, "properties": {"same": {}, "@id": attribute, "xml": {"type": "string"}}});
        assert_eq!(schema, json!({"properties": {"own": {}, "list": {"type": "array", "items": inner}}}));
        assert_eq!(namespace(&schema["properties"]["list"]["items"]), Some("urn:b"));
        let inner = json!({"properties": {"same": {}, "@id": {"type": "string"}, "xml": {"type": "string"}}});
        assert_eq!(untold(schema), json!({"properties": {"own": {}, "list": {"type": "array", "items": inner}}}));
    }
}
