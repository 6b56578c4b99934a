//! An upgrade that came to nothing: refused by an answer of HTTP, or broken off.

use std::time::Duration;

use http::{
    HeaderMap, HeaderValue,
    header::{CONTENT_LENGTH, TRANSFER_ENCODING},
};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_tungstenite::tungstenite::{
    self,
    error::{ProtocolError, SubProtocolError},
};
use url::Url;

use satchel_model::error::{Error, Kind};

/// The time for which the rest of a refusal's words is waited for, and the number of bytes of them that are read.
const REFUSAL: Duration = Duration::from_secs(1);
const MOST_WORDS: u64 = 16 << 10;
/// Characters of a refusal that are told.
const TOLD: usize = 1_500;

/// An upgrade that was answered as an ordinary request, with the server's words.
pub(super) async fn refused(
    url: &Url,
    answer: http::Response<Option<Vec<u8>>>,
    rest: &mut (impl AsyncRead + Unpin),
) -> Error {
    let (host, status) = (url.host_str().unwrap_or_default(), answer.status().as_u16());
    let (head, body) = answer.into_parts();
    let words = words(&head.headers, body.unwrap_or_default(), rest).await;
    let told: String = words.trim().chars().take(TOLD).collect();
    let says = if told.is_empty() { ".".to_owned() } else { format!(": {told}") };
    let kind = match status {
        400 | 405 | 406 | 411 | 413..=416 | 422 => Kind::Invalid,
        401 | 403 => Kind::Unconfigured,
        404 | 410 => Kind::NotFound,
        409 | 412 => Kind::Conflict,
        429 => Kind::Exhausted,
        _ => Kind::Upstream,
    };
    let advice = match status {
        401 => " (its credential was refused: an administrator enters it anew in the console, under Catalog)",
        403 => " (its credential may not do this: an administrator looks at it in the console, under Catalog)",
        _ => "",
    };
    let message = format!("'{host}' answered the upgrade to WebSocket with status {status}, not 101{advice}{says}");
    Error::new(kind, message).with_details(json!({"status": status, "body": told})).as_answer()
}

/// The body of a refusal: what came with its head, and the rest of it where that is there soon.
async fn words(headers: &HeaderMap, begun: Vec<u8>, rest: &mut (impl AsyncRead + Unpin)) -> String {
    let header = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let length = header(CONTENT_LENGTH).and_then(|length| length.trim().parse().ok()).unwrap_or(MOST_WORDS);
    let mut body = begun;
    let left = length.min(MOST_WORDS).saturating_sub(body.len() as u64);
    // A connection that stays open without a length just takes the time.
    let _ = tokio::time::timeout(REFUSAL, rest.take(left).read_to_end(&mut body)).await;
    let is_chunked = header(TRANSFER_ENCODING).is_some_and(|how| how.to_ascii_lowercase().contains("chunked"));
    let body = if is_chunked { unchunked(&body) } else { body };
    String::from_utf8_lossy(&body).into_owned()
}

/// Returns the contents of a chunked body (RFC 9112, 7.1), as far as it has come.
fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|pair| pair == b"\r\n") {
        let (line, after) = (body.get(..end).unwrap_or_default(), body.get(end + 2..).unwrap_or_default());
        let size = std::str::from_utf8(line).unwrap_or_default();
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        whole.extend_from_slice(after.get(..size).unwrap_or(after));
        body = after.get(size.saturating_add(2)..).unwrap_or_default();
    }
    whole
}

/// Returns why an upgrade failed without an answer to it, in words.
pub(super) fn no_socket(url: &Url, error: tungstenite::Error) -> Error {
    let host = url.host_str().unwrap_or_default();
    let message = match &error {
        tungstenite::Error::Protocol(ProtocolError::SecWebSocketSubProtocolError(problem)) => match problem {
            SubProtocolError::NoSubProtocol => {
                format!("'{host}' speaks none of the subprotocols in Sec-WebSocket-Protocol.")
            }
            _ => format!("'{host}' chose a subprotocol that was not offered."),
        },
        tungstenite::Error::Protocol(_) => format!("'{host}' does not speak WebSocket at this path."),
        _ => format!("The connection to '{host}' broke before it was a WebSocket."),
    };
    Error::upstream(message).caused_by(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunked_body_is_put_together_as_far_as_it_has_come() {
        assert_eq!(unchunked(b"5\r\nhello\r\n6;x=1\r\n world\r\n0\r\n\r\n"), b"hello world");
        assert_eq!(unchunked(b"ff\r\nhello"), b"hello");
        assert_eq!(unchunked(b"ffffffffffffffff\r\nhello"), b"hello");
        assert_eq!(unchunked(b"no chunks\r\n"), b"");
    }
}
