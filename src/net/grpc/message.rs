//! Messages whose types were learned at run time: from JSON, and back (protobuf's JSON mapping).

use std::collections::BTreeSet;

use bytes::Bytes;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor};
use serde_json::Value;

use super::{from_json, to_json};
use satchel_model::{
    error::{Error, Result},
    protobuf,
};

/// The types of `google.protobuf` that JSON writes in a way of their own.
const WELL_KNOWN: [&str; 17] = [
    "Any",
    "BoolValue",
    "BytesValue",
    "DoubleValue",
    "Duration",
    "Empty",
    "FieldMask",
    "FloatValue",
    "Int32Value",
    "Int64Value",
    "ListValue",
    "StringValue",
    "Struct",
    "Timestamp",
    "UInt32Value",
    "UInt64Value",
    "Value",
];
/// Most fields and values of all answers to one call.
const MAX_FIELDS: usize = 250_000;
const MAX_VALUES: usize = 250_000;
/// Messages in messages that a decoder follows.
const MAX_DEPTH: usize = 100;
/// Names listed in an error.
const LISTED: usize = 20;

/// The method of a service; the error names those there are.
pub fn method(pool: &DescriptorPool, service: &str, method: &str) -> Result<MethodDescriptor> {
    let found = pool.get_service_by_name(service);
    let found = found.ok_or_else(|| Error::not_found(format!("The system has no gRPC service '{service}'.")))?;
    let named = found.methods().find(|candidate| candidate.name() == method);
    named.ok_or_else(|| {
        let names: Vec<String> = found.methods().take(LISTED).map(|method| method.name().to_owned()).collect();
        Error::not_found(format!("'{service}' has no method '{method}'. It has: {}.", names.join(", ")))
    })
}

/// A message from JSON. An error names the field and, where it is unknown, those there are.
pub fn encode(pool: &DescriptorPool, of: &MessageDescriptor, body: &Value) -> Result<Bytes> {
    let message = from_json::message(pool, of, body);
    let message = message.map_err(|wrong| Error::invalid(format!("The body is no {}: {wrong}", of.full_name())))?;
    Ok(message.encode_to_vec().into())
}

/// The names of the types that a body names in `@type`.
pub fn named_types(body: &Value) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    let mut left = vec![body];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(map) => {
                let url = map.get("@type").and_then(Value::as_str);
                named.extend(url.map(|url| type_name(url).to_owned()));
                left.extend(map.values());
            }
            _ => {}
        }
    }
    named
}

/// A message, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// As JSON.
    pub json: Value,
    /// The types in it that are not known: what is of them stands as base64.
    pub unknown: BTreeSet<String>,
}

/// The allowance for what may still be read of one call's answers: fields of messages as they come, and values as JSON.
/// Decoded, each takes many times its bytes.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    fields: usize,
    values: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { fields: MAX_FIELDS, values: MAX_VALUES }
    }
}

/// A message as JSON, fields at their defaults included, so that a `false` or a 0 is seen. `pool` holds the types that
/// a `google.protobuf.Any` may have.
///
/// # Errors
///
/// [`Upstream`](satchel_model::error::Kind::Upstream) if it is no such message, or there is no room for all it holds.
pub fn decode(pool: &DescriptorPool, of: &MessageDescriptor, message: Bytes, room: &mut Room) -> Result<Decoded> {
    let too_much =
        || Error::upstream("The answer holds more values, or deeper ones, than are read at once: ask for less.");
    protobuf::take_fields(&message, &mut room.fields, MAX_DEPTH).ok_or_else(too_much)?;
    let wrong =
        |error: prost::DecodeError| Error::upstream(format!("The answer is no {}.", of.full_name())).caused_by(error);
    let message = DynamicMessage::decode(of.clone(), message).map_err(wrong)?;
    let (json, unknown) = to_json::message(pool, &message, &mut room.values).ok_or_else(too_much)?;
    Ok(Decoded { json, unknown })
}

/// The full name in the address of a type, its last part.
pub(super) fn type_name(url: &str) -> &str {
    url.rsplit_once('/').map_or(url, |(_, name)| name)
}

/// Returns whether JSON writes a type in a way of its own.
pub(super) fn is_well_known(name: &str) -> bool {
    name.strip_prefix("google.protobuf.").is_some_and(|name| WELL_KNOWN.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::error::Kind;

    #[test]
    fn an_answer_of_few_bytes_and_many_values_is_refused() {
        let pool = DescriptorPool::global();
        let of = pool.get_message_by_name("google.protobuf.FileDescriptorProto").unwrap();
        // So many empty messages, each of which is written with all its fields.
        let read = |messages: usize| decode(&pool, &of, Bytes::from([0x22, 0].repeat(messages)), &mut Room::default());
        assert_eq!(read(10).unwrap().json["messageType"].as_array().unwrap().len(), 10);
        for many in [100_000, 1_000_000] {
            let refused = read(many).unwrap_err();
            assert!(refused.kind() == Kind::Upstream && refused.message().contains("more values"), "{refused}");
        }
    }
}
