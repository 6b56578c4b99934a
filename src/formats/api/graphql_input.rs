//! The input of a GraphQL operation: its arguments as parameters, with the types of input as JSON Schema.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    budget::is_small,
    graphql::Types,
    graphql_sdl,
    schema::{MAX_NAME, allow_null},
    text,
};
use satchel_model::catalog::{
    endpoint::{Parameter, ParameterPlace},
    style::Style,
};

/// Most fields of an input that are told, and how deep.
const MAX_FIELDS: usize = 60;
const MAX_DEPTH: usize = 3;
/// Most values of an enum that are told.
const MAX_VALUES: usize = 200;
/// The scalar for files: they are sent in a way no part of GraphQL describes.
const FILE: &str = "Upload";
/// The types of a scalar nothing is known of.
const ANYTHING: &[&str] = &["string", "number", "boolean", "object", "array", "null"];
/// The note on an argument of a mutation that may be null.
const CLEARS: &str = "Null clears it: leave it out where nothing is meant.";

/// An argument as a parameter; `None` if it takes a file.
pub(super) fn variable(arg: &Value, types: &Types<'_>, is_mutation: bool) -> Option<Parameter> {
    let kind = arg.get("type").filter(|kind| !is_file(kind))?;
    let mut schema = schema(kind, types, 0);
    let mut words = vec![words_of(arg)];
    if let Some(map) = schema.as_object_mut() {
        words.extend(map.remove("description").and_then(|told| told.as_str().map(str::to_owned)));
        let default = default(arg);
        // A null would switch a default off: nothing a reader means.
        if is_nullable(kind) && (is_mutation || default.is_none()) {
            null_too(map);
            if !map.contains_key("enum") {
                map.entry("type").or_insert_with(|| json!(ANYTHING));
            }
            words.extend(is_mutation.then(|| CLEARS.to_owned()));
        }
        map.extend(default.map(|default| ("default".to_owned(), default)));
    }
    words.retain(|words| !words.is_empty());
    Some(Parameter {
        name: name_of(arg)?.to_owned(),
        place: ParameterPlace::Variable,
        style: Style::Plain,
        members: BTreeMap::new(),
        required: is_required(arg),
        description: words.join(" "),
        schema,
    })
}

/// An argument as a document declares its variable. Where it has a default, the variable may be left out
/// (<https://spec.graphql.org/October2021/#IsVariableUsageAllowed()>).
pub(super) fn declared(arg: &Value) -> Option<String> {
    let kind = written(arg.get("type")?);
    let plain = if is_required(arg) { kind.as_str() } else { kind.trim_end_matches('!') };
    Some(format!("${}: {plain}", name_of(arg)?))
}

/// Returns whether nothing can be given for an argument but a file, and it must be given.
pub(super) fn requires_file(arg: &Value, types: &Types<'_>, depth: usize) -> bool {
    let Some(kind) = arg.get("type").filter(|_| is_required(arg) && depth < MAX_DEPTH && !types.is_spent()) else {
        return false;
    };
    types.take(0);
    let of = name_of(innermost(kind)).and_then(|name| types.get(name));
    let fields = of.and_then(|of| of.get("inputFields")).and_then(Value::as_array);
    is_file(kind) || fields.into_iter().flatten().any(|field| requires_file(field, types, depth + 1))
}

/// Returns whether a type is that of files, or of a list of them.
pub(super) fn is_file(kind: &Value) -> bool {
    name_of(innermost(kind)) == Some(FILE)
}

pub(super) fn name_of(value: &Value) -> Option<&str> {
    value.get("name")?.as_str()
}

/// Returns whether an argument must be given.
pub(super) fn is_required(arg: &Value) -> bool {
    arg.get("type").is_some_and(|kind| !is_nullable(kind)) && arg.get("defaultValue").is_none_or(Value::is_null)
}

/// A type without what says that it is a list, or never null.
pub(super) fn innermost(kind: &Value) -> &Value {
    let mut named = kind;
    while let Some(inner) = named.get("ofType").filter(|inner| inner.is_object()) {
        named = inner;
    }
    named
}

