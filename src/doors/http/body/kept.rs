//! A JSON body that is read, and kept as it came: it may be passed on.

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::{Reading, RoomedBytes, Standing, parsed, read_object};
use crate::http::error::HttpError;
use satchel_model::error::Error;

/// A JSON body and its bytes. What `T` does not know is not looked at.
pub(in crate::http) struct Kept<T> {
    /// The value that was read.
    pub(in crate::http) parsed: T,
    /// The body.
    pub(in crate::http) bytes: Bytes,
}

impl<T: DeserializeOwned + Send + 'static> FromRequest for Kept<T> {
    type Error = actix_web::Error;
    type Future = Reading<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let Some(read) = read_object(&request, payload).await? else {
                return Err(HttpError(Error::invalid("The body is empty: send a JSON object.")).into());
            };
            let RoomedBytes { bytes, _room } = read;
            let copy = RoomedBytes { bytes: bytes.clone(), _room };
            let parsed = parsed(&request, copy).await.map_err(HttpError)?;
            Standing::new(&request).ensure().await.map_err(HttpError)?;
            Ok(Self { parsed, bytes })
        })
    }
}
