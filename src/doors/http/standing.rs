//! The standing of a request while it lasts: a credential may end, and a role may shrink, while a body is on its way or a
//! stream goes on.

use actix_web::{HttpRequest, web::Data};

use super::{caller::identity, state::State};
use satchel_model::error::Result;
use satchel_store::people::SharedIdentity;

/// The credential that a request came in with, to be looked up again.
#[derive(Clone)]
pub(super) struct Standing(Option<(Data<State>, SharedIdentity)>);

impl Standing {
    /// Of this request. Nothing is looked up for one that nobody signs.
    pub(super) fn new(request: &HttpRequest) -> Self {
        Self(request.app_data::<Data<State>>().cloned().zip(identity(request).ok()))
    }

    /// Checks that the credential holds as it did at the gate.
    ///
    /// # Errors
    ///
    /// If it no longer holds, or gives less than it gave there.
    pub(super) async fn ensure(&self) -> Result<()> {
        match &self.0 {
            Some((state, identity)) => state.app.stores.people.ensure_lasting(identity, state.app.clock.now()).await,
            None => Ok(()),
        }
    }
}
