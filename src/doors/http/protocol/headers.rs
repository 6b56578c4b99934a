//! Headers that repeat parts of a body, so that what stands between need not read it: both must say the same.

use actix_web::http::header::{ACCEPT, HeaderMap};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::rpc::{Failure, Request};
use satchel_model::text::clip;

/// The revision a message is of.
pub(in crate::http) const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";
/// Around a value that cannot stand in a header as it is.
const ENCODED: (&str, &str) = ("=?base64?", "?=");
/// Most characters of what somebody sent that are repeated.
const SHOWN: usize = 100;

/// A header as text; `None` if it is not there.
///
/// # Errors
///
/// If it is there twice, or holds what no header may.
pub(in crate::http) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Failure> {
    let mut all = headers.get_all(name);
    let Some(first) = all.next() else { return Ok(None) };
    if all.next().is_some() {
        return Err(Failure::header(format!("The header {name} is there more than once.")));
    }
    let text = first.to_str().map_err(|_| Failure::header(format!("The header {name} is no plain text.")))?;
    Ok(Some(text.trim()))
}

/// Checks that a header is there and says what the body says.
///
/// # Errors
///
/// If it does not.
pub(in crate::http) fn same(name: &str, shown: Option<&str>, told: &str) -> Result<(), Failure> {
    match shown {
        Some(shown) if shown == told => Ok(()),
        Some(shown) => Err(Failure::header(format!(
            "Header mismatch: {name} is '{}', and the body says '{}'.",
            clip(shown, SHOWN),
            clip(told, SHOWN)
        ))),
        None => Err(Failure::header(format!("Header mismatch: {name} is missing."))),
    }
}

/// Checks the headers that revision 2026-07-28 demands of a request.
///
/// # Errors
///
/// If one is missing, cannot be read, or says something else than the body.
pub(in crate::http) fn check(headers: &HeaderMap, request: &Request) -> Result<(), Failure> {
    same(METHOD, text(headers, METHOD)?, &request.method)?;
    let named = match request.method.as_str() {
        "tools/call" | "prompts/get" => request.params.get("name"),
        "resources/read" => request.params.get("uri"),
        _ => return Ok(()),
    };
    // What is no text is refused with the parameters.
    let Some(named) = named.and_then(Value::as_str) else { return Ok(()) };
    let shown = text(headers, NAME)?.map(decoded).transpose()?;
    same(NAME, shown.as_deref(), named)
}

fn decoded(shown: &str) -> Result<String, Failure> {
    let Some(inside) = shown.strip_prefix(ENCODED.0).and_then(|rest| rest.strip_suffix(ENCODED.1)) else {
        return Ok(shown.to_owned());
    };
    let bytes = STANDARD.decode(inside).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    bytes.ok_or_else(|| Failure::header(format!("Header mismatch: {NAME} is not Base64 of a text.")))
}

/// The media types that a client takes as an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) struct Accepted {
    /// One JSON object.
    pub(in crate::http) json: bool,
    /// A stream of events.
    pub(in crate::http) events: bool,
}

impl Accepted {
    /// As its header says; without one, it takes both.
    pub(in crate::http) fn of(headers: &HeaderMap) -> Self {
        let mut all = headers.get_all(ACCEPT).filter_map(|value| value.to_str().ok()).peekable();
        if all.peek().is_none() {
            return Self { json: true, events: true };
        }
        let ranges: Vec<String> = all
            .flat_map(|value| value.split(','))
            .map(|range| range.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
            .collect();
        let takes =
            |exact: &str, wide: &str| ranges.iter().any(|range| range == exact || range == wide || range == "*/*");
        Self { json: takes("application/json", "application/*"), events: takes("text/event-stream", "text/*") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};

    fn map(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        map
    }

    fn call(name: &str) -> Request {
        let params = serde_json::json!({"name": name}).as_object().cloned().unwrap();
        let id = super::super::rpc::RequestId::Number(1);
        Request { id, method: "tools/call".to_owned(), params, meta: Default::default() }
    }

    #[test]
    fn a_header_says_what_the_body_says() {
        let fits = |pairs: &[(&'static str, &str)], name: &str| check(&map(pairs), &call(name)).is_ok();
        assert!(fits(&[(METHOD, "tools/call"), (NAME, "read")], "read"));
        assert!(fits(&[(METHOD, "tools/call"), (NAME, "=?base64?w6k=?=")], "é"));
        for pairs in [
            &[(METHOD, "tools/call")][..],
            &[(NAME, "read")],
            &[(METHOD, "tools/list"), (NAME, "read")],
            &[(METHOD, "tools/call"), (NAME, "write")],
            &[(METHOD, "tools/call"), (NAME, "read"), (NAME, "read")],
            &[(METHOD, "tools/call"), (NAME, "=?base64?%%?=")],
            &[(METHOD, "tools/call"), (NAME, "=?base64?/w==?=")],
        ] {
            assert!(!fits(pairs, "read"), "{pairs:?}");
        }
    }

    #[test]
    fn what_a_client_takes_is_read_from_its_header() {
        let of = |value: &str| Accepted::of(&map(&[("accept", value)]));
        let both = Accepted { json: true, events: true };
        assert_eq!(of("application/json, text/event-stream"), both);
        assert_eq!(of("*/*"), both);
        assert_eq!(Accepted::of(&map(&[])), both);
        assert_eq!(of("application/json;q=0.9"), Accepted { json: true, events: false });
        assert_eq!(of("text/html"), Accepted { json: false, events: false });
    }
}
