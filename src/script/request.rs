//! The argument of `http`, as a request: what it cannot read is an error, and never left out.

use std::{collections::BTreeMap, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rhai::{Dynamic, EvalAltResult, Map};
use serde_json::Value;
use url::Url;

use super::{
    header,
    helpers::{json_of, to_json},
    misfit,
    wire::{HttpAsk, HttpBody},
};

type Gives<T> = Result<T, Box<EvalAltResult>>;

/// The members `http` takes.
const MEMBERS: &[&str] = &["method", "url", "query", "headers", "body", "timeout"];

/// The request a map describes.
pub(super) fn request_of(mut request: Map) -> Gives<HttpAsk> {
    if let Some(unknown) = request.keys().find(|key| !MEMBERS.contains(&key.as_str())) {
        return Err(format!("http takes {}, not '{unknown}'.", MEMBERS.join(", ")).into());
    }
    let mut take = |name: &str| request.remove(name).unwrap_or_default();
    let url = take("url").into_string().map_err(|_| "http needs a 'url', a text.")?;
    let mut url = Url::parse(&url).map_err(|e| format!("'{url}' is not a URL: {e}."))?;
    add_query(&mut url, &take("query"))?;
    let mut headers = headers_of(&take("headers"))?;
    let body = body_of(&take("body"), &mut headers)?;
    let method = take("method");
    let method = match method.as_immutable_string_ref() {
        Ok(method) => method.to_uppercase(),
        Err(_) if method.is_unit() => "GET".to_owned(),
        Err(_) => return wrong("method", "a text", &method),
    };
    let timeout = timeout_of(&take("timeout"))?.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    Ok(HttpAsk { method, url: url.into(), headers, body, timeout })
}

fn wrong<T>(member: &str, wanted: &str, given: &Dynamic) -> Gives<T> {
    Err(format!("http takes '{member}' as {wanted}, not {}.", misfit::kind(given.type_name())).into())
}

/// Puts a query after that of the address: the map, or the text as it is.
fn add_query(url: &mut Url, query: &Dynamic) -> Gives<()> {
    if let Ok(text) = query.as_immutable_string_ref() {
        let text = text.strip_prefix('?').unwrap_or(&text);
        let whole = match url.query().filter(|before| !before.is_empty()) {
            Some(before) => format!("{before}&{text}"),
            None => text.to_owned(),
        };
        url.set_query((!whole.is_empty()).then_some(whole.as_str()));
        return Ok(());
    }
    let mut pairs = Vec::new();
    for (name, value) in members("query", query)? {
        let place = format!("query.{name}");
        let several = value.as_array_ref().map(|all| all.clone()).unwrap_or_else(|_| vec![value.clone()]);
        for value in several.iter().filter(|value| !value.is_unit()) {
            pairs.push((name.clone(), plain(&place, value)?));
        }
    }
    if !pairs.is_empty() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
    Ok(())
}

fn headers_of(given: &Dynamic) -> Gives<BTreeMap<String, String>> {
    let mut headers = BTreeMap::new();
    for (name, value) in members("headers", given)? {
        if !value.is_unit() {
            headers.insert(name.to_lowercase(), plain(&format!("headers.{name}"), &value)?);
        }
    }
    Ok(headers)
}

/// The members of a map that may be left out.
fn members(member: &str, given: &Dynamic) -> Gives<Vec<(String, Dynamic)>> {
    if given.is_unit() {
        return Ok(Vec::new());
    }
    match given.as_map_ref() {
        Ok(map) => Ok(map.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()),
        Err(_) if member == "query" => wrong(member, "a map or a text", given),
        Err(_) => wrong(member, "a map, such as #{ accept: \"text/csv\" }", given),
    }
}

fn body_of(body: &Dynamic, headers: &mut BTreeMap<String, String>) -> Gives<Option<HttpBody>> {
    if body.is_unit() {
        return Ok(None);
    }
    if let Ok(bytes) = body.as_blob_ref() {
        return Ok(Some(HttpBody::Bytes(STANDARD.encode(bytes.as_slice()))));
    }
    if body.is_map() || body.is_array() {
        let json = json_of("http cannot send this body", body)?;
        headers.entry("content-type".to_owned()).or_insert_with(|| "application/json".to_owned());
        return Ok(Some(HttpBody::Text(json.to_string())));
    }
    plain("body", body).map(|text| Some(HttpBody::Text(text)))
}

/// Seconds, or a time as `@timeout` is written.
fn timeout_of(given: &Dynamic) -> Gives<Option<Duration>> {
    if given.is_unit() {
        return Ok(None);
    }
    let text = given.as_immutable_string_ref().ok().and_then(|text| header::duration(&text));
    let number = given.as_float().ok().or_else(|| given.as_int().ok().map(|seconds| seconds as f64));
    let time = text.or_else(|| number.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()));
    match time.filter(|time| !time.is_zero()) {
        Some(time) => Ok(Some(time)),
        None => Err(format!("http takes 'timeout' as seconds above 0, or \"5s\" or \"500ms\", not {given}.").into()),
    }
}

