//! Extractors that hand the caller to handlers: put there by the gate, missing nowhere a guard demands one.

use std::future::{Ready, ready};

use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload, web::Data};

use super::state::State;
use crate::{
    model::{
        caller::Caller,
        error::{Error, Kind, Result},
    },
    store::people::{Actor, SharedIdentity},
};

/// The caller with their role and session.
pub(super) struct Signed(pub(super) SharedIdentity);

/// The asker.
pub(super) fn identity(request: &HttpRequest) -> Result<SharedIdentity> {
    request.extensions().get::<SharedIdentity>().cloned().ok_or_else(nobody)
}

/// The error where a credential is needed and none was shown.
pub(super) fn nobody() -> Error {
    Error::new(Kind::Unauthenticated, "Sign in, or send an API key as `Authorization: Bearer …`.")
}

impl FromRequest for Signed {
    type Error = Error;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(identity(request).map(Self))
    }
}

impl FromRequest for Caller {
    type Error = Error;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(identity(request).map(|identity| identity.caller.clone()))
    }
}

impl FromRequest for Actor {
    type Error = Error;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let state = request.app_data::<Data<State>>().ok_or_else(|| Error::internal("the server has no state"));
        ready(state.and_then(|state| {
            let identity = identity(request)?;
            Ok(Self { caller: identity.caller.clone(), session: identity.session, now: state.app.clock.now() })
        }))
    }
}
