//! The operations of the document, with what each takes.

use serde_json::{Map, Value, json};

/// One method of one path.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub(super) method: String,
    /// With `{name}` for what is filled in.
    pub(super) path: String,
    /// Names and schemas of the query parameters.
    pub(super) query: Vec<(String, Value)>,
    pub(super) body: Option<Body>,
}

/// The body of an operation.
#[derive(Debug, Clone)]
pub(super) struct Body {
    pub(super) required: bool,
    /// None where it is not JSON.
    pub(super) schema: Option<Value>,
    pub(super) content_type: String,
}

/// Every operation, its schemas without references.
pub(super) fn operations(document: &Value) -> Vec<Operation> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let query = operation["parameters"].as_array().into_iter().flatten().filter(|p| p["in"] == "query");
            found.push(Operation {
                method: method.to_ascii_uppercase(),
                path: path.clone(),
                query: query.map(|p| (p["name"].as_str().unwrap().to_owned(), p["schema"].clone())).collect(),
                body: body(document, &operation["requestBody"]),
            });
        }
    }
    found
}

/// A call of each tool as an operation of its own: its arguments are its schema's.
pub(super) fn calls(tools: &Value) -> Vec<Operation> {
    // Arguments that are null are none.
    let nullable = |parameters: &Value| {
        let mut parameters = parameters.clone();
        parameters["nullable"] = json!(true);
        parameters
    };
    let call = |name: &Value, parameters: &Value| Operation {
        method: "POST".to_owned(),
        path: format!("/api/tools/{}/invoke", name.as_str().unwrap()),
        query: Vec::new(),
        body: Some(Body {
            required: true,
            schema: Some(json!({
                "type": "object",
                "required": ["params"],
                "properties": {"params": nullable(parameters)},
                "additionalProperties": false,
            })),
            content_type: "application/json".to_owned(),
        }),
    };
    let mut found = Vec::new();
    for tool in tools.as_array().unwrap() {
        found.push(call(&tool["name"], &tool["parameters"]));
        found
            .extend(tool["aliases"].as_array().unwrap().iter().map(|alias| call(&alias["name"], &alias["parameters"])));
    }
    found
}

fn body(document: &Value, given: &Value) -> Option<Body> {
    let content = given.get("content")?.as_object()?;
    let (content_type, first) = content.get_key_value("application/json").or_else(|| content.iter().next())?;
    let is_json = content_type == "application/json";
    Some(Body {
        required: given["required"] == true,
        schema: is_json.then(|| resolved(document, &first["schema"], 0)),
        content_type: content_type.clone(),
    })
}

/// The schema with every reference replaced by what it refers to; of alternatives the first that is not null.
fn resolved(document: &Value, schema: &Value, depth: usize) -> Value {
    if depth > 8 {
        return json!({});
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#'));
        return resolved(document, target.unwrap_or_else(|| panic!("{reference} leads nowhere")), depth + 1);
    }
    if let (Some(own), Some(first)) =
        (schema.as_object(), schema["oneOf"].get(0).filter(|_| schema["properties"].is_object()))
    {
        return resolved(document, &in_the_first_way(own.clone(), first), depth + 1);
    }
    for word in ["oneOf", "anyOf"] {
        if let Some(options) = schema[word].as_array() {
            let nullable = options.iter().any(|option| option["type"] == "null");
            let first = options.iter().find(|option| option["type"] != "null").unwrap();
            let mut first = resolved(document, first, depth + 1);
            // Of several it is not known which one is meant, so nothing is surely wrong.
            let alternatives = options.iter().filter(|option| option["type"] != "null").count() > 1;
            if alternatives {
                return json!({});
            }
            if nullable && let Some(map) = first.as_object_mut() {
                map.insert("nullable".to_owned(), json!(true));
            }
            return first;
        }
    }
    let Some(map) = schema.as_object() else { return schema.clone() };
    let mut out = Map::new();
    for (key, value) in map {
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let resolve = |(name, value): (&String, &Value)| (name.clone(), resolved(document, value, depth + 1));
                Value::Object(properties.iter().map(resolve).collect())
            }
            ("items", items) => resolved(document, items, depth + 1),
            (_, other) => other.clone(),
        };
        out.insert(key.clone(), value);
    }
    Value::Object(out)
}

/// An object whose fields stand for one another, with those that the first way needs and without those it forbids.
fn in_the_first_way(mut object: Map<String, Value>, first: &Value) -> Value {
    object.remove("oneOf");
    let required: Vec<Value> = first["required"].as_array().cloned().unwrap_or_default();
    let forbidden = first["properties"].as_object().into_iter().flatten().filter(|(_, value)| value["type"] == "null");
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, _) in forbidden {
            properties.shift_remove(name);
        }
    }
    match object.entry("required").or_insert_with(|| json!([])) {
        Value::Array(all) => all.extend(required),
        other => *other = Value::Array(required),
    }
    Value::Object(object)
}
