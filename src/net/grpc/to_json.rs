//! Messages as JSON, as protobuf's JSON mapping has it. What the mapping cannot say is said otherwise, never left out.

use std::collections::BTreeSet;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use prost_reflect::{
    Cardinality, DescriptorPool, DynamicMessage, Kind, MapKey, ReflectMessage, SerializeOptions, Value as Held,
};
use prost_types::Any;
use serde_json::{Map, Value, json};

use super::message::{is_well_known, type_name};

/// The depth to which a `google.protobuf.Any` may stand in others: each is read anew, however deep the one around it
/// stands.
const DEEPEST: usize = 16;

/// Most values of a message that is no answer.
const MAX_VALUES: usize = 10_000;

/// A message, and the types in it that are not known; its values are taken off `left`. `None` if there are more.
pub(super) fn message(
    pool: &DescriptorPool,
    message: &DynamicMessage,
    left: &mut usize,
) -> Option<(Value, BTreeSet<String>)> {
    let mut writer = Writer { pool, unknown: BTreeSet::new(), depth: 0, left: *left, is_full: false };
    let json = writer.message(message);
    *left = writer.left;
    (!writer.is_full).then_some((json, writer.unknown))
}

/// Returns the contents of an `Any` that no message holds, as [`message`] would show them.
pub(super) fn any(pool: &DescriptorPool, any: &Any) -> Value {
    Writer { pool, unknown: BTreeSet::new(), depth: 0, left: MAX_VALUES, is_full: false }.any(any)
}

struct Writer<'a> {
    pool: &'a DescriptorPool,
    unknown: BTreeSet<String>,
    depth: usize,
    /// Values that may still be written; beyond them nothing is.
    left: usize,
    is_full: bool,
}

impl Writer<'_> {
    fn message(&mut self, message: &DynamicMessage) -> Value {
        let of = message.descriptor();
        match of.full_name() {
            "google.protobuf.Any" => match message.transcode_to::<Any>() {
                Ok(any) => self.any(&any),
                Err(_) => self.fields(message).into(),
            },
            // The numbers that JSON does not have, and those of 32 bit.
            "google.protobuf.DoubleValue" | "google.protobuf.FloatValue" => {
                message.get_field_by_number(1).map_or(Value::Null, |held| self.single(&held, &Kind::Double))
            }
            name if is_well_known(name) => well_known(message).unwrap_or_else(|| self.fields(message).into()),
            _ => self.fields(message).into(),
        }
    }

    /// Every field; one that may be left out only where it is there.
    fn fields(&mut self, message: &DynamicMessage) -> Map<String, Value> {
        let mut map = Map::new();
        for field in message.descriptor().fields() {
            if !self.takes_one() {
                break;
            }
            if !field.supports_presence() || message.has_field(&field) {
                let held = message.get_field(&field);
                map.insert(field.json_name().to_owned(), self.value(&held, &field.kind(), field.cardinality()));
            }
        }
        for (extension, held) in message.extensions() {
            let value = self.value(held, &extension.kind(), extension.cardinality());
            map.insert(extension.json_name().to_owned(), value);
        }
        map
    }

    fn value(&mut self, held: &Held, kind: &Kind, cardinality: Cardinality) -> Value {
        match (held, kind) {
            (Held::Map(entries), Kind::Message(entry)) if cardinality == Cardinality::Repeated => {
                let kind = entry.map_entry_value_field().kind();
                let entries = entries.iter().map(|(name, held)| (key(name), self.single(held, &kind)));
                Value::Object(entries.collect())
            }
            (Held::List(items), kind) => items.iter().map(|held| self.single(held, kind)).collect(),
            (held, kind) => self.single(held, kind),
        }
    }

    /// Returns whether one more value is written.
    fn takes_one(&mut self) -> bool {
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => self.is_full = true,
        }
        !self.is_full
    }

    fn single(&mut self, held: &Held, kind: &Kind) -> Value {
        if !self.takes_one() {
            return Value::Null;
        }
        match held {
            Held::Bool(value) => json!(value),
            Held::I32(value) => json!(value),
            Held::U32(value) => json!(value),
            // JSON numbers lose digits of these.
            Held::I64(value) => json!(value.to_string()),
            Held::U64(value) => json!(value.to_string()),
            // Its shortest digits: as 64 bit it would show digits that nobody sent.
            Held::F32(value) => number(value.to_string().parse().unwrap_or_else(|_| f64::from(*value))),
            Held::F64(value) => number(*value),
            Held::String(text) => json!(text),
            Held::Bytes(bytes) => json!(STANDARD.encode(bytes)),
            Held::EnumNumber(number) => match kind {
                Kind::Enum(of) if of.full_name() == "google.protobuf.NullValue" => Value::Null,
                Kind::Enum(of) => of.get_value(*number).map_or(json!(number), |value| json!(value.name())),
                _ => json!(number),
            },
            Held::Message(message) => self.message(message),
            Held::List(_) | Held::Map(_) => Value::Null,
        }
    }

    /// Returns the contents of an `Any`: its fields, or base64 where its type is not known or its bytes are not of it.
    fn any(&mut self, any: &Any) -> Value {
        if any.type_url.is_empty() && any.value.is_empty() {
            return json!({});
        }
        let name = type_name(&any.type_url);
        let of = self.pool.get_message_by_name(name);
        if of.is_none() && !name.is_empty() {
            self.unknown.insert(name.to_owned());
        }
        let read = of.filter(|_| self.depth < DEEPEST);
        let read = read.and_then(|of| DynamicMessage::decode(of, any.value.as_slice()).ok());
        let mut map = Map::from_iter([("@type".to_owned(), json!(any.type_url))]);
        self.depth += 1;
        match read {
            None => drop(map.insert("value".to_owned(), json!(STANDARD.encode(&any.value)))),
            Some(message) if is_well_known(name) => drop(map.insert("value".to_owned(), self.message(&message))),
            Some(message) => map.extend(self.fields(&message)),
        }
        self.depth -= 1;
        Value::Object(map)
    }
}

/// As the mapping writes it; `None` if it cannot, as with a time after the year 9999.
fn well_known(message: &DynamicMessage) -> Option<Value> {
    let options = SerializeOptions::new().skip_default_fields(false);
    let written = message.serialize_with_options(serde_json::value::Serializer, &options);
    match written {
        Ok(value) => Some(value),
        // A path that camel case cannot tell apart is written as it is.
        Err(_) if message.descriptor().full_name() == "google.protobuf.FieldMask" => {
            let mask = message.transcode_to::<prost_types::FieldMask>().ok()?;
            Some(json!(mask.paths.join(",")))
        }
        Err(_) => None,
    }
}

fn number(value: f64) -> Value {
    match value {
        f64::INFINITY => json!("Infinity"),
        f64::NEG_INFINITY => json!("-Infinity"),
        value if value.is_nan() => json!("NaN"),
        value => json!(value),
    }
}

fn key(key: &MapKey) -> String {
    match key {
        MapKey::Bool(value) => value.to_string(),
        MapKey::I32(value) => value.to_string(),
        MapKey::I64(value) => value.to_string(),
        MapKey::U32(value) => value.to_string(),
        MapKey::U64(value) => value.to_string(),
        MapKey::String(text) => text.clone(),
    }
}
