//! The gate before each route: who asks, and may they; then the handler, never an unanswered panic.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Instant};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    body::{BodySize, BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue},
    },
    middleware::Next,
    rt::spawn,
    web::Data,
};
use futures_util::FutureExt;
use uuid::Uuid;

use super::{
    caller::nobody,
    client::{self, HangUp, Shown},
    headers,
    meters::RouteMeter,
    route::{Guard, Route},
    state::State,
    v1::dialect::{self, DialectError, RequestId},
};
use crate::http::error::HttpError;
use satchel_model::{
    audit::{AuditOutcome, Event, EventType},
    caller::{Caller, Credential},
    error::{Error, Kind, Result},
};
use satchel_share::behalf;
use satchel_store::people::SharedIdentity;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Answers smaller than this are not worth compressing.
const WORTH_COMPRESSING: u64 = 1024;

/// A route as it is served, with its counters.
pub(super) struct Endpoint {
    pub(super) route: Route,
    pub(super) meter: RouteMeter,
}

/// Around everything: what every answer carries, the log and the counters.
pub(super) async fn pass(
    state: Data<State>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> std::result::Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let started = Instant::now();
    let id = Uuid::now_v7();
    request.extensions_mut().insert(RequestId(id));
    // Nothing below fails: whatever goes wrong there is an answer already.
    let mut response = next.call(request).await?.map_into_boxed_body();
    log(&response, id);
    finish(response.response_mut(), id);
    let endpoint = response.request().extensions().get::<Arc<Endpoint>>().cloned();
    let meter = endpoint.as_ref().map_or(&state.meters.other, |endpoint| &endpoint.meter);
    meter.count(response.status().as_u16(), started.elapsed());
    Ok(response)
}

/// Around the handler of a route: who asks, may they, and an answer whatever happens.
pub(super) async fn serve(
    endpoint: Arc<Endpoint>,
    state: Data<State>,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> std::result::Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let own = request.request().clone();
    own.extensions_mut().insert(Arc::clone(&endpoint));
    let answered = answer(&endpoint.route, &state, request, next).await;
    let answered =
        answered.unwrap_or_else(|error| ServiceResponse::new(own, HttpResponse::from_error(HttpError(error))));
    Ok(match endpoint.route.speaks {
        Some(speaks) => dialect::spoken(answered, speaks),
        None => answered,
    })
}

