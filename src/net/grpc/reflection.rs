//! Learns a server's services and types from its reflection service, in the first version of it that the server knows. An
//! answer is handed on as it came: whoever asks reads it where foreign bytes are read.
//!
//! Protocol: <https://github.com/grpc/grpc/blob/master/doc/server-reflection.md>. v1alpha has v1's messages.

use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use prost::Message;
use prost_reflect::DescriptorPool;
use tokio::time::timeout;
use tonic_reflection::pb::v1::{ServerReflectionRequest, server_reflection_request::MessageRequest};

use super::{
    line::{Ask, Line},
    status::{NOT_FOUND, UNIMPLEMENTED},
};
use satchel_model::{
    error::{Error, Kind, Result},
    text::clip,
};

/// The services that tell of others, the better first.
const SERVICES: [&str; 2] = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"];
/// Most bytes of one answer: what gRPC takes unless told otherwise.
const MOST_BYTES: usize = 4 << 20;
/// Most bytes of all answers about one type.
const MOST_OF_ALL: usize = 16 << 20;
/// Most rounds of questions: in each the files are asked for that those of the last one import.
const MOST_ROUNDS: usize = 100;

/// Most characters of the system's words.
const WORDS: usize = 2_000;

/// A system's answers about a type and its files so far, to be read from the first on.
#[derive(Debug, Clone)]
pub struct ReflectionAnswers {
    /// The types that were known before.
    pub pool: DescriptorPool,
    /// All answers, as they came.
    pub answers: Vec<Bytes>,
}

/// The content of such answers, once read.
#[derive(Debug)]
pub enum Reflected {
    /// The names of the system's services.
    Services(Vec<String>),
    /// The types that were known, and with them all of the one asked for.
    Whole(DescriptorPool),
    /// The names of files that are to be asked for, too.
    Missing(Vec<String>),
    /// The system does not know the type.
    Unknown,
}

/// The way to read what a system has told.
pub type Read<'a> = &'a (dyn Fn(ReflectionAnswers) -> BoxFuture<'static, Result<Reflected>> + Send + Sync);

/// The names of the server's services, reflection's own left out.
///
/// # Errors
///
/// If the system does not tell.
pub async fn services(line: &Line, patience: Duration, read: Read<'_>) -> Result<Vec<String>> {
    let answers = match ask(line, vec![MessageRequest::ListServices(String::new())], patience).await? {
        Answers::Messages(messages) => messages,
        Answers::NotFound(words) => return Err(refused(&words)),
    };
    match read(ReflectionAnswers { pool: DescriptorPool::global(), answers }).await? {
        Reflected::Services(names) => Ok(names),
        Reflected::Whole(_) | Reflected::Missing(_) | Reflected::Unknown => Err(something_else()),
    }
}

/// The types of a service, with everything they are made of.
pub async fn describe(line: &Line, service: &str, patience: Duration, read: Read<'_>) -> Result<DescriptorPool> {
    match extended(line, DescriptorPool::global(), service, patience, read).await? {
        Some(pool) => Ok(pool),
        None => Err(unknown(line, service, patience, read).await),
    }
}

/// The types that are known, and with them the one of this full name; `None` if the system does not know it.
///
/// # Errors
///
/// [`Timeout`](satchel_model::error::Kind::Timeout) if the system's answers take longer than `patience` together; if the
/// types are more than are read, or do not fit together.
pub async fn extended(
    line: &Line,
    pool: DescriptorPool,
    name: &str,
    patience: Duration,
    read: Read<'_>,
) -> Result<Option<DescriptorPool>> {
    let mut wanted = vec![MessageRequest::FileContainingSymbol(name.to_owned())];
    let (mut telling, mut left) = (ReflectionAnswers { pool, answers: Vec::new() }, patience);
    for _ in 0..MOST_ROUNDS {
        let begun = Instant::now();
        let asked = timeout(left, ask(line, wanted, left)).await;
        let answers = asked.unwrap_or_else(|_| Err(Error::new(Kind::Timeout, TOO_SLOW)))?;
        // Reading them is nothing that the system could do faster.
        left = left.saturating_sub(begun.elapsed());
        match answers {
            Answers::NotFound(_) if telling.answers.is_empty() => return Ok(None),
            Answers::NotFound(words) => return Err(refused(&words)),
            Answers::Messages(messages) => telling.answers.extend(messages),
        }
        if telling.answers.iter().map(Bytes::len).sum::<usize>() > MOST_OF_ALL {
            return Err(Error::upstream("The system describes more of its types than is read."));
        }
        match read(telling.clone()).await? {
            Reflected::Whole(pool) => return Ok(Some(pool)),
            Reflected::Unknown => return Ok(None),
            Reflected::Services(_) => return Err(something_else()),
            Reflected::Missing(files) => wanted = files.into_iter().map(MessageRequest::FileByFilename).collect(),
        }
    }
    Err(Error::upstream(format!("The system's types import each other more than {MOST_ROUNDS} files deep.")))
}

const TOO_SLOW: &str = "The system takes too long to describe its types.";

async fn unknown(line: &Line, service: &str, patience: Duration, read: Read<'_>) -> Error {
    let names = services(line, patience, read).await.unwrap_or_default().join(", ");
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

fn something_else() -> Error {
    Error::upstream("The system's reflection answers with something else.")
}

fn refused(message: &str) -> Error {
    Error::upstream(format!("The system does not describe its types: {}", clip(message, WORDS)))
}
