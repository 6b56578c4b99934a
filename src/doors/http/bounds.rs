//! Bounds that derived schemas cannot say by themselves: the range of a number, the entries of a list, which fields a new
//! thing needs where the same draft also changes one there is, and which fields stand for one another.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{error::PROBLEM, path::known_words};
use satchel_model::{
    audit::{AuditOutcome, EventType},
    caller::Door,
    catalog::draft::METHODS,
    settings::{RANGES, Range},
    spec::Risk,
};

/// The formats of unsigned numbers as utoipa calls them, their names in the registry of OpenAPI formats, and their
/// largest value. A `usize` has no format.
const UNSIGNED: [(Option<&str>, &str, u64); 5] = [
    (Some("u-int8"), "uint8", u8::MAX as u64),
    (Some("u-int16"), "uint16", u16::MAX as u64),
    (Some("u-int32"), "uint32", u32::MAX as u64),
    (Some("u-int64"), "uint64", u64::MAX),
    (None, "uint64", u64::MAX),
];
/// Makes a schema.
type Needed = fn() -> Value;

/// The path of a POST, and what its body needs beside what its schema says by itself.
const NEEDED: [(&str, Needed); 5] = [
    ("/api/catalog/systems", || given(&["name"], &[])),
    ("/api/catalog/systems/{id}/endpoints", || json!({"allOf": [given(&["name"], &[]), reached()]})),
    ("/api/catalog/import/apply", || either("system_id", within("system", given(&["name"], &[])))),
    ("/api/providers", || given(&["kind", "model"], &[])),
    ("/api/providers/test", || either("stored", within("provider", given(&["kind"], &[])))),
];

/// An operation and a status, with which it answers a plain problem too.
const OR_A_PROBLEM: [(&str, &str); 1] = [("/api/tools/{name}/invoke", "409")];

/// A schema, a list of it, and the longest an entry may be, in characters.
const ENTRIES: [(&str, &str, usize); 4] = [
    ("ProcessDraft", "tags", 120),
    ("ProcessDraft", "depends_on", 120),
    ("ProcessStep", "depends_on", 120),
    ("SystemDraft", "tags", 50),
];

/// A schema, and the fields of which exactly one is given, each with those it needs beside it.
const ONE_OF: [(&str, [&[&str]; 2]); 3] = [
    ("ImportSource", [&["text"], &["url"]]),
    ("NewText", [&["text", "title"], &["url"]]),
    ("WhyNotFound", [&["document_id"], &["chunk_id"]]),
];

/// A schema, and the two fields of which at most one is given.
const NOT_BOTH: [(&str, [&str; 2]); 1] = [("BackupOpener", ["identity", "passphrase"])];

/// Characters of one line.
const ONE_LINE: &str = r"^[^\x00-\x1f\x7f-\x9f]*$";

/// The words a parameter takes.
type Vocabulary = fn() -> Vec<String>;

/// Query parameters of the audit that take words by commas, and the words there are.
const WORDS: [(&str, Vocabulary); 4] = [
    ("event_type", known_words::<EventType>),
    ("outcome", known_words::<AuditOutcome>),
    ("risk", known_words::<Risk>),
    ("door", known_words::<Door>),
];

/// The forms of files: a part of another name is refused.
const FORMS: [&str; 4] = ["FileForm", "FilesForm", "RestoreForm", "StorageForm"];

/// Completes the document, as JSON.
pub(super) fn complete(document: &mut Value) {
    bound(document);
    words(document);
    ranges(document);
    for (path, needed) in NEEDED {
        if let Some(schema) = post(document, path)
            .and_then(|operation| operation.get_mut("requestBody")?.get_mut("content"))
            .and_then(|content| content.get_mut("application/json")?.get_mut("schema"))
        {
            let draft = schema.take();
            *schema = json!({"allOf": [draft, needed()]});
        }
    }
    for (path, status) in OR_A_PROBLEM {
        if let Some(schema) = post(document, path)
            .and_then(|operation| operation.get_mut("responses")?.get_mut(status)?.get_mut("content"))
            .and_then(|content| content.get_mut(PROBLEM)?.get_mut("schema"))
        {
            let own = schema.take();
            *schema = json!({"anyOf": [own, {"$ref": "#/components/schemas/Problem"}]});
        }
    }
    for name in FORMS {
        insert(document, name, "additionalProperties", json!(false));
    }
    for (name, both) in NOT_BOTH {
        insert(document, name, "not", given(&both, &[]));
    }
    for (name, [one, other]) in ONE_OF {
        if let ([a, ..], [b, ..]) = (one, other) {
            insert(document, name, "oneOf", json!([given(one, &[b]), given(other, &[a])]));
        }
    }
    for (name, list, longest) in ENTRIES {
        let entry = format!("{name}/properties/{list}/items");
        insert(document, &entry, "maxLength", json!(longest));
        insert(document, &entry, "pattern", json!(ONE_LINE));
    }
    let methods: Vec<Option<&str>> = METHODS.iter().copied().map(Some).chain([None]).collect();
    insert(document, "EndpointDraft/properties/method", "enum", json!(methods));
    open_flattened(document);
}