/// A type as documents write it.
pub(super) fn written(kind: &Value) -> String {
    let inner = || kind.get("ofType").map(written).unwrap_or_default();
    match kind.get("kind").and_then(Value::as_str) {
        Some("NON_NULL") => format!("{}!", inner()),
        Some("LIST") => format!("[{}]", inner()),
        _ => name_of(kind).unwrap_or("String").to_owned(),
    }
}

fn is_nullable(kind: &Value) -> bool {
    kind.get("kind").and_then(Value::as_str) != Some("NON_NULL")
}

/// Returns the value a schema gives where nothing is said; a null says no more than nothing.
fn default(arg: &Value) -> Option<Value> {
    graphql_sdl::literal(arg.get("defaultValue")?.as_str()?).filter(|default| !default.is_null() && is_small(default))
}

fn words_of(value: &Value) -> String {
    text::tidy(value.get("description").and_then(Value::as_str).unwrap_or_default())
}

fn null_too(map: &mut Map<String, Value>) {
    // Of choices the type is plain.
    if map.contains_key("enum") {
        map.remove("type");
    }
    allow_null(map);
}

/// Returns the schema of what stands within a value, which may be null unless the type says otherwise.
fn value(kind: &Value, types: &Types<'_>, depth: usize) -> Value {
    let mut schema = schema(kind, types, depth);
    if let (true, Some(map)) = (is_nullable(kind), schema.as_object_mut()) {
        null_too(map);
    }
    schema
}

/// A type of input as JSON Schema.
fn schema(kind: &Value, types: &Types<'_>, depth: usize) -> Value {
    types.take(name_of(kind).map_or(0, str::len));
    let inner = || kind.get("ofType").map_or_else(|| json!({}), |inner| schema(inner, types, depth));
    match (kind.get("kind").and_then(Value::as_str), name_of(kind)) {
        (Some("NON_NULL"), _) => inner(),
        (Some("LIST"), _) => {
            let items = kind.get("ofType").map_or_else(|| json!({}), |inner| value(inner, types, depth));
            json!({"type": "array", "items": items})
        }
        (_, Some("Int")) => json!({"type": "integer"}),
        (_, Some("Float")) => json!({"type": "number"}),
        (_, Some("Boolean")) => json!({"type": "boolean"}),
        (_, Some("String" | "ID")) => json!({"type": "string"}),
        (Some("ENUM"), Some(name)) if !types.is_spent() => {
            let values = types.get(name).and_then(|one| one.get("enumValues")).and_then(Value::as_array);
            let names = values.into_iter().flatten().filter_map(name_of).filter(|name| name.len() <= MAX_NAME);
            let names: Vec<&str> = names.take(MAX_VALUES).collect();
            types.take(names.iter().map(|name| name.len()).sum());
            if names.is_empty() { json!({"type": "string"}) } else { json!({"type": "string", "enum": names}) }
        }
        (Some("ENUM"), _) => json!({"type": "string"}),
        (Some("INPUT_OBJECT"), Some(name)) if depth < MAX_DEPTH && !types.is_spent() => input(name, types, depth + 1),
        (Some("INPUT_OBJECT"), _) => json!({"type": "object"}),
        (_, Some(name)) => scalar(name, types),
        _ => json!({}),
    }
}

/// A scalar a system made up: its name and what it is said to be, and the format of those that are well known.
fn scalar(name: &str, types: &Types<'_>) -> Value {
    let text = |format: &str| json!({"type": "string", "format": format});
    let mut schema = match name {
        "DateTime" | "Timestamp" => text("date-time"),
        "Date" => text("date"),
        "Time" => text("time"),
        "UUID" => text("uuid"),
        "URL" | "URI" => text("uri"),
        "Email" | "EmailAddress" => text("email"),
        "JSONObject" => json!({"type": "object"}),
        "BigInt" | "Long" => json!({"type": ["integer", "string"]}),
        "Decimal" | "BigDecimal" => json!({"type": ["number", "string"]}),
        _ => json!({}),
    };
    let words = types.get(name).map(|one| text::first_sentence(&words_of(one))).unwrap_or_default();
    let told = if words.is_empty() { format!("Of type {name}.") } else { format!("Of type {name}: {words}") };
    if let Some(map) = schema.as_object_mut() {
        map.insert("description".to_owned(), Value::String(told));
    }
    schema
}