/// A value as it stands in a header or a query.
fn plain(place: &str, value: &Dynamic) -> Gives<String> {
    match to_json(value) {
        Ok(Value::String(text)) => Ok(text),
        Ok(other @ (Value::Number(_) | Value::Bool(_))) => Ok(other.to_string()),
        Err(_) if value.is_float() => Err(format!("http cannot send '{place}': {value} is no number.").into()),
        _ => wrong(place, "a text or a number", value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{machine::Machine, state::Nobody};

    /// The request a map, written as a script writes it, describes; what is wrong with it, else.
    fn read(members: &str) -> Result<HttpAsk, String> {
        let machine = Machine::new(Box::new(Nobody));
        let url = if members.starts_with("url:") { "" } else { "url: \"https://a.example/x\"," };
        let map = machine.engine().eval::<Map>(&format!("#{{ {url} {members} }}")).unwrap();
        request_of(map).map_err(|error| error.to_string().trim_start_matches("Runtime error: ").to_owned())
    }

    #[test]
    fn a_query_is_a_map_or_a_text_and_nothing_is_left_out_of_it() {
        for (query, url) in [
            ("#{ a: \"b c\", b: (), c: [1, (), 2.5, true] }", "https://a.example/x?a=b+c&c=1&c=2.5&c=true"),
            ("#{ b: () }", "https://a.example/x"),
            ("#{}", "https://a.example/x"),
            ("\"a=1&b=%20\"", "https://a.example/x?a=1&b=%20"),
            ("build_query(#{ a: 1 })", "https://a.example/x?a=1"),
            ("\"?a=1\"", "https://a.example/x?a=1"),
            ("\"\"", "https://a.example/x"),
        ] {
            assert_eq!(read(&format!("query: {query}")).unwrap().url, url, "{query}");
        }
        assert_eq!(
            read("url: \"https://a.example/x?k=1\", query: \"a=1\"").unwrap().url,
            "https://a.example/x?k=1&a=1"
        );
        for (query, told) in [
            ("[1]", "http takes 'query' as a map or a text, not a list."),
            ("#{ a: #{} }", "http takes 'query.a' as a text or a number, not a map."),
            ("#{ a: 0.0 / 0.0 }", "http cannot send 'query.a': NaN is no number."),
        ] {
            assert_eq!(read(&format!("query: {query}")).unwrap_err(), told);
        }
    }

    #[test]
    fn headers_are_a_map_of_texts_and_numbers() {
        let headers = read("headers: #{ \"X-N\": 1, accept: \"text/csv\", none: () }").unwrap().headers;
        assert_eq!(
            headers.into_iter().collect::<Vec<_>>(),
            [("accept".to_owned(), "text/csv".to_owned()), ("x-n".to_owned(), "1".to_owned())]
        );
        for (headers, told) in [
            ("\"x: 1\"", "http takes 'headers' as a map, such as #{ accept: \"text/csv\" }, not a text."),
            ("#{ x: [1] }", "http takes 'headers.x' as a text or a number, not a list."),
        ] {
            assert_eq!(read(&format!("headers: {headers}")).unwrap_err(), told);
        }
    }

    #[test]
    fn a_timeout_is_written_as_seconds_or_as_in_the_header() {
        for (timeout, wanted) in
            [("2", 2_000), ("1.5", 1_500), ("\"1s\"", 1_000), ("\"500ms\"", 500), ("\"0.5s\"", 500), ("\"3\"", 3_000)]
        {
            assert_eq!(read(&format!("timeout: {timeout}")).unwrap().timeout, Some(wanted), "{timeout}");
        }
        assert_eq!(read("timeout: ()").unwrap().timeout, None);
        for wrong in ["0", "-1", "0.0", "\"soon\"", "\"1 h\"", "0.0 / 0.0", "[1]", "\"\""] {
            let told = read(&format!("timeout: {wrong}")).unwrap_err();
            assert!(
                told.starts_with("http takes 'timeout' as seconds above 0, or \"5s\" or \"500ms\", not "),
                "{told}"
            );
        }
    }

    #[test]
    fn a_body_is_text_json_or_bytes() {
        let body = |body: &str| read(&format!("body: {body}")).map(|ask| ask.body);
        assert_eq!(body("\"a\""), Ok(Some(HttpBody::Text("a".to_owned()))));
        assert_eq!(body("#{ a: [1, ()] }"), Ok(Some(HttpBody::Text("{\"a\":[1,null]}".to_owned()))));
        assert_eq!(body("\"e\\xFFA\".to_blob()"), Ok(Some(HttpBody::Bytes(STANDARD.encode("e\u{ff}A")))));
        assert_eq!(body("1.5"), Ok(Some(HttpBody::Text("1.5".to_owned()))));
        assert_eq!(body("#{ a: 0.0 / 0.0 }").unwrap_err(), "http cannot send this body: JSON has no number NaN");
        assert_eq!(body("|| 1").unwrap_err(), "http takes 'body' as a text or a number, not a function.");
        assert_eq!(read("method: 1").unwrap_err(), "http takes 'method' as a text, not a whole number.");
        assert_eq!(read("verb: 1").unwrap_err(), "http takes method, url, query, headers, body, timeout, not 'verb'.");
    }
}
