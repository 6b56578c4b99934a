//! Server-sent events: how one looks, and the answer that carries them.

use actix_web::{HttpResponse, http::header, web::Bytes};
use futures_util::Stream;
use serde::Serialize;

use crate::model::error::{Error, Result};

/// One event as it stands on the wire.
pub(super) fn event(id: &str, name: &str, data: &impl Serialize) -> Result<String> {
    let data = serde_json::to_string(data).map_err(Error::internal)?;
    Ok(frame(id, name, &data))
}

/// One event whose data is JSON already.
pub(super) fn frame(id: &str, name: &str, data: &str) -> String {
    format!("id: {id}\nevent: {name}\ndata: {data}\n\n")
}

/// An answer that streams events; nothing on the way may hold them back.
pub(super) fn response(events: impl Stream<Item = Result<Bytes>> + 'static) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .insert_header(("x-accel-buffering", "no"))
        .streaming(events)
}
