//! Learns a server's services and types from its reflection service, in the first version of it that the server knows.
//!
//! Protocol: <https://github.com/grpc/grpc/blob/master/doc/server-reflection.md>. v1alpha has v1's messages.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use prost::Message;
use prost_reflect::DescriptorPool;
use prost_types::FileDescriptorProto;
use tokio::time::timeout;
use tonic_reflection::pb::v1::{
    ErrorResponse, ServerReflectionRequest, ServerReflectionResponse, server_reflection_request::MessageRequest,
    server_reflection_response::MessageResponse,
};

use super::{
    line::{Ask, Line},
    status::{NOT_FOUND, UNIMPLEMENTED},
    wire,
};
use satchel_model::error::{Error, Kind, Result};

/// The services that tell of others, the better first.
const SERVICES: [&str; 2] = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"];
/// Most files of one service, imports of imports included.
const MOST_FILES: usize = 1_000;
/// Most bytes of one answer: what gRPC takes unless told otherwise.
const MOST_BYTES: usize = 4 << 20;
/// Most fields of all that is told of one service: decoded, each takes some hundred bytes.
const MOST_FIELDS: usize = 250_000;
/// Most services of a system.
const MOST_SERVICES: usize = 200;

/// The names of the server's services, reflection's own left out.
pub async fn services(line: &Line, patience: Duration) -> Result<Vec<String>> {
    let (mut names, mut left): (Vec<String>, _) = (Vec::new(), MOST_FIELDS);
    for answer in ask(line, vec![MessageRequest::ListServices(String::new())], patience, &mut left).await? {
        match answer {
            MessageResponse::ListServicesResponse(list) => {
                names.extend(list.service.into_iter().map(|service| service.name));
            }
            MessageResponse::ErrorResponse(error) => return Err(refused(&error.error_message)),
            _ => {}
        }
    }
    names.retain(|name| !name.starts_with("grpc.reflection."));
    if names.len() > MOST_SERVICES {
        return Err(Error::upstream(format!("The system has more than {MOST_SERVICES} services, which is too much.")));
    }
    Ok(names)
}

/// The types of a service, with everything they are made of.
pub async fn describe(line: &Line, service: &str, patience: Duration) -> Result<DescriptorPool> {
    match extended(line, DescriptorPool::global(), service, patience).await? {
        Some(pool) => Ok(pool),
        None => Err(unknown(line, service, patience).await),
    }
}

/// The types that are known, and with them the one of this full name; `None` if the system does not know it.
///
/// # Errors
///
/// [`Timeout`](satchel_model::error::Kind::Timeout) if all of it takes longer than `patience`; if the types are more
/// than are read, or do not fit together.
pub async fn extended(
    line: &Line,
    pool: DescriptorPool,
    name: &str,
    patience: Duration,
) -> Result<Option<DescriptorPool>> {
    let whole = timeout(patience, gathered(line, pool, name, patience)).await;
    whole.unwrap_or_else(|_| Err(Error::new(Kind::Timeout, "The system takes too long to describe its types.")))
}

async fn gathered(
    line: &Line,
    mut pool: DescriptorPool,
    name: &str,
    patience: Duration,
) -> Result<Option<DescriptorPool>> {
    let (mut files, mut left) = (BTreeMap::new(), MOST_FIELDS);
    let mut wanted = vec![MessageRequest::FileContainingSymbol(name.to_owned())];
    while !wanted.is_empty() {
        for answer in ask(line, wanted, patience, &mut left).await? {
            match answer {
                MessageResponse::FileDescriptorResponse(found) => keep(found.file_descriptor_proto, &mut files)?,
                MessageResponse::ErrorResponse(error) if error.error_code == NOT_FOUND as i32 && files.is_empty() => {
                    return Ok(None);
                }
                MessageResponse::ErrorResponse(error) => return Err(refused(&error.error_message)),
                _ => {}
            }
        }
        wanted = missing(&files, &pool)?.into_iter().map(MessageRequest::FileByFilename).collect();
    }
    files.retain(|name, _| pool.get_file_by_name(name).is_none());
    pool.add_file_descriptor_protos(files.into_values())
        .map_err(|error| Error::upstream("The types the system describes do not fit together.").caused_by(error))?;
    Ok(Some(pool))
}

