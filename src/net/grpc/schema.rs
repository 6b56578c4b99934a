//! The fields of a message as JSON Schema, in protobuf's JSON spelling.

use prost_reflect::{Cardinality, FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value, json};

use satchel_model::text::{clip, head};

/// Messages in messages that are written out.
const MAX_DEPTH: usize = 5;
/// Most fields that are written out of one message and those in it: as many as an operation's schema may have values.
const MAX_FIELDS: usize = 1_200;
/// Most names of alternatives that are listed, and characters of them.
const MAX_LISTED: usize = 20;
const MAX_WORDS: usize = 500;
/// A name takes room for a field, and for one more for each of so many bytes.
const NAME: usize = 64;

/// A field of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name in JSON.
    pub name: String,
    /// The values it may hold.
    pub schema: Value,
    /// `true` if a message is none without it.
    pub required: bool,
    /// The facts a schema cannot state of it.
    pub description: String,
}

/// Each field of a message, as far as `total` has room for them: what is written out is taken off it.
pub fn fields(of: &MessageDescriptor, total: &mut usize) -> Vec<Field> {
    let most = MAX_FIELDS.min(*total);
    let mut left = most;
    let fields = of.fields().take(most).map(|field| one(&field, 0, &mut left)).collect();
    *total -= most - left;
    fields
}

fn weight(name: &str) -> usize {
    1 + name.len() / NAME
}

fn one(field: &FieldDescriptor, depth: usize, left: &mut usize) -> Field {
    *left = left.saturating_sub(weight(field.json_name()));
    Field {
        name: field.json_name().to_owned(),
        schema: schema(field, depth + 1, left),
        required: field.cardinality() == Cardinality::Required,
        description: alternatives(field).unwrap_or_default(),
    }
}

/// Of a field in a `oneof`, that the others go without it.
fn alternatives(field: &FieldDescriptor) -> Option<String> {
    let group = field.containing_oneof()?;
    let mut others = group.fields().filter(|other| other != field).map(|other| other.json_name().to_owned());
    let listed: Vec<String> = others.by_ref().take(MAX_LISTED).collect();
    let more = if others.next().is_some() { " and others" } else { "" };
    let listed = clip(&listed.join(", "), MAX_WORDS).into_owned();
    (!listed.is_empty()).then(|| format!("Give at most one of this and {listed}{more}."))
}

fn schema(field: &FieldDescriptor, depth: usize, left: &mut usize) -> Value {
    if field.is_map()
        && let Kind::Message(entry) = field.kind()
    {
        return json!({"type": "object", "additionalProperties": single(&entry.map_entry_value_field().kind(), depth, left)});
    }
    let one = single(&field.kind(), depth, left);
    match field.cardinality() {
        Cardinality::Repeated => json!({"type": "array", "items": one}),
        Cardinality::Optional | Cardinality::Required => one,
    }
}

fn single(kind: &Kind, depth: usize, left: &mut usize) -> Value {
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
            if of.full_name() == "google.protobuf.NullValue" {
                return json!({"type": "null"});
            }
            // A value takes room as a field does; who has none learns the name elsewhere.
            let needed = of.values().map(|value| weight(value.name())).sum();
            let Some(after) = left.checked_sub(needed) else {
                return json!({"type": ["string", "integer"], "description": head(of.full_name(), MAX_WORDS)});
            };
            *left = after;
            let names: Vec<String> = of.values().map(|value| value.name().to_owned()).collect();
            // Numbers are taken too: a value that is newer than the description has no name in it.
            json!({"anyOf": [{"type": "string", "enum": names}, {"type": "integer"}]})
        }
        Kind::Message(of) => message(of, depth, left),
    }
}

