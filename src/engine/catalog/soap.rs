//! A SOAP call from named values: each one an element of the body.

use quick_xml::escape::escape;
use reqwest::Method;
use serde_json::Value;

use super::rest::{Body, RestRequest};
use crate::model::error::{Error, Result};

/// Deepest nesting of a value.
const MAX_DEPTH: usize = 32;

/// What a SOAP operation is called.
pub(super) struct Action<'a> {
    pub(super) action: &'a str,
    pub(super) element: &'a str,
    pub(super) namespace: &'a str,
    /// What stands in the element is in no namespace.
    pub(super) unqualified: bool,
    pub(super) version: &'a str,
}

/// The request that calls `action` with these values.
pub(super) fn request(path: String, action: &Action<'_>, values: &[(String, Value)]) -> Result<RestRequest> {
    let mut inner = String::new();
    for (name, value) in values {
        element(name, value, 0, &mut inner)?;
    }
    let name = checked(action.element)?;
    let namespace = escape(action.namespace);
    let body = match action.unqualified && !namespace.is_empty() {
        true => format!("<m:{name} xmlns:m=\"{namespace}\">{inner}</m:{name}>"),
        false => format!("<{name} xmlns=\"{namespace}\">{inner}</{name}>"),
    };
    let is_new = action.version == "1.2";
    let envelope =
        if is_new { "http://www.w3.org/2003/05/soap-envelope" } else { "http://schemas.xmlsoap.org/soap/envelope/" };
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<soap:Envelope xmlns:soap=\"{envelope}\"><soap:Body>{body}</soap:Body></soap:Envelope>"
    );
    let quoted = action.action.replace(['"', '\\', '\r', '\n'], "");
    let (media, headers) = match is_new {
        true => (format!("application/soap+xml; charset=utf-8; action=\"{quoted}\""), Vec::new()),
        false => ("text/xml; charset=utf-8".to_owned(), vec![("soapaction".to_owned(), format!("\"{quoted}\""))]),
    };
    Ok(RestRequest { method: Method::POST, path, query: Vec::new(), headers, body: Body::Text(media, text) })
}

fn element(name: &str, value: &Value, depth: usize, out: &mut String) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(Error::invalid(format!("The values are nested deeper than {MAX_DEPTH} levels.")));
    }
    if let Value::Array(items) = value {
        return items.iter().try_for_each(|item| element(name, item, depth + 1, out));
    }
    let name = checked(name)?;
    out.push_str(&format!("<{name}>"));
    match value {
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| element(name, value, depth + 1, out))?,
        Value::String(text) => out.push_str(&escape(text.as_str())),
        Value::Null => {}
        other => out.push_str(&other.to_string()),
    }
    out.push_str(&format!("</{name}>"));
    Ok(())
}

fn checked(name: &str) -> Result<&str> {
    let starts = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    let fits = starts && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    fits.then_some(name)
        .ok_or_else(|| Error::invalid(format!("'{}' is no name of an XML element.", crate::model::id::shorten(name))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_become_elements_and_nothing_breaks_out() {
        let action =
            Action { action: "urn:Add", element: "Add", namespace: "urn:calc", unqualified: false, version: "1.1" };
        let values = vec![("a".to_owned(), json!(1)), ("b".to_owned(), json!(["<x>", {"c": "&"}]))];
        let request = request("/calc".to_owned(), &action, &values).unwrap();
        let Body::Text(media, text) = request.body else { panic!("no text") };
        assert_eq!(media, "text/xml; charset=utf-8");
        assert!(text.contains("<Add xmlns=\"urn:calc\"><a>1</a><b>&lt;x&gt;</b><b><c>&amp;</c></b></Add>"), "{text}");
        assert_eq!(request.headers, [("soapaction".to_owned(), "\"urn:Add\"".to_owned())]);
        let unqualified = Action { unqualified: true, ..action };
        let Body::Text(_, text) = super::request("/".to_owned(), &unqualified, &values[..1]).unwrap().body else {
            panic!("no text")
        };
        assert!(text.contains("<m:Add xmlns:m=\"urn:calc\"><a>1</a></m:Add>"), "{text}");
        assert!(super::request("/".to_owned(), &unqualified, &[("a><b".to_owned(), json!(1))]).is_err());
    }
}