async fn answer(
    route: &Route,
    state: &State,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>> {
    let identity = admit(request.request(), state, route).await?;
    match route.speaks {
        None => route.query.ensure(request.query_string())?,
        Some(_) => route.query.ensure_known(request.query_string())?,
    }
    let user = identity.as_ref().map(|identity| identity.caller.user);
    if let Some(identity) = identity {
        request.extensions_mut().insert::<SharedIdentity>(identity);
    }
    let hung_up = HangUp::default();
    request.extensions_mut().insert(hung_up.clone());
    let gone = hung_up.0.drop_guard();
    // In a task of its own: a client that goes away tears nothing apart. A handler that should stop then is told.
    let answered =
        spawn(behalf::run_as(user, contain(async move { next.call(request).await }))).await.map_err(Error::internal)?;
    gone.disarm();
    answered
}

/// Runs a handler; what it panics with becomes an error of ours.
async fn contain<T>(handler: impl Future<Output = std::result::Result<T, actix_web::Error>>) -> Result<T> {
    match AssertUnwindSafe(handler).catch_unwind().await {
        Ok(answer) => answer.map_err(|error| Error::internal(error.to_string())),
        Err(panic) => {
            let what = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let what = what.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Err(Error::internal(format!("a handler panicked: {what}")))
        }
    }
}

/// Returns who asks, if anybody, having made sure that they may.
async fn admit(request: &HttpRequest, state: &State, route: &Route) -> Result<Option<SharedIdentity>> {
    let now = state.app.clock.now();
    let shown = match route.speaks {
        Some(_) => client::shown_by_program(request.headers()),
        None => client::shown(request.headers()),
    };
    // Where nobody is asked who they are, any bearer token would do.
    let by_bearer = matches!(shown, Shown::Bearer(_)) && route.guard != Guard::Public;
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    // A bearer token is never sent by a browser on its own; everything else might be.
    if !by_bearer && (changes || matches!(shown, Shown::Session(_)) || route.guard == Guard::Machine) {
        state.hosts.require_same_origin(request.headers())?;
    }
    if route.guard == Guard::Public {
        return Ok(None);
    }
    let identity = match shown {
        Shown::Bearer(token) => Some(state.app.stores.people.by_key(token, now).await?),
        Shown::Session(token) => Some(state.app.stores.people.by_session(token, now).await?),
        Shown::Unreadable => {
            return Err(Error::new(Kind::Unauthenticated, "Send the key as `Authorization: Bearer …`."));
        }
        Shown::Nothing => None,
    };
    let opens = |identity: &SharedIdentity| if route.personal { identity.caller.ensure_personal() } else { Ok(()) };
    let verdict = allow(route.guard, identity.as_ref(), client::is_local(request, state))
        .and_then(|()| identity.as_ref().map_or(Ok(()), opens));
    if let (Err(error), Some(identity), true) = (&verdict, &identity, changes) {
        state.app.stores.audit.append(refusal(state, identity, route, error)).await?;
    }
    verdict.map(|()| identity)
}

fn allow(guard: Guard, identity: Option<&SharedIdentity>, local: bool) -> Result<()> {
    let signed_in = || identity.map(|identity| &identity.caller).ok_or_else(nobody);
    match guard {
        Guard::Public => Ok(()),
        Guard::SignedIn => signed_in().map(drop),
        Guard::Person => signed_in()?.ensure_person(),
        Guard::Program if identity.is_some_and(|identity| identity.caller.credential == Credential::Session) => {
            Err(nobody())
        }
        Guard::Program => signed_in().map(drop),
        Guard::Permission(permission) => signed_in()?.require(permission),
        Guard::PersonWith(permission) => {
            signed_in()?.ensure_person()?;
            signed_in()?.require(permission)
        }
        Guard::Machine if local => Ok(()),
        Guard::Machine => signed_in()?.require("settings:manage"),
    }
}

/// Checks that it is a person who may do everything.
///
/// # Errors
///
/// If it is not.
pub(super) fn require_administrator(caller: &Caller) -> Result<()> {
    caller.ensure_person()?;
    caller.require("*")
}

/// The audit row of an action that was not permitted.
fn refusal(state: &State, identity: &SharedIdentity, route: &Route, error: &Error) -> Event {
    Event {
        user_id: Some(identity.caller.user),
        user: identity.caller.username.clone(),
        outcome: AuditOutcome::Refused,
        error: Some(error.message().to_owned()),
        ..Event::new(
            state.app.clock.now(),
            EventType::AdminAction,
            identity.caller.door,
            format!("{} {}", route.method, route.path),
        )
    }
}

/// Logs what failed inside as an error, once, with the id the caller sees.
#[expect(clippy::cognitive_complexity, reason = "what a macro expands to is counted")]
fn log(response: &ServiceResponse<BoxBody>, id: Uuid) {
    let request = response.request();
    let line = format_args!("{} {}: {}", request.method(), request.path(), response.status().as_u16());
    let error = response.response().error().and_then(|error| {
        let of_dialect = error.as_error::<DialectError>().map(|error| &error.error);
        error.as_error::<HttpError>().map(|error| &error.0).or(of_dialect)
    });
    match error.map(Error::kind) {
        // What an administrator has switched off, and what another system did, is no failure of ours.
        Some(Kind::Disabled | Kind::Cancelled) => tracing::debug!(request_id = %id, "{line}"),
        Some(Kind::Upstream | Kind::Timeout) => tracing::warn!(request_id = %id, ?error, "{line}"),
        _ if response.status().is_server_error() => tracing::error!(request_id = %id, ?error, "{line}"),
        _ => tracing::debug!(request_id = %id, "{line}"),
    }
}

fn finish(response: &mut HttpResponse, id: Uuid) {
    let small = matches!(response.body().size(), BodySize::None | BodySize::Sized(..WORTH_COMPRESSING));
    let headers = response.headers_mut();
    headers::add(headers);
    let mut text = [0; uuid::fmt::Simple::LENGTH];
    if let Ok(value) = HeaderValue::from_str(id.simple().encode_lower(&mut text)) {
        headers.insert(REQUEST_ID, value);
    }
    let stream = headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"text/event-stream"));
    // A compressor would hold back the events of a stream.
    if (small || stream) && !headers.contains_key(CONTENT_ENCODING) {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("identity"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_answer_that_shows_nothing_and_carries_every_header() {
        let broken: Result<()> = contain(async { panic!("the secret is sesame") }).await;
        let error = broken.unwrap_err();
        assert!(format!("{error:?}").contains("sesame"), "the log must say what happened");
        let mut response = HttpResponse::from_error(HttpError(error));
        finish(&mut response, Uuid::nil());
        assert_eq!(response.status(), 500);
        assert!(response.headers().contains_key("content-security-policy"));
        let body = response.into_body().try_into_bytes().unwrap();
        assert!(!String::from_utf8_lossy(&body).contains("sesame"));
    }
}
