//! `/api/conversations/{id}/messages` and its like: the chat turn as a stream of events.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Bytes, Data, Path, Query},
};
use futures_util::{Stream, stream};
use serde::Deserialize;

use super::{
    body::{Body, OptionalBody, id},
    route::{Guard::SignedIn, Route, route},
    sse,
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_agent::{chat::NewMessage, log::Subscription, queue::Sent};
use satchel_model::{
    agent::draft::AgentDraft,
    caller::Caller,
    conversation::{Attachment, Moment, QueuedMessage},
    error::{Error, Result},
    llm::ProviderId,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(send, SignedIn).personal(),
        route!(follow, SignedIn).personal(),
        route!(stop, SignedIn).personal(),
        route!(regenerate, SignedIn).personal(),
    ]
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewMessage)]
struct Send {
    /// The text of the person's message.
    #[schema(min_length = 1, pattern = r"\S")]
    content: String,
    /// Images and text files.
    #[serde(default)]
    attachments: Vec<Attachment>,
    /// The provider to ask first.
    #[schema(value_type = Option<String>, format = "uuid")]
    provider: Option<ProviderId>,
    /// An agent that is tried with this message, as it is written now. Nothing of it is kept.
    draft: Option<AgentDraft>,
    /// The moment at which it is taken where an answer is under way; left out, it is refused then.
    when: Option<Moment>,
}

/// Sends a message and streams the turn: `token`, `tool_start`, `tool_end`, `confirmation`, `ticket_decided`, `memory`,
/// `context`, `usage`, `title`, `error`, and at the end `done`, whose `state` is `waiting` where a person must decide.
/// Going away does not end the turn. With `when`, a message that comes while an answer is under way, or waits for a
/// decision, is queued: the streams of that answer tell it as `queue`, and as `steered` once the turn has taken it in.
#[utoipa::path(post, path = "/api/conversations/{id}/messages",
    request_body = Send, tag = "conversations", params(("id" = String, Path,)), responses(
    (status = 200, description = "Server-sent events, each of this form", content_type = "text/event-stream", body = sse::ServerSentEvent),
    (status = 202, description = "It waits for its moment.", body = QueuedMessage),
    (status = 409, description = "No model is connected, an answer is under way and `when` is left out, or too many messages wait.", body = super::error::Problem),
    (status = 429, description = "The caller's tokens of the day are used up.", body = super::error::Problem),
))]
async fn send(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<String>,
    request: HttpRequest,
    body: Body<Send>,
) -> HttpResult<HttpResponse> {
    let Send { content, attachments, provider, draft, when } = body.0;
    let message = NewMessage { content, attachments, provider, draft };
    let events = match when {
        None => state.agent.send(&caller, id(&path)?, message).await?,
        Some(when) => match state.agent.send_or_queue(&caller, id(&path)?, message, when).await? {
            Sent::Begun(events) => events,
            Sent::Queued(queued) => return Ok(HttpResponse::Accepted().json(queued)),
        },
    };
    sse::posted(&request, streamed(state, events))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct EventsQuery {
    /// The same as the header `Last-Event-ID`, for clients that cannot set it.
    last_event_id: Option<String>,
}

/// The events of the last turn, from after the one `Last-Event-ID` names. `reset` means: read the conversation again.
#[utoipa::path(get, path = "/api/conversations/{id}/events",
    tag = "conversations", params(("id" = String, Path,), EventsQuery), responses(
    (status = 200, description = "Server-sent events, each of this form", content_type = "text/event-stream", body = sse::ServerSentEvent),
))]
async fn follow(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<String>,
    query: Query<EventsQuery>,
    request: HttpRequest,
) -> HttpResult<HttpResponse> {
    let header = request.headers().get("last-event-id").and_then(|value| value.to_str().ok());
    let after = header.or(query.last_event_id.as_deref());
    let events = state.agent.events(caller.user, id(&path)?, after).await?;
    sse::response(&request, streamed(state, events))
}

/// Stops the turn that is under way, at once.
#[utoipa::path(post, path = "/api/conversations/{id}/stop",
    tag = "conversations", params(("id" = String, Path,)), responses((status = 204, description = "Stopped.")))]
async fn stop(state: Data<State>, Who(caller): Who<Caller>, path: Path<String>) -> HttpResult<HttpResponse> {
    state.agent.stop(caller.user, id(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct Regenerate {
    /// Another text for the question: it takes the place of the one it had, which stays with the former answer.
    #[schema(min_length = 1, pattern = r"\S")]
    content: Option<String>,
    /// The provider to ask first.
    #[schema(value_type = Option<String>, format = "uuid")]
    provider: Option<ProviderId>,
}

/// Asks the last question again, in other words where `content` gives some, and streams the turn. The answer that stood
/// becomes a former one.
#[utoipa::path(post, path = "/api/conversations/{id}/regenerate",
    tag = "conversations", params(("id" = String, Path,)), request_body = Option<Regenerate>, responses(
    (status = 200, description = "Server-sent events, each of this form", content_type = "text/event-stream", body = sse::ServerSentEvent),
    (status = 409, description = "No model is connected, or an answer is under way.", body = super::error::Problem),
    (status = 429, description = "The caller's tokens of the day are used up.", body = super::error::Problem),
))]
async fn regenerate(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<String>,
    request: HttpRequest,
    body: OptionalBody<Regenerate>,
) -> HttpResult<HttpResponse> {
    let events = state.agent.regenerate(&caller, id(&path)?, (body.0.provider, body.0.content)).await?;
    sse::posted(&request, streamed(state, events))
}

fn streamed(state: Data<State>, events: Subscription) -> impl Stream<Item = Result<Bytes>> + 'static {
    stream::try_unfold((state, events), |(state, mut events)| async move {
        let next = tokio::select! {
            () = state.app.lifecycle.shutdown.cancelled() => return Ok::<_, Error>(None),
            next = tokio::time::timeout(sse::ALIVE_EVERY, events.next()) => next,
        };
        let bytes = match next {
            Err(_) => sse::beat(),
            Ok(Some(frame)) => Bytes::from(sse::frame(&frame.id, frame.event, &frame.data)),
            Ok(None) => return Ok(None),
        };
        Ok(Some((bytes, (state, events))))
    })
}
