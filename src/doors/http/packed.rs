//! Assets the binary holds compressed, sent as they are to whoever takes them so.

use std::{borrow::Cow, io::Read};

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::header::{ACCEPT_ENCODING, AcceptEncoding, CONTENT_ENCODING, ContentEncoding, Encoding, Header, VARY},
    web::Bytes,
};
use flate2::read::GzDecoder;

use satchel_model::error::{Error, Result};

/// Finishes an answer with a body that is stored as gzip.
pub(super) fn send(
    request: &HttpRequest,
    mut response: HttpResponseBuilder,
    packed: Cow<'static, [u8]>,
) -> Result<HttpResponse> {
    let body = if takes_gzip(request) {
        response.insert_header((CONTENT_ENCODING, ContentEncoding::Gzip));
        match packed {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => bytes.into(),
        }
    } else {
        unpack(&packed)?.into()
    };
    Ok(response.insert_header((VARY, ACCEPT_ENCODING.as_str())).body(body))
}

fn takes_gzip(request: &HttpRequest) -> bool {
    let offered = [Encoding::gzip(), Encoding::identity()];
    AcceptEncoding::parse(request).ok().and_then(|wish| wish.negotiate(offered.iter())) == Some(Encoding::gzip())
}

/// The bytes that were compressed.
fn unpack(packed: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes).map_err(Error::internal)?;
    Ok(bytes)
}