fn message(of: &MessageDescriptor, depth: usize, left: &mut usize) -> Value {
    if let Some(known) = well_known(of.full_name()) {
        return known;
    }
    if depth >= MAX_DEPTH || *left < of.fields().len() {
        return json!({"type": "object", "description": head(of.full_name(), MAX_WORDS)});
    }
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in of.fields().map(|field| one(&field, depth, left)).collect::<Vec<_>>() {
        let mut schema = field.schema;
        if let (Value::Object(schema), false) = (&mut schema, field.description.is_empty()) {
            schema.insert("description".to_owned(), json!(field.description));
        }
        required.extend(field.required.then(|| field.name.clone()));
        properties.insert(field.name, schema);
    }
    let mut whole = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if let (Value::Object(whole), false) = (&mut whole, required.is_empty()) {
        whole.insert("required".to_owned(), json!(required));
    }
    whole
}

/// The types that JSON writes in a way of their own.
fn well_known(name: &str) -> Option<Value> {
    Some(match name.strip_prefix("google.protobuf.")? {
        "Timestamp" => json!({"type": "string", "format": "date-time"}),
        "Duration" => json!({"type": "string", "description": "Seconds with an s: 1.5s."}),
        "FieldMask" => json!({"type": "string", "description": "Paths with commas between them."}),
        "Struct" => json!({"type": "object"}),
        "Any" => json!({
            "type": "object",
            "description": "'@type', such as 'type.googleapis.com/package.Message', and beside it the fields of that type.",
        }),
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

#[cfg(test)]
mod tests {
    use prost_reflect::DescriptorPool;
    use prost_types::{
        DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
        OneofDescriptorProto,
    };

    use super::*;

    #[test]
    fn messages_in_messages_are_written_out_as_far_as_there_is_room() {
        let of = DescriptorPool::global().get_message_by_name("google.protobuf.FileDescriptorProto").unwrap();
        let (mut much, mut little) = (1_000_000, 40);
        let (whole, cut) = (fields(&of, &mut much), fields(&of, &mut little));
        assert_eq!((whole.len(), cut.len()), (of.fields().len(), of.fields().len()));
        let written = |fields: &[Field]| fields.iter().map(|field| field.schema.to_string().len()).sum::<usize>();
        assert!(written(&cut) < 8_000 && written(&whole) < 400_000, "{} {}", written(&cut), written(&whole));
        assert!(much >= 1_000_000 - MAX_FIELDS && little <= 40 - of.fields().len());
        assert!(fields(&of, &mut 0).is_empty());
    }

    #[test]
    fn names_are_not_written_out_once_for_each_field() {
        let values = (0..1_000).map(|number| EnumValueDescriptorProto {
            name: Some(format!("VALUE_{number}")),
            number: Some(number),
            options: None,
        });
        let choice = EnumDescriptorProto { name: named("E"), value: values.collect(), ..Default::default() };
        let field = |number: i32| FieldDescriptorProto {
            name: Some(format!("field{number}")),
            number: Some(number),
            type_name: named(".E"),
            oneof_index: Some(0),
            ..Default::default()
        };
        let group = OneofDescriptorProto { name: named("group"), options: None };
        let message = DescriptorProto {
            name: named("M"),
            field: (1..=1_000).map(field).collect(),
            oneof_decl: vec![group],
            ..Default::default()
        };
        let file = FileDescriptorProto {
            name: named("x"),
            syntax: named("proto3"),
            message_type: vec![message],
            enum_type: vec![choice],
            ..Default::default()
        };
        let mut pool = DescriptorPool::new();
        pool.add_file_descriptor_proto(file).unwrap();
        let all = fields(&pool.get_message_by_name("M").unwrap(), &mut 1_000_000);
        let written: usize = all.iter().map(|field| field.schema.to_string().len() + field.description.len()).sum();
        assert!(all.len() == 1_000 && written < 500_000, "{written}");
        assert!(all[0].schema.to_string().contains("VALUE_999"));
        assert!(all[1].schema.to_string().contains("integer") && all[1].description.contains("and others"));
    }

    fn named(name: &str) -> Option<String> {
        Some(name.to_owned())
    }
}
