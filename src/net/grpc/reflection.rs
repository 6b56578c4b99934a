//! Learns a server's services and types from its reflection service, in the first version of it that the server knows.
//!
//! Protocol: <https://github.com/grpc/grpc/blob/master/doc/server-reflection.md>. v1alpha has v1's messages.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use prost::Message;
use prost_reflect::DescriptorPool;
use tokio::time::timeout;
use tonic_reflection::pb::v1::{
    ErrorResponse, ServerReflectionRequest, ServerReflectionResponse, server_reflection_request::MessageRequest,
    server_reflection_response::MessageResponse,
};

use super::{
    described::Files,
    line::{Ask, Line},
    status::{NOT_FOUND, UNIMPLEMENTED},
    wire,
};
use satchel_model::{
    error::{Error, Kind, Result},
    text::clip,
};

/// The services that tell of others, the better first.
const SERVICES: [&str; 2] = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"];
/// Most bytes of one answer: what gRPC takes unless told otherwise.
const MOST_BYTES: usize = 4 << 20;
/// Most services of a system.
const MOST_SERVICES: usize = 200;

/// Most fields of an answer that names services, and messages in messages there.
const MOST_NAMED: (usize, usize) = (10_000, 10);

/// Most characters of the system's words.
const WORDS: usize = 2_000;

/// A step of reading what a system has told: it takes time, and is to be done where no call waits for it.
pub type Step = Box<dyn FnOnce() -> Result<Told> + Send>;
/// The way to do a step aside.
pub type Aside<'a> = &'a (dyn Fn(Step) -> BoxFuture<'static, Result<Told>> + Send + Sync);

/// The names of the server's services, reflection's own left out.
pub async fn services(line: &Line, patience: Duration) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let answers = ask(line, vec![MessageRequest::ListServices(String::new())], patience).await?;
    let (mut fields, deepest) = MOST_NAMED;
    if answers.messages().iter().any(|message| wire::take_fields(message, &mut fields, deepest).is_none()) {
        return Err(too_many());
    }
    for answer in answers.read()? {
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
        return Err(too_many());
    }
    Ok(names)
}

fn too_many() -> Error {
    Error::upstream(format!("The system has more than {MOST_SERVICES} services, which is too much."))
}

/// The types of a service, with everything they are made of.
pub async fn describe(line: &Line, service: &str, patience: Duration, aside: Aside<'_>) -> Result<DescriptorPool> {
    match extended(line, DescriptorPool::global(), service, patience, aside).await? {
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
    aside: Aside<'_>,
) -> Result<Option<DescriptorPool>> {
    let whole = timeout(patience, gathered(line, pool, name, patience, aside)).await;
    whole.unwrap_or_else(|_| Err(Error::new(Kind::Timeout, "The system takes too long to describe its types.")))
}

async fn gathered(
    line: &Line,
    pool: DescriptorPool,
    name: &str,
    patience: Duration,
    aside: Aside<'_>,
) -> Result<Option<DescriptorPool>> {
    let mut wanted = vec![MessageRequest::FileContainingSymbol(name.to_owned())];
    let mut told = Told { pool, files: Files::default(), missing: Vec::new(), is_unknown: false };
    while !wanted.is_empty() {
        let answers = ask(line, wanted, patience).await?;
        let before = told;
        told = aside(Box::new(move || before.and(answers))).await?;
        if told.is_unknown {
            return Ok(None);
        }
        wanted = std::mem::take(&mut told.missing).into_iter().map(MessageRequest::FileByFilename).collect();
    }
    let whole = move || {
        let Told { pool, files, .. } = told;
        Ok(Told { pool: files.join(pool)?, files: Files::default(), missing: Vec::new(), is_unknown: false })
    };
    aside(Box::new(whole)).await.map(|told| Some(told.pool))
}

/// The types that a system has told of, on the way to all that is asked for.
#[derive(Debug)]
pub struct Told {
    /// The types that were known before.
    pool: DescriptorPool,
    files: Files,
    /// The files that are to be asked for.
    missing: Vec<String>,
    /// `true` if the system does not know the type.
    is_unknown: bool,
}

impl Told {
    /// With what these answers hold.
    fn and(mut self, answers: Answers) -> Result<Self> {
        for answer in answers.read()? {
            match answer {
                MessageResponse::FileDescriptorResponse(found) => self.files.keep(found.file_descriptor_proto)?,
                MessageResponse::ErrorResponse(error)
                    if error.error_code == NOT_FOUND as i32 && self.files.is_empty() =>
                {
                    return Ok(Self { is_unknown: true, ..self });
                }
                MessageResponse::ErrorResponse(error) => return Err(refused(&error.error_message)),
                _ => {}
            }
        }
        self.missing = self.files.missing(&self.pool)?;
        Ok(self)
    }
}

async fn unknown(line: &Line, service: &str, patience: Duration) -> Error {
    let names = services(line, patience).await.unwrap_or_default().join(", ");
    let names = clip(&names, WORDS);
    let there_are = if names.is_empty() { String::new() } else { format!(" It has: {names}.") };
    Error::not_found(format!("The system has no gRPC service '{service}'.{there_are}"))
}

/// The answers to some questions.
enum Answers {
    /// As they came.
    Messages(Vec<Bytes>),
    /// Some servers end the stream where others answer with an error: its words.
    NotFound(String),
}

impl Answers {
    fn messages(&self) -> &[Bytes] {
        match self {
            Self::Messages(messages) => messages,
            Self::NotFound(_) => &[],
        }
    }

    fn read(self) -> Result<Vec<MessageResponse>> {
        match self {
            Self::Messages(messages) => messages.into_iter().map(read).filter_map(Result::transpose).collect(),
            Self::NotFound(error_message) => {
                Ok(vec![MessageResponse::ErrorResponse(ErrorResponse { error_code: NOT_FOUND as i32, error_message })])
            }
        }
    }
}

/// Asks all at once, as one stream that ends with the last question.
async fn ask(line: &Line, questions: Vec<MessageRequest>, patience: Duration) -> Result<Answers> {
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
            return Ok(Answers::NotFound(reply.status.message));
        }
        reply.status.require_ok()?;
        return Ok(Answers::Messages(reply.messages));
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
    Error::upstream(format!("The system does not describe its types: {}", clip(message, WORDS)))
}
