//! Requests that are sent again: with an `Idempotency-Key` they are answered once.

use actix_web::{HttpRequest, HttpResponse, http::header::HeaderName, web::Data};

use super::images::wrong;
use crate::http::state::State;
use satchel_model::{caller::Caller, error::Result};
use satchel_store::repeatable::{self, Known, RequestName};

const HEADER: HeaderName = HeaderName::from_static("idempotency-key");
/// Longest name of a request, in bytes.
const LONGEST: usize = 255;
/// Longest answer of a model that is kept; a longer one is asked for anew.
const KEPT: usize = 4 << 20;

/// The name of a request that is sent for the first time. Where it is dropped before something has answered it, the request
/// can be sent again.
pub(super) struct Named {
    state: Data<State>,
    name: Option<RequestName>,
    /// The answer so far.
    answer: String,
    is_too_long: bool,
}

/// A request, if it has a name.
pub(super) enum Sent {
    /// For the first time, or without a name.
    First(Option<Named>),
    /// Again.
    Again(Known),
}

/// Looks whether a request was sent before.
///
/// # Errors
///
/// If another one has its name, or it is being answered.
pub(super) async fn sent(state: &Data<State>, request: &HttpRequest, (caller, body): (&Caller, &[u8])) -> Result<Sent> {
    let Some(given) = request.headers().get(HEADER) else { return Ok(Sent::First(None)) };
    let name = given.to_str().ok().filter(|name| !name.is_empty() && name.len() <= LONGEST);
    let name = name.ok_or_else(|| wrong("Idempotency-Key", &format!("write 1 to {LONGEST} characters of ASCII")))?;
    let name = RequestName::new(caller, name.to_owned());
    let now = state.app.clock.now();
    Ok(match repeatable::take(&state.app.db, name.clone(), (request.path(), body), now).await? {
        Some(known) => Sent::Again(known),
        None => Sent::First(Some(Named {
            state: state.clone(),
            name: Some(name),
            answer: String::new(),
            is_too_long: false,
        })),
    })
}

impl Named {
    /// The name, for the run that answers.
    pub(super) fn name(&self) -> Option<RequestName> {
        self.name.clone()
    }

    /// Leaves it to the run that answers it, which is known by its name from now on.
    pub(super) fn bind(mut self) {
        self.name = None;
    }

    /// Takes in more of the answer.
    pub(super) fn write(&mut self, text: &str) {
        if self.answer.len() + text.len() > KEPT {
            self.is_too_long = true;
            self.answer = String::new();
        }
        if !self.is_too_long {
            self.answer.push_str(text);
        }
    }

    /// Keeps the answer.
    pub(super) async fn finish(mut self) {
        if self.is_too_long {
            return;
        }
        let Some(name) = self.name.take() else { return };
        if let Err(error) = repeatable::answer(&self.state.app.db, name, std::mem::take(&mut self.answer)).await {
            tracing::warn!(?error, "an answer could not be kept for a request that is sent again");
        }
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        let Some(name) = self.name.take() else { return };
        let db = self.state.app.db.clone();
        let let_go = async move {
            if let Err(error) = repeatable::let_go(&db, name).await {
                tracing::warn!(?error, "the name of a request could not be let go");
            }
        };
        let lifecycle = &self.state.app.lifecycle;
        lifecycle.tracker.spawn_on(let_go, &lifecycle.runtime);
    }
}

/// The answer to a request that was sent before, as it was sent then.
pub(super) fn repeated(answer: String) -> HttpResponse {
    let kind = if answer.trim_start().starts_with('{') { "application/json" } else { "text/event-stream" };
    HttpResponse::Ok().content_type(kind).insert_header(("cache-control", "no-store")).body(answer)
}
