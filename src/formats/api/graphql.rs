//! GraphQL: an introspection's answer, each field of query and mutation as an operation with a document of its own.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};
use url::Url;

use super::{graphql_selection::Selecting, schema::allow_null, text};
use crate::model::{
    catalog::{
        endpoint::{Operation, Parameter, ParameterPlace},
        proposal::{Proposal, Proposals},
        style::Style,
    },
    error::{Error, Result},
    spec::Risk,
};

/// What is asked of a system to know its schema.
pub const INTROSPECTION: &str = "query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name } types { \
     kind name description fields(includeDeprecated: false) { name description args { ...In } type { ...T } } \
     inputFields { ...In } enumValues(includeDeprecated: false) { name } possibleTypes { name } } } } \
     fragment In on __InputValue { name description defaultValue type { ...T } } \
     fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } }";

/// Most fields of an input that are told, and how deep.
const MAX_FIELDS: usize = 60;
const MAX_DEPTH: usize = 3;

/// The types of a schema by their names.
pub(super) type Types<'a> = HashMap<&'a str, &'a Value>;

/// Reads an introspection. `from` is where the system is asked.
pub fn read(document: &Value, from: Option<&Url>) -> Result<Proposals> {
    let schema = document.get("__schema").or_else(|| document.pointer("/data/__schema"));
    let schema = schema.ok_or_else(|| Error::invalid("The introspection has no `__schema`."))?;
    let types: Types<'_> = schema
        .get("types")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|one| Some((one.get("name")?.as_str()?, one)))
        .collect();
    let path = from.map_or("/graphql", |url| url.path()).to_owned();
    let mut operations = Vec::new();
    for (root, kind, risk) in [("queryType", "query", Risk::Read), ("mutationType", "mutation", Risk::HighWrite)] {
        let Some(name) = schema.get(root).and_then(|root| root.get("name")).and_then(Value::as_str) else { continue };
        let fields = types.get(name).and_then(|one| one.get("fields")).and_then(Value::as_array);
        for field in fields.into_iter().flatten() {
            operations.extend(operation(field, (kind, risk), &path, &types));
        }
    }
    let mut warnings = Vec::new();
    if operations.is_empty() {
        warnings.push("The schema has neither queries nor mutations.".to_owned());
    }
    warnings.extend(subscriptions(schema, &types));
    Ok(Proposals {
        format: "GraphQL".to_owned(),
        title: from.and_then(Url::host_str).unwrap_or("GraphQL").to_owned(),
        base_url: from.map(|url| url.origin().ascii_serialization()),
        operations,
        warnings,
        ..Proposals::default()
    })
}

/// What is said of subscriptions, where the schema has some.
fn subscriptions(schema: &Value, types: &Types<'_>) -> Option<String> {
    let name = schema.pointer("/subscriptionType/name")?.as_str()?;
    let fields = types.get(name)?.get("fields")?.as_array()?;
    let names: Vec<&str> = fields.iter().filter_map(name_of).collect();
    let names = text::cut(&names.join(", "), 200);
    let told = format!("Subscriptions are left out, only queries and mutations are called: {names}.");
    (!names.is_empty()).then_some(told)
}

fn operation(field: &Value, (kind, risk): (&str, Risk), path: &str, types: &Types<'_>) -> Option<Proposal> {
    let name = field.get("name")?.as_str()?;
    let args: Vec<&Value> = field.get("args").and_then(Value::as_array).into_iter().flatten().collect();
    let parameters: Vec<Parameter> = args.iter().filter_map(|arg| variable(arg, types)).collect();
    let declared: Vec<String> =
        args.iter().filter_map(|arg| Some(format!("${}: {}", name_of(arg)?, written(arg.get("type")?)))).collect();
    let passed: Vec<String> =
        args.iter().filter_map(|arg| name_of(arg)).map(|name| format!("{name}: ${name}")).collect();
    let brackets = |list: &[String]| if list.is_empty() { String::new() } else { format!("({})", list.join(", ")) };
    let mut selecting = Selecting::of(types);
    let selection = selecting.selection(field.get("type")?, 0);
    let query = format!("{kind} {name}{} {{ {name}{}{selection} }}", brackets(&declared), brackets(&passed));
    let description = text::tidy(field.get("description").and_then(Value::as_str).unwrap_or_default());
    let mut warnings = Vec::new();
    if description.is_empty() {
        warnings.push("It has no description: a model will not know when to use it. Write one line.".to_owned());
    }
    if selecting.left_out {
        let told = "Its answer has several kinds, which are not asked for in full: complete its GraphQL document.";
        warnings.push(told.to_owned());
    }
    Some(Proposal {
        key: format!("{kind}:{name}"),
        group: Some(if kind == "query" { "Queries" } else { "Mutations" }.to_owned()),
        name: name.to_owned(),
        operation: Operation::Graphql { query, operation_name: Some(name.to_owned()) },
        method: "POST".to_owned(),
        path: path.to_owned(),
        parameters,
        description,
        when_to_use: String::new(),
        risk,
        warnings,
        elsewhere: false,
    })
}

