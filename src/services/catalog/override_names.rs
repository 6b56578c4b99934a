//! The names under which frameworks take another method or path from a request than it has: what is sent under one of
//! them is another request than the one whose risk was weighed.

use url::form_urlencoded;

use super::rest::Body;
use satchel_model::{
    catalog::upload::FORM as PARTS,
    error::{Error, Result},
    id::shorten,
};

/// As headers.
const HEADERS: &[&str] = &[
    "x-http-method-override",
    "x-http-method",
    "x-method-override",
    "x-original-method",
    "x-original-uri",
    "x-original-url",
    "x-forwarded-method",
    "x-forwarded-path",
    "x-forwarded-prefix",
    "x-forwarded-uri",
    "x-rewrite-url",
];
/// As parameters of a query and fields of a form.
const FIELDS: &[&str] = &["_method", "x_http_method_override", "x_http_method", "x_method_override"];
/// The media type of a form.
const FORM: &str = "application/x-www-form-urlencoded";

/// A header's name as gateways hand it on: to them an underscore and a hyphen are the same.
pub(super) fn plain_header(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('_', "-")
}

/// Returns whether a header of this plain name names another method or path.
pub(super) fn is_header(plain: &str) -> bool {
    HEADERS.contains(&plain)
}

/// Checks that a query names no other method.
///
/// # Errors
///
/// If it does.
pub(super) fn require_none_in_query(query: &str) -> Result<()> {
    let names = query.split(['&', ';']).filter_map(|pair| {
        let (name, _) = form_urlencoded::parse(pair.as_bytes()).next()?;
        Some(name.into_owned())
    });
    require_none(names, "query")
}

/// Checks that a body names no other method.
///
/// # Errors
///
/// If it does.
pub(super) fn require_none_in_body(body: &Body) -> Result<()> {
    match body {
        Body::None => Ok(()),
        Body::Json(_, value) => require_none(value.as_object().into_iter().flatten().map(|(name, _)| name), "body"),
        Body::Form(fields) => require_none(fields.iter().map(|(name, _)| name), "form"),
        Body::Text(media, text) if is(media, FORM) => require_none_in_query(text),
        Body::Text(media, text) if is(media, PARTS) => require_none_in_parts(text.as_bytes()),
        Body::Bytes(media, bytes) if is(media, PARTS) => require_none_in_parts(bytes),
        Body::Text(..) | Body::Bytes(..) => Ok(()),
    }
}

/// The names of the parts stand in their headers, in quotes or not.
fn require_none_in_parts(parts: &[u8]) -> Result<()> {
    let lines = parts.split(|byte| matches!(byte, b'\n' | b'\r'));
    let named = lines.filter_map(|line| {
        let line = String::from_utf8_lossy(line.get(..line.len().min(2_000))?).to_lowercase();
        // The name may stand on a line of its own.
        let is_head = line.starts_with("content-disposition") || line.trim_start().starts_with("name=");
        let (_, name) = line.split_once("name=").filter(|_| is_head)?;
        let name = name.trim_start_matches(['"', '\'']);
        Some(name.split(['"', '\'', ';']).next().unwrap_or_default().to_owned())
    });
    require_none(named, "form")
}

fn require_none(names: impl Iterator<Item = impl AsRef<str>>, place: &str) -> Result<()> {
    for name in names {
        let name = name.as_ref();
        // PHP takes these for an underscore.
        let plain = name.trim().to_lowercase().replace(['.', '-', '[', ' '], "_");
        if FIELDS.contains(&plain.as_str()) {
            let name = shorten(name);
            return Err(Error::invalid(format!(
                "'{name}' in the {place} would make this another method: leave it out, and call with that method."
            )));
        }
    }
    Ok(())
}

fn is(media: &str, kind: &str) -> bool {
    media.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case(kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_header_is_known_by_either_spelling() {
        for name in ["X-HTTP-Method-Override", "X_HTTP_Method_Override", "x_original-url ", "X-Method_Override"] {
            assert!(is_header(&plain_header(name)), "{name}");
        }
        assert!(!is_header(&plain_header("X-Method")));
    }

    #[test]
    fn another_method_is_found_wherever_it_is_named() {
        for query in [
            "_method=DELETE",
            "a=1&_METHOD=x",
            "a=1;_method=x",
            "%5fmethod=",
            "+_method=x",
            ".method",
            "x-http-method=PUT",
        ] {
            assert!(require_none_in_query(query).is_err(), "{query}");
        }
        for query in ["", "method=x", "a=_method&b=1", "my_method=1", "a=%3B_method=1"] {
            assert!(require_none_in_query(query).is_ok(), "{query}");
        }
        let form = |name: &str| Body::Form(vec![(name.to_owned(), "DELETE".to_owned())]);
        let text = |media: &str, text: &str| Body::Text(media.to_owned(), text.to_owned());
        let part = |name: &str| format!("--b\r\nContent-Disposition: form-data; name={name}\r\n\r\nDELETE\r\n--b--");
        let folded = "--b\r\nContent-Disposition: form-data;\r\n name=\"_method\"\r\n\r\nDELETE\r\n--b--";
        for body in [
            form("_method"),
            form("X-HTTP-Method-Override"),
            Body::json(json!({"_method": "DELETE"})),
            text("application/x-www-form-urlencoded; charset=utf-8", "a=1&_method=DELETE"),
            text("multipart/form-data; boundary=b", &part("_method")),
            text("Multipart/Form-Data; boundary=b", &part("\"_method\"; x=y")),
            text("multipart/form-data; boundary=b", folded),
            Body::Bytes("multipart/form-data; boundary=b".to_owned(), part("\"_method\"").into()),
        ] {
            let told = require_none_in_body(&body).unwrap_err();
            assert!(told.message().contains("call with that method"), "{body:?}");
        }
        let page = "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n<input name=\"_method\">\r\n--b--";
        for body in [
            form("method"),
            Body::json(json!({"a": {"_method": 1}})),
            Body::json(json!(["_method"])),
            text("text/plain", "_method=DELETE"),
            text("multipart/form-data; boundary=b", page),
        ] {
            assert!(require_none_in_body(&body).is_ok(), "{body:?}");
        }
    }
}
