//! Schemas derived from Rust types, in the form a model reads.

use schemars::{JsonSchema, generate::SchemaSettings, transform::transform_subschemas};
use serde_json::{Map, Value, json};

/// The schema of a type's values: one flat object, no `$ref`, optional fields simply absent from `required`.
pub(super) fn document<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    strip(&mut schema);
    let mut document = schema.to_value();
    if let Value::Object(map) = &mut document {
        map.remove("description");
        map.entry("properties").or_insert_with(|| json!({}));
    }

    document
}

/// Drops what a reader of the schema does not need: titles, Rust's number formats, and `null` as a type.
fn strip(schema: &mut schemars::Schema) {
    transform_subschemas(&mut |s: &mut schemars::Schema| strip(s), schema);
    let Some(map) = schema.as_object_mut() else { return };
    map.remove("title");
    if map
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|f| f.starts_with("uint") || f.starts_with("int") || f == "double")
    {
        map.remove("format");
    }
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(variants)) = map.get_mut("enum") {
        variants.retain(|v| !v.is_null());
    }
    if map.get("default").is_some_and(Value::is_null) {
        map.remove("default");
    }
    flatten_nullable(map);
}

/// `anyOf: [X, null]`, what an optional enum becomes, is X.
fn flatten_nullable(map: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = map.get("anyOf") else { return };
    let is_null = |v: &Value| v.get("type").and_then(Value::as_str) == Some("null");
    if let [one, other] = options.as_slice()
        && is_null(other)
        && let Value::Object(inner) = one.clone()
    {
        map.remove("anyOf");
        for (key, value) in inner {
            map.entry(key).or_insert(value);
        }
    }
}
