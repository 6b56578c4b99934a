//! The body of a webhook: whoever sends it is known by its signature alone, once all of it is there.

use std::sync::Arc;

use actix_web::{FromRequest, HttpRequest, dev::Payload, web::Data};
use tokio::sync::OwnedSemaphorePermit;

use super::{Reading, RoomedBytes, read_at_most};
use crate::http::{error::HttpError, state::State};
use satchel_model::error::{Error, Kind};

/// Largest body of a webhook.
const LARGEST: usize = 1 << 20;
/// The body of a webhook, as it came.
pub(in crate::http) struct HookBody {
    pub(in crate::http) bytes: RoomedBytes,
    _place: OwnedSemaphorePermit,
}

impl FromRequest for HookBody {
    type Error = actix_web::Error;
    type Future = Reading<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let state = request.app_data::<Data<State>>().ok_or_else(|| Error::internal("the server has no state"));
            let places = Arc::clone(&state.map_err(HttpError)?.hooks);
            let place = places.try_acquire_owned().map_err(|_| {
                HttpError(Error::new(
                    Kind::Busy,
                    "Too many webhooks are sent at once: this one was not taken. Send it again.",
                ))
            })?;
            Ok(Self { bytes: read_at_most(&request, payload, LARGEST).await?, _place: place })
        })
    }
}
