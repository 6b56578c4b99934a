//! Messages whose types were learned at run time: from JSON, and back (protobuf's JSON mapping).

use bytes::Bytes;
use prost::Message;
use prost_reflect::{
    DescriptorPool, DeserializeOptions, DynamicMessage, MessageDescriptor, MethodDescriptor, SerializeOptions,
};
use serde_json::Value;

use crate::model::error::{Error, Result};

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

/// A message from JSON. Unknown fields are an error that names those there are.
pub fn encode(of: &MessageDescriptor, body: &Value) -> Result<Bytes> {
    let options = DeserializeOptions::new().deny_unknown_fields(true);
    let message = DynamicMessage::deserialize_with_options(of.clone(), body, &options).map_err(|error| {
        let fields: Vec<String> = of.fields().take(LISTED).map(|field| field.json_name().to_owned()).collect();
        let fields = if fields.is_empty() { "none".to_owned() } else { fields.join(", ") };
        let what: String = error.to_string().chars().take(300).collect();
        Error::invalid(format!("The body is no {}: {what}. Its fields: {fields}.", of.full_name()))
    })?;
    Ok(message.encode_to_vec().into())
}

/// A message as JSON, fields at their defaults included, so that a `false` or a 0 is seen.
pub fn decode(of: &MessageDescriptor, message: Bytes) -> Result<Value> {
    let wrong =
        |error: prost::DecodeError| Error::upstream(format!("The answer is no {}.", of.full_name())).caused_by(error);
    let message = DynamicMessage::decode(of.clone(), message).map_err(wrong)?;
    let options = SerializeOptions::new().skip_default_fields(false);
    message.serialize_with_options(serde_json::value::Serializer, &options).map_err(|error| {
        Error::upstream(format!("The answer holds what JSON cannot say, in a {}.", of.full_name())).caused_by(error)
    })
}
