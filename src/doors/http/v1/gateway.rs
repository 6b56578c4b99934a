//! Models that are asked without an agent: what a client sent is passed on as it came to a provider that speaks its dialect,
//! and translated for any other.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::{again::Named, follow::Followed, model::ModelPieces};
use crate::http::state::State;
use satchel_host::aside;
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    llm::{
        ChatMessage, ChatRequest, Provider, ProviderKind,
        options::{Brief, RawRequest},
    },
};

/// A longer body is parsed beside the async threads.
const LONG: usize = 64 << 10;

/// The body as it came.
///
/// # Errors
///
/// If it is no JSON object.
pub(super) async fn raw_body(bytes: Bytes) -> Result<Map<String, Value>> {
    let parse = |bytes: &[u8]| serde_json::from_slice(bytes).ok();
    let parsed = match bytes.len() > LONG {
        true => aside::run(move || parse(&bytes)).await?.flatten(),
        false => parse(&bytes),
    };
    parsed.ok_or_else(|| Error::invalid("The body must be a JSON object."))
}

/// A request in its own dialect, and in none.
pub(super) struct Passed {
    /// As it came.
    pub(super) raw: RawRequest,
    /// The messages and the way they are to be answered; read only where a provider may be asked that speaks another dialect.
    pub(super) read: Option<(Vec<ChatMessage>, Brief)>,
    /// `true` if the tokens of the answer are not told.
    pub(super) hides_usage: bool,
}

/// Returns the providers that can be asked, and the request as it is read for those that speak another dialect than it came
/// in. Where the first one speaks that, and the request cannot be read, it is passed on to those alone that do.
///
/// # Errors
///
/// If the first one speaks another dialect, and the request cannot be read.
pub(super) async fn readable(
    mut providers: Vec<Provider>,
    kind: ProviderKind,
    read: impl Future<Output = Result<(Vec<ChatMessage>, Brief)>>,
) -> Result<(Vec<Provider>, Option<(Vec<ChatMessage>, Brief)>)> {
    if providers.iter().all(|provider| provider.kind == kind) {
        return Ok((providers, None));
    }
    match read.await {
        Ok(read) => Ok((providers, Some(read))),
        Err(_) if is_passed_to(&providers, kind) => {
            providers.retain(|provider| provider.kind == kind);
            Ok((providers, None))
        }
        Err(error) => Err(error),
    }
}

/// Returns whether a request of this dialect is passed on as it came to the first of these providers.
pub(super) fn is_passed_to(providers: &[Provider], kind: ProviderKind) -> bool {
    providers.first().is_some_and(|first| first.kind == kind)
}

/// Asks a model. Returns what to follow, the model that answers, and whether its answer is passed on as it comes.
///
/// # Errors
///
/// If none answers, or the caller may take no more tokens today.
pub(super) async fn ask(
    state: &State,
    caller: &Caller,
    (providers, passed, named): (Vec<Provider>, Passed, Option<Named>),
) -> Result<(Followed, bool)> {
    let Passed { raw, read, hides_usage } = passed;
    let kind = raw.kind;
    let (messages, Brief { instructions, tools, options }) = read.unwrap_or_default();
    let raw = Some(Arc::new(raw));
    let chat = ChatRequest { system: instructions, messages, tools, options, raw, ..ChatRequest::default() };
    let answer = state.agent.ask_model(caller, &providers, &chat).await?;
    let is_passed = answer.provider().kind == kind;
    let pieces = ModelPieces::new(answer, is_passed, hides_usage);
    Ok((Followed::of_model(pieces, named), is_passed))
}

/// Asks a model in no dialect. Returns what to follow.
///
/// # Errors
///
/// As [`ask`] has them.
pub(super) async fn translated(
    state: &State,
    caller: &Caller,
    (providers, messages, brief): (Vec<Provider>, Vec<ChatMessage>, Brief),
    named: Option<Named>,
) -> Result<Followed> {
    let Brief { instructions, tools, options } = brief;
    let chat = ChatRequest { system: instructions, messages, tools, options, ..ChatRequest::default() };
    let answer = state.agent.ask_model(caller, &providers, &chat).await?;
    let pieces = ModelPieces::new(answer, false, false);
    Ok(Followed::of_model(pieces, named))
}