/// Returns which imports are neither told of nor known everywhere.
///
/// # Errors
///
/// If a round of asking has brought nothing new.
fn missing(files: &BTreeMap<String, FileDescriptorProto>, pool: &DescriptorPool) -> Result<Vec<String>> {
    let imports = files.values().flat_map(|file| &file.dependency);
    let mut missing: Vec<String> =
        imports.filter(|name| !files.contains_key(*name) && pool.get_file_by_name(name).is_none()).cloned().collect();
    missing.sort_unstable();
    missing.dedup();
    if files.len() + missing.len() > MOST_FILES {
        return Err(Error::upstream(format!(
            "The service is made of more than {MOST_FILES} files, which is too much."
        )));
    }
    Ok(missing)
}

fn keep(found: Vec<Vec<u8>>, files: &mut BTreeMap<String, FileDescriptorProto>) -> Result<()> {
    let before = files.len();
    for bytes in found {
        let file = FileDescriptorProto::decode(bytes.as_slice())
            .map_err(|error| Error::upstream("The types the system describes cannot be read.").caused_by(error))?;
        files.insert(file.name().to_owned(), file);
    }
    if files.len() == before {
        return Err(Error::upstream("The system answers with other types than those asked for."));
    }
    Ok(())
}

async fn unknown(line: &Line, service: &str, patience: Duration) -> Error {
    let names = services(line, patience).await.unwrap_or_default().join(", ");
    let there_are = if names.is_empty() { String::new() } else { format!(" It has: {names}.") };
    Error::not_found(format!("The system has no gRPC service '{service}'.{there_are}"))
}

/// Asks all at once, as one stream that ends with the last question. The fields of the answers are taken off `left`.
async fn ask(
    line: &Line,
    questions: Vec<MessageRequest>,
    patience: Duration,
    left: &mut usize,
) -> Result<Vec<MessageResponse>> {
    let count = questions.len();
    let message = |question| {
        let request = ServerReflectionRequest { host: String::new(), message_request: Some(question) };
        Bytes::from(request.encode_to_vec())
    };
    let messages: Vec<Bytes> = questions.into_iter().map(message).collect();
    let mut words = String::new();
    for service in SERVICES {
        let ask = Ask {
            service: service.to_owned(),
            method: "ServerReflectionInfo".to_owned(),
            messages: messages.clone(),
            patience,
            most: (count, MOST_BYTES),
        };
        let reply = line.call(ask).await?;
        if reply.status.code == UNIMPLEMENTED {
            words = reply.status.message;
            continue;
        }
        if reply.status.code == NOT_FOUND {
            // Some servers end the stream where others answer with an error.
            let error = ErrorResponse { error_code: NOT_FOUND as i32, error_message: reply.status.message };
            return Ok(vec![MessageResponse::ErrorResponse(error)]);
        }
        reply.status.require_ok()?;
        if reply.messages.iter().any(|message| wire::take_fields(message, left).is_none()) {
            return Err(Error::upstream(format!(
                "The system describes more than {MOST_FIELDS} fields at once, which is too much."
            )));
        }
        return reply.messages.into_iter().map(read).filter_map(Result::transpose).collect();
    }
    let words = if words.is_empty() { words } else { format!(" It answered: {words}.") };
    Err(Error::upstream(format!(
        "The system has no gRPC server reflection, so its messages cannot be told apart. It must be switched on there.{words}"
    )))
}

fn read(message: Bytes) -> Result<Option<MessageResponse>> {
    let response = ServerReflectionResponse::decode(message)
        .map_err(|error| Error::upstream("The system's reflection answers with something else.").caused_by(error))?;
    Ok(response.message_response)
}

fn refused(message: &str) -> Error {
    Error::upstream(format!("The system does not describe its types: {message}"))
}
