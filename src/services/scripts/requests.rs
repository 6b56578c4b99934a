//! Requests of a script: to hosts its header names and an administrator granted, through the guard, redirects included.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use encoding_rs::{Encoding, UTF_8};
use reqwest::{Method, header};
use serde_json::{Map, Value, json};
use url::Url;

use super::{loaded::Loaded, secrets::Secrets};
use satchel_engine::context::Context;
use satchel_model::{
    error::{Error, Result},
    secret::forms,
};
use satchel_net::http::{OF_CONNECTION, Request, Response};
use satchel_script::{
    header::Host,
    wire::{Answer, HttpAsk, HttpBody},
};

/// Redirects followed.
const REDIRECTS: usize = 5;
/// Longest answer, in bytes.
const MAX_BODY: usize = 768 << 10;
/// Longest wait for an answer.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// The refusal where a secret would come to stand in the ledger of what left, or in a message.
const NO_NAME: &str = "A secret cannot be part of a host's name, of a scheme, of a method or of a header's name.";

/// Sends it and reads the answer. In its path, its query, its headers and its body may stand a secret that is sent there.
pub(super) async fn send(cx: &Context, script: &Loaded, secrets: &Secrets, ask: HttpAsk) -> Answer {
    if ask.headers.keys().chain([&ask.method]).any(|name| forms::stand_in_any_case(name, &secrets.forms)) {
        return Answer::Ended(NO_NAME.to_owned());
    }
    let mut request = match request_of(ask) {
        Ok(request) => request,
        Err(error) => return Answer::Failed(error.message().to_owned()),
    };
    for _ in 0..=REDIRECTS {
        if let Err(message) = require_granted(script, &secrets.forms, &request.url) {
            return Answer::Ended(message);
        }
        if let Some(refusal) = secrets.refusal(&request) {
            return Answer::Ended(refusal);
        }
        // Its path and query may hold a secret.
        cx.taint().note_place(&request.url.origin().ascii_serialization());
        let response = match cx.http() {
            Ok(http) => http.send(request.clone()).await,
            Err(error) => Err(error),
        };
        let response = match response {
            Ok(response) => response,
            Err(error) => return Answer::Failed(error.message().to_owned()),
        };
        match next(&request, &response) {
            Some(following) => request = following,
            None => {
                return match read(response).await {
                    Ok(answer) => Answer::Value(answer),
                    Err(error) => Answer::Failed(error.message().to_owned()),
                };
            }
        }
    }
    Answer::Failed(format!("The address redirects more than {REDIRECTS} times."))
}

fn require_granted(script: &Loaded, secrets: &[String], url: &Url) -> std::result::Result<(), String> {
    let host = Host::needed(url);
    let is_written = script.head.hosts.iter().any(|named| named.to_string() == host);
    let told = if is_written { url.scheme().to_owned() } else { format!("{}://{host}", url.scheme()) };
    if forms::stand_in_any_case(&told, secrets) {
        return Err(NO_NAME.to_owned());
    }
    if let Some(refused) = Host::refusal(&script.head.hosts, url) {
        return Err(refused);
    }
    if script.granted.iter().any(|granted| granted.covers(url)) {
        return Ok(());
    }
    Err(format!("An administrator has not yet granted this script the host '{host}': see its page."))
}

fn request_of(ask: HttpAsk) -> Result<Request> {
    let url = Url::parse(&ask.url).map_err(|e| Error::invalid(format!("'{}' is not a URL: {e}.", ask.url)))?;
    let method: Method =
        ask.method.parse().map_err(|_| Error::invalid(format!("'{}' is not a method.", ask.method)))?;
    let mut request = Request::new(method, url);
    for (name, value) in &ask.headers {
        let name: header::HeaderName =
            name.parse().map_err(|_| Error::invalid(format!("'{name}' is not the name of a header.")))?;
        if OF_CONNECTION.contains(&name.as_str()) {
            return Err(Error::invalid(format!("The header '{name}' belongs to the connection: leave it out.")));
        }
        request = request.secret_header(name, value)?;
    }
    request.body = match ask.body {
        Some(HttpBody::Text(text)) => text.into(),
        Some(HttpBody::Bytes(coded)) => STANDARD.decode(coded).map_err(Error::internal)?.into(),
        None => Bytes::new(),
    };
    if let Some(milliseconds) = ask.timeout {
        request.patience = Duration::from_millis(milliseconds).min(MAX_WAIT);
    }
    Ok(request)
}

/// The request a redirect asks for: a GET, without headers where it leads elsewhere.
fn next(request: &Request, response: &Response) -> Option<Request> {
    let redirects = matches!(response.status.as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers.get(header::LOCATION).filter(|_| redirects)?;
    if !matches!(request.method, Method::GET | Method::HEAD) {
        return None;
    }
    let url = request.url.join(location.to_str().ok()?).ok()?;
    let mut following = Request::new(request.method.clone(), url);
    following.patience = request.patience;
    if following.url.origin() == request.url.origin() {
        following.headers = request.headers.clone();
    }
    Some(following)
}

async fn read(response: Response) -> Result<Value> {
    let status = response.status.as_u16();
    let headers: Map<String, Value> = response
        .headers
        .iter()
        .filter(|(name, _)| *name != header::SET_COOKIE)
        .map(|(name, value)| (name.to_string(), json!(String::from_utf8_lossy(value.as_bytes()))))
        .collect();
    let kind = response.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let bytes = response.bytes(MAX_BODY).await?;
    Ok(json!({"status": status, "headers": headers, "body": text(&bytes, kind.as_deref())}))
}

/// The body as text: in the encoding its type names, or UTF-8.
fn text(bytes: &[u8], kind: Option<&str>) -> String {
    let named = kind.and_then(|kind| kind.split("charset=").nth(1)).map(|name| name.trim_matches(['"', ' ', ';']));
    let encoding = named.and_then(|name| Encoding::for_label(name.as_bytes())).unwrap_or(UTF_8);
    encoding.decode(bytes).0.into_owned()
}
