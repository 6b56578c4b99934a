//! The OpenAPI document as it is served: `openapi.json`, which a test holds to be what the routes say.

use actix_web::{HttpRequest, HttpResponse, http::header::ContentType};

use super::{
    packed,
    route::{Guard::Public, Route, route},
};
use crate::http::error::HttpResult;

/// The document, compressed.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json"));

pub(super) fn routes() -> Vec<Route> {
    vec![route!(read, Public)]
}

/// This document.
#[utoipa::path(get, path = "/api/openapi.json",
    tag = "platform", responses((status = 200, description = "OpenAPI 3.1", content_type = "application/json")))]
async fn read(request: HttpRequest) -> HttpResult<HttpResponse> {
    let mut response = HttpResponse::Ok();
    response.content_type(ContentType::json());
    Ok(packed::send(&request, response, PACKED.into())?)
}
