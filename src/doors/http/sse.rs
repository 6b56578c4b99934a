//! Server-sent events: how one looks, and the answer that carries them.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, http::header, web::Bytes};
use futures_util::{Stream, StreamExt, future, stream};
use serde::Serialize;

use super::standing::Standing;
use satchel_model::error::{Error, Result};

/// A comment that every stream begins with: Firefox tells a page of an answer only when some of its body has come.
const OPEN: &[u8] = b": open\n\n";

/// The time a stream may be silent: proxies cut off longer ones, and who hears nothing for 40 s opens another.
pub(super) const ALIVE_EVERY: Duration = Duration::from_secs(15);

/// A comment that says nothing but that the stream is alive.
pub(super) const fn beat() -> Bytes {
    Bytes::from_static(b": still here\n\n")
}

/// One event of a stream.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the events for the document")]
pub(super) struct ServerSentEvent {
    /// The id that `Last-Event-ID` names to go on after it.
    id: String,
    /// The event.
    event: String,
    /// More of it, as JSON.
    data: String,
}

/// One event as it stands on the wire.
pub(super) fn event(id: &str, name: &str, data: &impl Serialize) -> Result<String> {
    let data = serde_json::to_string(data).map_err(Error::internal)?;
    Ok(frame(id, name, &data))
}

/// One event whose data is JSON already.
pub(super) fn frame(id: &str, name: &str, data: &str) -> String {
    format!("id: {id}\nevent: {name}\ndata: {data}\n\n")
}

/// An answer to a GET that streams events; nothing on the way may hold them back, and nothing keeps them.
pub(super) fn response(request: &HttpRequest, events: impl Stream<Item = Result<Bytes>> + 'static) -> HttpResponse {
    streaming(request, events, "no-store")
}

/// The same to a POST, which is stored nowhere: Chromium reports it as broken off where `no-store` says so once more.
pub(super) fn posted(request: &HttpRequest, events: impl Stream<Item = Result<Bytes>> + 'static) -> HttpResponse {
    streaming(request, events, "private, no-cache")
}

/// Ends at the first event, or beat, that finds the credential of the request gone: it is not sent.
fn streaming(
    request: &HttpRequest,
    events: impl Stream<Item = Result<Bytes>> + 'static,
    caching: &'static str,
) -> HttpResponse {
    let standing = Standing::new(request);
    let events = events.take_while(move |_| {
        let standing = standing.clone();
        async move { standing.ensure().await.is_ok() }
    });
    HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((header::CACHE_CONTROL, caching))
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .insert_header(("x-accel-buffering", "no"))
        .streaming(stream::once(future::ready(Ok(Bytes::from_static(OPEN)))).chain(events))
}
