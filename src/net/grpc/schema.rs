//! The fields of a message as JSON Schema, in protobuf's JSON spelling.

use prost_reflect::{Cardinality, FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value, json};

/// Messages in messages that are written out.
const MAX_DEPTH: usize = 5;

/// Each field: its name in JSON, and what it may hold.
pub fn fields(of: &MessageDescriptor) -> Vec<(String, Value)> {
    of.fields().map(|field| (field.json_name().to_owned(), schema(&field, 1))).collect()
}

fn schema(field: &FieldDescriptor, depth: usize) -> Value {
    if field.is_map()
        && let Kind::Message(entry) = field.kind()
    {
        return json!({"type": "object", "additionalProperties": single(&entry.map_entry_value_field().kind(), depth)});
    }
    let one = single(&field.kind(), depth);
    match field.cardinality() {
        Cardinality::Repeated => json!({"type": "array", "items": one}),
        Cardinality::Optional | Cardinality::Required => one,
    }
}

fn single(kind: &Kind, depth: usize) -> Value {
    match kind {
        Kind::Bool => json!({"type": "boolean"}),
        Kind::String => json!({"type": "string"}),
        Kind::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
        Kind::Double | Kind::Float => json!({"type": ["number", "string"]}),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 | Kind::Uint32 | Kind::Fixed32 => json!({"type": "integer"}),
        // JSON numbers lose digits of these, so they may be texts.
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 | Kind::Uint64 | Kind::Fixed64 => {
            json!({"type": ["string", "integer"]})
        }
        Kind::Enum(of) => {
            let names: Vec<String> = of.values().map(|value| value.name().to_owned()).collect();
            json!({"type": "string", "enum": names})
        }
        Kind::Message(of) => message(of, depth),
    }
}

fn message(of: &MessageDescriptor, depth: usize) -> Value {
    if let Some(known) = well_known(of.full_name()) {
        return known;
    }
    if depth >= MAX_DEPTH {
        return json!({"type": "object", "description": of.full_name()});
    }
    let properties: Map<String, Value> =
        of.fields().map(|field| (field.json_name().to_owned(), schema(&field, depth + 1))).collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// The types that JSON writes in a way of their own.
fn well_known(name: &str) -> Option<Value> {
    Some(match name.strip_prefix("google.protobuf.")? {
        "Timestamp" => json!({"type": "string", "format": "date-time"}),
        "Duration" => json!({"type": "string", "description": "Seconds with an s: 1.5s."}),
        "FieldMask" => json!({"type": "string", "description": "Paths with commas between them."}),
        "Struct" | "Any" => json!({"type": "object"}),
        "Empty" => json!({"type": "object", "properties": {}}),
        "ListValue" => json!({"type": "array"}),
        "Value" => json!({}),
        "BoolValue" => json!({"type": ["boolean", "null"]}),
        "StringValue" | "BytesValue" => json!({"type": ["string", "null"]}),
        "DoubleValue" | "FloatValue" => json!({"type": ["number", "string", "null"]}),
        "Int32Value" | "UInt32Value" => json!({"type": ["integer", "null"]}),
        "Int64Value" | "UInt64Value" => json!({"type": ["string", "integer", "null"]}),
        _ => return None,
    })
}
