//! The console's files, inside the binary, compressed. Paths that are no file are pages: the console routes them itself.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH},
    },
};
use rust_embed::{EmbeddedFile, RustEmbed};

use super::{
    error::{HttpResult, no_such_path},
    packed,
};
use satchel_model::error::{Error, Kind, Result};

#[derive(RustEmbed)]
#[folder = "$OUT_DIR/console"]
struct Files;

/// The file or page of a request.
pub(super) async fn page(request: HttpRequest) -> HttpResult<HttpResponse> {
    let path = request.match_info().as_str().trim_start_matches('/');
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if !reads || path == "api" || path.starts_with("api/") || path.starts_with("v1/") {
        return Err(no_such_path().into());
    }
    if let Some(file) = Files::get(path).filter(|_| path != "index.html") {
        // The build puts a hash of the content into the names of these.
        let lasts = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
        return Ok(send(&request, file, (path, lasts))?);
    }
    // A missing file must not come back as a page with status 200.
    if path.starts_with("assets/")
        || path.rsplit('/').next().is_some_and(|name| name.contains('.') && name != "index.html")
    {
        return Err(no_such_path().into());
    }
    let page = Files::get("index.html").ok_or_else(|| {
        Error::new(Kind::NotFound, "This binary was built without its console: build it with `make build`.")
    })?;
    Ok(send(&request, page, ("index.html", "no-cache"))?)
}

fn send(request: &HttpRequest, file: EmbeddedFile, (path, lasts): (&str, &str)) -> Result<HttpResponse> {
    // Weak: the same file may be sent compressed or not.
    let tag = format!("W/\"{}\"", hex::encode(file.metadata.sha256_hash().get(..16).unwrap_or_default()));
    let same = request
        .headers()
        .get(IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|known| known.split(',').any(|known| known.trim() == tag || known.trim() == "*"));
    let mut response = if same { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((ETAG, tag)).insert_header((CACHE_CONTROL, lasts));
    if same {
        return Ok(response.finish());
    }
    response.insert_header((CONTENT_TYPE, media_type(path, &file)));
    packed::send(request, response, file.data)
}

fn media_type(path: &str, file: &EmbeddedFile) -> String {
    let known = file.metadata.mimetype();
    let text = known.starts_with("text/") || path.ends_with(".js") || path.ends_with(".svg") || path.ends_with(".json");
    if text { format!("{known}; charset=utf-8") } else { known.to_owned() }
}
