//! Extractors that hand the caller to handlers: put there by the gate, missing nowhere a guard demands one.

use std::future::{Ready, ready};

use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload, web::Data};

use super::{
    error::{HttpError, HttpResult},
    state::State,
};
use satchel_model::{
    caller::Caller,
    error::{Error, Kind, Result},
};
use satchel_store::people::{Actor, SharedIdentity};

/// The caller with their role and session.
pub(super) struct Signed(pub(super) SharedIdentity);

/// The caller of a request, alone or with their session and the time.
pub(super) struct Who<T>(pub(super) T);

/// The asker.
pub(super) fn identity(request: &HttpRequest) -> Result<SharedIdentity> {
    request.extensions().get::<SharedIdentity>().cloned().ok_or_else(nobody)
}

/// The error where a credential is needed and none was shown.
pub(super) fn nobody() -> Error {
    Error::new(Kind::Unauthenticated, "Sign in, or send an API key as `Authorization: Bearer …`.")
}

impl FromRequest for Signed {
    type Error = HttpError;
    type Future = Ready<HttpResult<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(identity(request).map(Self).map_err(HttpError))
    }
}

impl FromRequest for Who<Caller> {
    type Error = HttpError;
    type Future = Ready<HttpResult<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(identity(request).map(|identity| Self(identity.caller.clone())).map_err(HttpError))
    }
}

impl FromRequest for Who<Actor> {
    type Error = HttpError;
    type Future = Ready<HttpResult<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let state = request.app_data::<Data<State>>().ok_or_else(|| Error::internal("the server has no state"));
        ready(state.map_err(HttpError).and_then(|state| {
            let identity = identity(request).map_err(HttpError)?;
            let caller = identity.caller.clone();
            Ok(Self(Actor { caller, session: identity.session, now: state.app.clock.now() }))
        }))
    }
}
