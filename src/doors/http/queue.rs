//! `/api/conversations/{id}/queue`: messages that were sent while an answer was under way.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;

use super::{
    body::{Body, id},
    json::Json,
    route::{Guard::SignedIn, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    caller::Caller,
    conversation::{ConversationId, MessageId, Moment, QueuedMessage},
    error::Result,
};
use satchel_store::turns::QueuedChange;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, SignedIn).personal(),
        route!(change, SignedIn).personal(),
        route!(withdraw, SignedIn).personal(),
        route!(send, SignedIn).personal(),
    ]
}

/// The messages that wait in a conversation, in the order in which they are taken. Where no answer is under way, the last
/// one broke off or was stopped, and they wait until somebody sends them.
#[utoipa::path(get, path = "/api/conversations/{id}/queue",
    tag = "conversations", params(("id" = String, Path,)), responses((status = 200, body = Vec<QueuedMessage>)))]
async fn list(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<String>,
) -> HttpResult<Json<Vec<QueuedMessage>>> {
    Ok(state.agent.queued(caller.user, id(&path)?).await.map(Json)?)
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = QueuedChange)]
struct Change {
    /// Another text.
    #[schema(min_length = 1, pattern = r"\S")]
    content: Option<String>,
    /// Another moment.
    when: Option<Moment>,
}

/// Changes a message that waits. Whoever gives it another text is its sender from then on, with what they may do.
#[utoipa::path(patch, path = "/api/conversations/{id}/queue/{message_id}", request_body = Change,
    tag = "conversations", params(("id" = String, Path,), ("message_id" = String, Path,)), responses(
    (status = 200, body = QueuedMessage),
    (status = 404, description = "It does not wait any more.", body = super::error::Problem),
))]
async fn change(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<(String, String)>,
    body: Body<Change>,
) -> HttpResult<Json<QueuedMessage>> {
    let Change { content, when } = body.0;
    let change = QueuedChange { text: content, moment: when };
    Ok(state.agent.change_queued(&caller, place(&path)?, change).await.map(Json)?)
}

/// Withdraws a message that waits: it is not sent.
#[utoipa::path(delete, path = "/api/conversations/{id}/queue/{message_id}",
    tag = "conversations", params(("id" = String, Path,), ("message_id" = String, Path,)), responses(
    (status = 204, description = "Withdrawn."),
    (status = 404, description = "It does not wait any more.", body = super::error::Problem),
))]
async fn withdraw(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<(String, String)>,
) -> HttpResult<HttpResponse> {
    state.agent.withdraw_queued(caller.user, place(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Sends a message that waits where no answer is under way. Its turn is followed at `/api/conversations/{id}/events`.
#[utoipa::path(post, path = "/api/conversations/{id}/queue/{message_id}/send",
    tag = "conversations", params(("id" = String, Path,), ("message_id" = String, Path,)), responses(
    (status = 204, description = "Its turn has begun."),
    (status = 404, description = "It does not wait any more.", body = super::error::Problem),
    (status = 409, description = "No model is connected, or an answer is under way.", body = super::error::Problem),
    (status = 429, description = "The caller's tokens of the day are used up.", body = super::error::Problem),
))]
async fn send(state: Data<State>, Who(caller): Who<Caller>, path: Path<(String, String)>) -> HttpResult<HttpResponse> {
    state.agent.send_queued(caller.user, place(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

fn place(path: &Path<(String, String)>) -> Result<(ConversationId, MessageId)> {
    Ok((id(&path.0)?, id(&path.1)?))
}
