//! `/hooks`: other programs call in. Nobody signs in here; each message is signed.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use serde::Serialize;
use serde_json::Value;

use super::{
    body::hook::HookBody,
    route::{Guard::Public, Route, route},
    state::State,
};
use crate::http::error::HttpResult;
use satchel_model::{error::Error, id::Id, job::Firing};
use satchel_services::jobs::signature::Signed;
use satchel_store::jobs::Taken;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(take, Public)]
}

/// A message that was taken.
#[derive(Serialize, utoipa::ToSchema)]
struct HookTaken {
    /// The run that it starts.
    #[schema(value_type = String, format = "uuid")]
    run: Id<Firing>,
}

/// Takes a message, signed as Standard Webhooks has it with the headers `webhook-id`, `webhook-timestamp` and
/// `webhook-signature`, of 1 MB at most: it runs the job of this address. What it carries counts as from outside.
#[utoipa::path(post, path = "/hooks/{token}",
    tag = "jobs",
    params(("token" = String, Path,)),
    request_body(content = Value, content_type = "application/json"),
    responses(
        (status = 202, body = HookTaken),
        (status = 401, body = super::error::Problem, description = "The signature does not fit, or its time is not now."),
        (status = 409, body = super::error::Problem, description = "It was taken before, or its job is paused."),
    ))]
async fn take(
    state: Data<State>,
    request: HttpRequest,
    token: Path<String>,
    body: HookBody,
) -> HttpResult<HttpResponse> {
    let jobs = &state.app.stores.jobs;
    let hook = jobs.by_hook(&token).await?.ok_or_else(|| Error::not_found("There is no webhook at this address."))?;
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let signed = Signed {
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signature: header("webhook-signature"),
        body: &body.bytes,
    };
    let now = state.app.clock.now();
    let message = signed.verify(&hook.secret, now)?;
    if !hook.enabled {
        return Err(Error::conflict("The job of this address is paused. Send it again once it goes on.").into());
    }
    let text = carried(&body.bytes)?;
    match jobs.take_message(hook.job, message, text, now).await? {
        Taken::Run(run) => Ok(HttpResponse::Accepted().json(HookTaken { run })),
        Taken::Before => Err(Error::conflict("This message was taken before: it does not run twice.").into()),
    }
}

/// The body of a message as JSON text; text that is no JSON becomes a string.
fn carried(bytes: &[u8]) -> Result<String, Error> {
    if bytes.is_empty() {
        return Ok(Value::Null.to_string());
    }
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        return Ok(value.to_string());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Error::invalid("The body is neither JSON nor text."))?;
    Ok(Value::from(text).to_string())
}