pub(super) fn name_of(value: &Value) -> Option<&str> {
    value.get("name")?.as_str()
}

fn variable(arg: &Value, types: &Types<'_>) -> Option<Parameter> {
    let kind = arg.get("type")?;
    Some(Parameter {
        name: name_of(arg)?.to_owned(),
        place: ParameterPlace::Variable,
        style: Style::Plain,
        members: BTreeMap::new(),
        required: is_required(arg),
        description: text::tidy(arg.get("description").and_then(Value::as_str).unwrap_or_default()),
        schema: schema(kind, types, 0),
    })
}

pub(super) fn is_required(arg: &Value) -> bool {
    let non_null = arg.pointer("/type/kind").and_then(Value::as_str) == Some("NON_NULL");
    non_null && arg.get("defaultValue").is_none_or(Value::is_null)
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

/// What stands within a value, which may be null unless the type says otherwise.
fn value(kind: &Value, types: &Types<'_>, depth: usize) -> Value {
    let mut schema = schema(kind, types, depth);
    let is_nullable = kind.get("kind").and_then(Value::as_str) != Some("NON_NULL");
    if let (true, Some(map)) = (is_nullable, schema.as_object_mut()) {
        // Of choices the type is plain.
        if map.contains_key("enum") {
            map.remove("type");
        }
        allow_null(map);
    }
    schema
}

/// A type of input as JSON Schema.
fn schema(kind: &Value, types: &Types<'_>, depth: usize) -> Value {
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
        (Some("ENUM"), Some(name)) => {
            let values = types.get(name).and_then(|one| one.get("enumValues")).and_then(Value::as_array);
            let names: Vec<&str> = values.into_iter().flatten().filter_map(name_of).take(200).collect();
            if names.is_empty() { json!({"type": "string"}) } else { json!({"type": "string", "enum": names}) }
        }
        (Some("INPUT_OBJECT"), Some(name)) if depth < MAX_DEPTH => input(name, types, depth + 1),
        (Some("INPUT_OBJECT"), _) => json!({"type": "object"}),
        _ => json!({}),
    }
}

fn input(name: &str, types: &Types<'_>, depth: usize) -> Value {
    let fields = types.get(name).and_then(|one| one.get("inputFields")).and_then(Value::as_array);
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in fields.into_iter().flatten().take(MAX_FIELDS) {
        let (Some(name), Some(kind)) = (name_of(field), field.get("type")) else { continue };
        properties.insert(name.to_owned(), value(kind, types, depth));
        if is_required(field) {
            required.push(name);
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if let (false, Some(map)) = (required.is_empty(), schema.as_object_mut()) {
        map.insert("required".to_owned(), json!(required));
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_mark_may_be_null_within_an_input() {
        let (int, color) = (json!({"kind": "SCALAR", "name": "Int"}), json!({"kind": "ENUM", "name": "Color"}));
        let must = |of: &Value| json!({"kind": "NON_NULL", "ofType": of});
        let list = |of: &Value| json!({"kind": "LIST", "ofType": of});
        let fields = json!([
            {"name": "age", "type": int}, {"name": "id", "type": must(&int)}, {"name": "color", "type": color},
            {"name": "tags", "type": list(&must(&int))},
        ]);
        let input = json!({"kind": "INPUT_OBJECT", "name": "In", "inputFields": fields});
        let values = json!({"kind": "ENUM", "name": "Color", "enumValues": [{"name": "RED"}]});
        let types: Types<'_> = [("In", &input), ("Color", &values)].into_iter().collect();
        let arg = json!({"name": "input", "type": {"kind": "INPUT_OBJECT", "name": "In"}});
        let schema = variable(&arg, &types).unwrap().schema;
        let wanted = json!({"type": "object", "required": ["id"], "properties": {
            "age": {"type": ["integer", "null"]},
            "id": {"type": "integer"},
            "color": {"enum": ["RED", null]},
            "tags": {"type": ["array", "null"], "items": {"type": "integer"}},
        }});
        assert_eq!(schema, wanted);
    }
}