/// Writes out, without `additionalProperties: false`, what is flattened into a larger object: the other fields of that
/// stand beside it.
fn open_flattened(document: &mut Value) {
    let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else { return };
    let is_closed = |schema: &Value| schema.get("additionalProperties") == Some(&json!(false));
    let open = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        schema.as_object_mut()?.shift_remove("additionalProperties");
        Some((format!("#/components/schemas/{name}"), schema))
    };
    let opened: HashMap<String, Value> =
        schemas.iter().filter(|(_, schema)| is_closed(schema)).filter_map(open).collect();
    let parts = schemas.values_mut().filter_map(|schema| schema.get_mut("allOf")?.as_array_mut()).flatten();
    for part in parts {
        if let Some(schema) = part.get("$ref").and_then(Value::as_str).and_then(|place| opened.get(place)) {
            *part = schema.clone();
        }
    }
}

fn post<'a>(document: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    document.get_mut("paths")?.get_mut(path)?.get_mut("post")
}

/// Puts a keyword into a schema of the components, or into one within it.
fn insert(document: &mut Value, schema: &str, keyword: &str, value: Value) {
    let schema = document.pointer_mut(&format!("/components/schemas/{schema}")).and_then(Value::as_object_mut);
    if let Some(schema) = schema {
        schema.insert(keyword.to_owned(), value);
    }
}

/// Gives the numbers among the settings the ranges they are held to.
fn ranges(document: &mut Value) {
    for Range { name, least, most, .. } in RANGES {
        let Some((group, number)) = name.split_once('.') else { continue };
        let group = document.pointer(&format!("/components/schemas/Settings/properties/{group}/$ref"));
        let Some(group) = group.and_then(Value::as_str).and_then(|place| place.rsplit('/').next()) else { continue };
        let number = format!("{group}/properties/{number}");
        insert(document, &number, "minimum", json!(least));
        insert(document, &number, "maximum", json!(most));
    }
}

/// The schema of an endpoint that says where it is: by its path, or by another protocol's operation.
fn reached() -> Value {
    let other = json!({"type": "object", "required": ["protocol"],
        "properties": {"protocol": {"enum": ["graphql", "soap", "grpc", "websocket"]}}});
    either("path", within("operation", other))
}

/// The schema of an object that has this field, not null, or else is as the other schema says.
fn either(field: &str, other: Value) -> Value {
    json!({"anyOf": [given(&[field], &[]), other]})
}

/// The schema of an object with a field that is as this schema says.
fn within(field: &str, schema: Value) -> Value {
    json!({"type": "object", "required": [field], "properties": {field: schema}})
}

/// Gives the lists of words their pattern.
fn words(document: &mut Value) {
    for (name, known) in WORDS {
        let word = known().join("|");
        let paths = document.get_mut("paths").and_then(Value::as_object_mut).into_iter().flatten();
        let operations =
            paths.filter(|(path, _)| path.starts_with("/api/audit")).filter_map(|(_, item)| item.get_mut("get"));
        let parameters = operations.filter_map(|operation| operation.get_mut("parameters")?.as_array_mut()).flatten();
        for parameter in parameters.filter(|parameter| parameter.get("name").is_some_and(|given| given == name)) {
            if let Some(schema) = parameter.get_mut("schema").and_then(Value::as_object_mut) {
                schema.insert("pattern".to_owned(), format!(r"^\s*({word})?\s*(,\s*({word})?\s*)*$").into());
            }
        }
    }
}

/// The schema of an object that has these fields, not null, and lacks the others or has null in their place.
fn given(fields: &[&str], absent: &[&str]) -> Value {
    let present = fields.iter().map(|field| ((*field).to_owned(), json!({"not": {"type": "null"}})));
    let absent = absent.iter().map(|field| ((*field).to_owned(), json!({"type": "null"})));
    let properties: Map<String, Value> = present.chain(absent).collect();
    json!({"type": "object", "required": fields, "properties": properties})
}

/// Gives every unsigned number its format, and the `maximum` of its type where it names none.
pub(super) fn bound(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(bound),
        Value::Object(fields) => {
            if let Some((format, largest)) = unsigned(fields) {
                fields.insert("format".to_owned(), format.into());
                fields.entry("maximum").or_insert_with(|| largest.into());
            }
            fields.values_mut().for_each(bound);
        }
        _ => {}
    }
}

