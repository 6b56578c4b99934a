//! `/mcp`: clients of the Model Context Protocol, in three revisions on one address. Who asks is a program with a key; what
//! it calls goes through the one pipeline.

mod call;
mod dispatch;
mod icons;
mod lifecycle;
mod listening;
mod page;
mod prompts;
mod question;
mod render;
mod resources;
mod stream;
mod tools;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header::ORIGIN},
    web::Data,
};
use serde_json::Value;

use super::{
    body::{self, RawBody},
    caller::Signed,
    client::HangUp,
    protocol::{
        headers::Accepted,
        peer,
        principal::Principal,
        rpc::{Failure, Message, RequestId},
    },
    route::{Guard::Program, Route, route},
    state::State,
};
use satchel_model::error::Error;

pub(super) fn routes() -> Vec<Route> {
    let all = [route!(message, Program).calls_others(), route!(listen, Program), route!(end, Program)];
    all.into_iter().map(Route::own_errors).collect()
}

/// One message of an MCP client, as JSON-RPC. A request is answered by one JSON object, or by a stream of events that ends
/// with it.
#[utoipa::path(post, path = "/mcp", tag = "mcp", request_body = Value, responses(
    (status = 200, body = Value, description = "The answer, also where the request failed: then with an `error`."),
    (status = 202, description = "A notification, or the answer to a request of ours, was taken."),
    (status = 400, body = Value, description = "It is no message, or its headers do not fit."),
    (status = 404, body = Value, description = "There is no such method or session."),
    (status = 406, body = Value, description = "It takes no kind of answer there is."),
))]
async fn message(
    state: Data<State>,
    http: HttpRequest,
    Signed(identity): Signed,
    HangUp(hung_up): HangUp,
    body: Result<RawBody, actix_web::Error>,
) -> HttpResponse {
    let message = match admit(&state, &http) {
        Ok(()) => read(&http, body).await,
        Err(failure) => Err(failure),
    };
    match message {
        Ok(Message::Request(request)) => {
            let id = request.id.clone();
            let answered = dispatch::answer(state, &http, &identity, hung_up, request).await;
            answered.unwrap_or_else(|failure| failure.of(Some(id)).into_response())
        }
        Ok(Message::Notification { method, params }) => {
            if method == "notifications/cancelled"
                && let Ok(session) =
                    peer::of_session(&state.mcp.sessions, Principal::of(&identity.caller), http.headers())
                && let Some(Ok(id)) = params.get("requestId").cloned().map(serde_json::from_value::<RequestId>)
            {
                session.stop(&id);
            }
            HttpResponse::Accepted().finish()
        }
        Ok(Message::Response { id, result }) => {
            match peer::of_session(&state.mcp.sessions, Principal::of(&identity.caller), http.headers()) {
                Ok(session) if session.answer(&id, result) => HttpResponse::Accepted().finish(),
                Ok(_) => Failure::request("No request of this id waits for an answer.").into_response(),
                Err(failure) => failure.into_response(),
            }
        }
        Err(failure) => failure.into_response(),
    }
}

/// A stream of what a session is told without having asked.
#[utoipa::path(get, path = "/mcp", tag = "mcp", responses(
    (status = 200, content_type = "text/event-stream", body = String, description = "Notifications, as they come."),
    (status = 400, body = Value, description = "It names no session."),
    (status = 404, body = Value, description = "There is no such session."),
    (status = 406, body = Value, description = "It takes no stream."),
))]
async fn listen(state: Data<State>, http: HttpRequest, Signed(identity): Signed) -> HttpResponse {
    let session =
        admit(&state, &http)
            .and_then(|()| peer::of_session(&state.mcp.sessions, Principal::of(&identity.caller), http.headers()))
            .and_then(|session| match Accepted::of(http.headers()).events {
                true => Ok(session),
                false => Err(Failure::request("This is a stream of events: take text/event-stream.")
                    .at(StatusCode::NOT_ACCEPTABLE)),
            });
    match session {
        Ok(session) => listening::of_session(state, &http, identity, session),
        Err(failure) => failure.into_response(),
    }
}

/// Ends a session.
#[utoipa::path(delete, path = "/mcp", tag = "mcp", responses(
    (status = 204, description = "It has ended."),
    (status = 400, body = Value, description = "It names no session."),
    (status = 404, body = Value, description = "There is no such session."),
))]
async fn end(state: Data<State>, http: HttpRequest, Signed(identity): Signed) -> HttpResponse {
    let principal = Principal::of(&identity.caller);
    let session = admit(&state, &http).and_then(|()| peer::of_session(&state.mcp.sessions, principal, http.headers()));
    match session {
        Ok(session) if state.mcp.sessions.end(&session.id, principal) => HttpResponse::NoContent().finish(),
        Ok(_) => HttpResponse::NotFound().finish(),
        Err(failure) => failure.into_response(),
    }
}

/// Checks that no page of another site asks, and that this server is asked by a name of its own.
fn admit(state: &State, http: &HttpRequest) -> Result<(), Failure> {
    let foreign = |error: Error| Failure::request(error.message().to_owned()).at(StatusCode::FORBIDDEN);
    if http.headers().contains_key(ORIGIN) {
        return state.hosts.require_same_origin(http.headers()).map_err(foreign);
    }
    state.hosts.require_host(http.headers()).map_err(foreign)
}

async fn read(http: &HttpRequest, body: Result<RawBody, actix_web::Error>) -> Result<Message, Failure> {
    let refused =
        |error: actix_web::Error| Failure::request(error.to_string()).at(error.as_response_error().status_code());
    body::require_json(http).map_err(|refusal| refused(refusal.into()))?;
    let accepted = Accepted::of(http.headers());
    if !accepted.json && !accepted.events {
        let message = "Answers are application/json or text/event-stream: take both.";
        return Err(Failure::request(message).at(StatusCode::NOT_ACCEPTABLE));
    }
    let RawBody(bytes) = body.map_err(refused)?;
    if bytes.is_empty() {
        return Err(Failure::unreadable("The body is empty: send one message of JSON-RPC.".to_owned()));
    }
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        return Err(Failure::request("One message a body: send the messages of a list one by one."));
    }
    let value: Value =
        body::parsed(http, bytes).await.map_err(|error| Failure::unreadable(error.message().to_owned()))?;
    Message::parse(value)
}