fn input(name: &str, types: &Types<'_>, depth: usize) -> Value {
    let of = types.get(name);
    let fields = of.and_then(|one| one.get("inputFields")).and_then(Value::as_array);
    let is_one_of = of.and_then(|one| one.get("isOneOf")).and_then(Value::as_bool).unwrap_or_default();
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in fields.into_iter().flatten().take(MAX_FIELDS) {
        let (Some(name), Some(kind)) = (name_of(field), field.get("type")) else { continue };
        if is_file(kind) || name.len() > MAX_NAME {
            continue;
        }
        // The one field that is given is never null.
        let mut schema = if is_one_of { schema(kind, types, depth) } else { value(kind, types, depth) };
        if let Some(map) = schema.as_object_mut() {
            let words = text::first_sentence(&words_of(field));
            types.take(name.len() + words.len());
            describe(map, words);
            map.extend(default(field).map(|default| ("default".to_owned(), default)));
        }
        properties.insert(name.to_owned(), schema);
        if is_required(field) {
            required.push(name);
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    let Some(map) = schema.as_object_mut() else { return schema };
    if !required.is_empty() {
        map.insert("required".to_owned(), json!(required));
    }
    if is_one_of {
        map.insert("description".to_owned(), json!("Exactly one of its fields is given."));
        map.extend(["minProperties", "maxProperties"].map(|word| (word.to_owned(), json!(1))));
    }
    schema
}

/// Puts words before those a schema has of itself.
fn describe(schema: &mut Map<String, Value>, words: String) {
    let own = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let told = format!("{words} {own}");
    if !told.trim().is_empty() {
        schema.insert("description".to_owned(), json!(told.trim()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(kind: &str, name: &str) -> Value {
        json!({"kind": kind, "name": name})
    }

    fn must(of: &Value) -> Value {
        json!({"kind": "NON_NULL", "ofType": of})
    }

    fn list(of: &Value) -> Value {
        json!({"kind": "LIST", "ofType": of})
    }

    #[test]
    fn what_has_no_mark_may_be_null_within_an_input() {
        let (int, color) = (named("SCALAR", "Int"), named("ENUM", "Color"));
        let fields = json!([
            {"name": "age", "type": int}, {"name": "id", "type": must(&int)}, {"name": "color", "type": color},
            {"name": "tags", "type": list(&must(&int))}, {"name": "picture", "type": named("SCALAR", "Upload")},
            {"name": "size", "type": must(&int), "defaultValue": "3"},
            {"name": "at", "description": "When. Or never.", "type": must(&named("SCALAR", "Date"))},
        ]);
        let input = json!({"kind": "INPUT_OBJECT", "name": "In", "inputFields": fields});
        let values = json!({"kind": "ENUM", "name": "Color", "enumValues": [{"name": "RED"}]});
        let types: Types<'_> = [("In", &input), ("Color", &values)].into_iter().collect();
        let arg = json!({"name": "input", "type": must(&named("INPUT_OBJECT", "In"))});
        let schema = variable(&arg, &types, true).unwrap().schema;
        let wanted = json!({"type": "object", "required": ["id", "at"], "properties": {
            "at": {"type": "string", "format": "date", "description": "When. Of type Date."},
            "age": {"type": ["integer", "null"]},
            "id": {"type": "integer"},
            "color": {"enum": ["RED", null]},
            "tags": {"type": ["array", "null"], "items": {"type": "integer"}},
            "size": {"type": "integer", "default": 3},
        }});
        assert_eq!(schema, wanted);
    }

    #[test]
    fn an_argument_with_a_default_may_be_left_out_and_tells_it() {
        let types = Types::from_iter([]);
        let order =
            json!({"name": "by", "type": must(&named("INPUT_OBJECT", "Order")), "defaultValue": "{field: NAME}"});
        assert_eq!(declared(&order).unwrap(), "$by: Order");
        assert_eq!(variable(&order, &types, false).unwrap().schema["default"], json!({"field": "NAME"}));
        let first = json!({"name": "first", "type": must(&named("SCALAR", "Int")), "defaultValue": "5"});
        let read = variable(&first, &types, false).unwrap();
        assert_eq!((declared(&first).unwrap().as_str(), read.required), ("$first: Int", false));
        assert_eq!(read.schema, json!({"type": "integer", "default": 5}));
        let ids = json!({"name": "ids", "type": must(&list(&must(&named("SCALAR", "ID"))))});
        assert_eq!(declared(&ids).unwrap(), "$ids: [ID!]!");
    }

    #[test]
    fn null_may_be_given_where_it_says_something() {
        let types = Types::from_iter([]);
        let schema = |arg: &Value, is_mutation| {
            let read = variable(arg, &types, is_mutation).unwrap();
            (read.schema, read.description)
        };
        let name = json!({"name": "name", "description": "The name.", "type": named("SCALAR", "String")});
        let null = json!({"type": ["string", "null"]});
        let told = format!("The name. {CLEARS}");
        assert_eq!(schema(&name, true), (null.clone(), told));
        assert_eq!(schema(&name, false), (null, "The name.".to_owned()));
        let page = json!({"name": "page", "type": named("SCALAR", "Int"), "defaultValue": "1"});
        assert_eq!(schema(&page, false).0, json!({"type": "integer", "default": 1}));
        let any = json!({"name": "any", "type": named("SCALAR", "Any")});
        assert!(satchel_model::catalog::endpoint::is_nullable(&schema(&any, true).0));
    }

    #[test]
    fn a_scalar_tells_its_name_its_format_and_what_it_is() {
        let money = json!({"kind": "SCALAR", "name": "Money", "description": "Cents. Never a fraction."});
        let types: Types<'_> = [("Money", &money)].into_iter().collect();
        let told = |name: &str| {
            let read = variable(&json!({"name": "x", "type": must(&named("SCALAR", name))}), &types, false).unwrap();
            (read.schema, read.description)
        };
        assert_eq!(told("Money"), (json!({}), "Of type Money: Cents.".to_owned()));
        assert_eq!(
            told("DateTime"),
            (json!({"type": "string", "format": "date-time"}), "Of type DateTime.".to_owned())
        );
        assert_eq!(told("Long").0, json!({"type": ["integer", "string"]}));
    }

    #[test]
    fn one_of_several_fields_is_given() {
        let text = named("SCALAR", "String");
        let fields = json!([{"name": "id", "type": text}, {"name": "email", "type": text}]);
        let by = json!({"kind": "INPUT_OBJECT", "name": "By", "isOneOf": true, "inputFields": fields});
        let types: Types<'_> = [("By", &by)].into_iter().collect();
        let read = variable(&json!({"name": "by", "type": must(&named("INPUT_OBJECT", "By"))}), &types, false).unwrap();
        let properties = json!({"id": {"type": "string"}, "email": {"type": "string"}});
        let wanted = json!({"type": "object", "properties": properties, "minProperties": 1, "maxProperties": 1});
        assert_eq!((read.schema, read.description.as_str()), (wanted, "Exactly one of its fields is given."));
    }

    #[test]
    fn an_input_of_inputs_of_inputs_is_bounded() {
        let fields: Vec<Value> =
            (0..60).map(|n| json!({"name": format!("f{n}"), "type": must(&named("INPUT_OBJECT", "In"))})).collect();
        let input = json!({"kind": "INPUT_OBJECT", "name": "In", "inputFields": fields});
        let types: Types<'_> = [("In", &input)].into_iter().collect();
        let arg = json!({"name": "x", "type": must(&named("INPUT_OBJECT", "In"))});
        assert!(!requires_file(&arg, &types, 0) && types.is_spent());
        let types: Types<'_> = [("In", &input)].into_iter().collect();
        let schema = variable(&arg, &types, true).unwrap().schema;
        assert!(types.is_spent() && schema.to_string().len() < 200_000, "{} bytes", schema.to_string().len());
    }
}