fn unsigned(schema: &Map<String, Value>) -> Option<(&'static str, u64)> {
    let kind = schema.get("type")?;
    let integer = kind == "integer" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "integer"));
    let given = schema.get("format").and_then(Value::as_str);
    let (_, format, largest) = UNSIGNED.iter().find(|(name, ..)| *name == given)?;
    (integer && schema.contains_key("minimum")).then_some((*format, *largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsigned_number_has_the_range_of_its_type_unless_it_names_its_own() {
        let number = |format: &str| json!({"type": ["integer", "null"], "format": format, "minimum": 0});
        let mut document = json!({"a": number("u-int8"), "b": [number("u-int32")], "c": number("int32"),
            "d": {"type": "integer", "minimum": 0}, "e": {"type": "integer", "format": "u-int16", "minimum": 1, "maximum": 7}});
        complete(&mut document);
        let found = |at: &str| {
            let schema = document.pointer(at).unwrap();
            (schema["format"].as_str().unwrap(), schema["maximum"].as_u64())
        };
        assert_eq!(found("/a"), ("uint8", Some(255)));
        assert_eq!(found("/b/0"), ("uint32", Some(u64::from(u32::MAX))));
        assert_eq!(found("/c"), ("int32", None));
        assert_eq!(found("/d"), ("uint64", Some(u64::MAX)));
        assert_eq!(found("/e"), ("uint16", Some(7)));
    }

    #[test]
    fn every_field_that_is_needed_stands_in_the_document() {
        let document: Value = serde_json::from_str(include_str!("../../../openapi.json")).unwrap();
        for (path, needed) in NEEDED {
            let schema = &document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
            assert_eq!(schema["allOf"][1], needed(), "{path}");
        }
        for (path, status) in OR_A_PROBLEM {
            let schema = &document["paths"][path]["post"]["responses"][status]["content"][PROBLEM]["schema"];
            assert_eq!(schema["anyOf"][1]["$ref"], "#/components/schemas/Problem", "{path}");
        }
        let schemas = &document["components"]["schemas"];
        for (name, list, longest) in ENTRIES {
            let entry = &schemas[name]["properties"][list]["items"];
            assert_eq!((&entry["maxLength"], &entry["pattern"]), (&json!(longest), &json!(ONE_LINE)), "{name}.{list}");
        }
        let flattened = schemas.as_object().unwrap().values().filter_map(|schema| schema["allOf"].as_array()).flatten();
        for part in flattened.filter_map(|part| part["$ref"].as_str()) {
            let schema = document.pointer(part.trim_start_matches('#')).unwrap();
            assert!(schema.get("additionalProperties").is_none(), "{part} allows no fields beside its own");
        }
        assert_eq!(schemas["EndpointDraft"]["properties"]["method"]["enum"].as_array().map(Vec::len), Some(8));
        for Range { name, least, most, .. } in RANGES {
            let (group, number) = name.split_once('.').unwrap();
            let group = schemas["Settings"]["properties"][group]["$ref"].as_str().unwrap();
            let number = &schemas[group.rsplit('/').next().unwrap()]["properties"][number];
            assert_eq!((&number["minimum"], &number["maximum"]), (&json!(least), &json!(most)), "{name}");
        }
        let found = document["paths"]["/api/audit"]["get"]["parameters"].as_array().unwrap();
        for (name, known) in [("event_type", "chat_turn"), ("outcome", "success"), ("risk", "read"), ("door", "job")] {
            let parameter = found.iter().find(|parameter| parameter["name"] == name).unwrap();
            let pattern = regex::Regex::new(parameter["schema"]["pattern"].as_str().unwrap()).unwrap();
            assert!(pattern.is_match(&format!(" {known}, ,{known}")) && pattern.is_match(""), "{pattern}");
            assert!(!pattern.is_match("zzz") && !pattern.is_match(&format!("{known} {known}")), "{pattern}");
        }
        for name in FORMS {
            assert_eq!(document["components"]["schemas"][name]["additionalProperties"], json!(false), "{name}");
        }
        for (name, fields) in NOT_BOTH {
            assert_eq!(document["components"]["schemas"][name]["not"]["required"], json!(fields), "{name}");
        }
        for (name, fields) in ONE_OF {
            let either = &document["components"]["schemas"][name]["oneOf"];
            assert_eq!(
                [&either[0]["required"], &either[1]["required"]],
                fields.map(|fields| json!(fields)).each_ref(),
                "{name}"
            );
        }
    }
}
