//! Fields of a SOAP operation: as parameters, and the namespaces they stand in.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use satchel_model::catalog::{
    endpoint::{Parameter, ParameterPlace},
    style::Style,
    xml_name,
};

/// Returns whether most fields stand in no namespace.
pub(super) fn are_bare(fields: &[Parameter]) -> bool {
    // What repeats says it of each.
    let one =
        |field: &'_ Parameter| xml_name::namespace(field.schema.get("items").unwrap_or(&field.schema)) == Some("");
    let bare = fields.iter().filter(|field| one(field)).count();
    2 * bare > fields.iter().filter(|field| !field.name.starts_with('@')).count()
}

/// Leaves the namespaces of fields out that go without saying in an element of the namespace `around`.
pub(super) fn settle(fields: &mut [Parameter], around: &str) {
    for field in fields.iter_mut().filter(|field| !field.name.starts_with('@')) {
        xml_name::settle(&mut field.schema, around);
    }
}

/// A parameter of a SOAP operation.
pub(super) fn variable(name: String, required: bool, said: &str, schema: Value) -> Parameter {
    let place = ParameterPlace::Variable;
    let (style, members) = (Style::Plain, BTreeMap::new());
    Parameter { name, place, style, members, required, description: said.to_owned(), schema }
}

/// The schema of an object with these fields.
pub(super) fn object(fields: Vec<Parameter>) -> Value {
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name.as_str()).collect();
    let one = |field: &Parameter| {
        let mut schema = field.schema.clone();
        if let (false, Some(map)) = (field.description.is_empty(), schema.as_object_mut()) {
            map.insert("description".to_owned(), json!(field.description));
        }
        (field.name.clone(), schema)
    };
    let properties: Map<String, Value> = fields.iter().map(one).collect();
    json!({"type": "object", "properties": properties, "required": required})
}
