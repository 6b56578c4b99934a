//! A request to a system: put under its base URL, with its credential, at its pace, tried again where that can help.

use std::time::Duration;

use bytes::Bytes;
use reqwest::{
    Method,
    header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue},
};
use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use super::{
    answer::Answer,
    credential::{self, Ready},
    override_names, retry,
};
use satchel_app::App;
use satchel_engine::context::Context;
use satchel_model::{
    catalog::{auth::Auth, endpoint::Endpoint, place, system::System},
    error::{Error, Result},
};
use satchel_net::http::{Http, OF_CONNECTION, Request};

/// Longest body that is sent, in bytes.
pub(super) const MAX_BODY: u64 = 10 * 1024 * 1024;
/// The media type of JSON that has none of its own.
pub(super) const JSON: &str = "application/json";
/// Headers nobody sets but us, beside those of the connection: credentials, and what says where a message came from.
const OURS: &[&str] = &[
    "authorization",
    "proxy-authorization",
    "cookie",
    "cookie2",
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
];

/// A request to a system.
#[derive(Debug, Clone)]
pub struct RestRequest {
    /// The method.
    pub method: Method,
    /// The path under the base URL; it may have a query. Empty is the base URL itself.
    pub path: String,
    /// More of the query.
    pub query: Vec<(String, String)>,
    /// Headers, none of them a credential.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Body,
}

/// The body of a request.
#[derive(Debug, Clone, Default)]
pub enum Body {
    /// None.
    #[default]
    None,
    /// JSON under its media type: `application/json`, or one of its own such as `application/merge-patch+json`.
    Json(String, Value),
    /// The fields of a form.
    Form(Vec<(String, String)>),
    /// A text of a media type.
    Text(String, String),
    /// Bytes of a media type.
    Bytes(String, Bytes),
}

impl Body {
    /// Plain JSON.
    pub fn json(value: Value) -> Self {
        Self::Json(JSON.to_owned(), value)
    }
}

/// Whom it goes to, and how.
pub struct Target<'a> {
    /// The handles.
    pub app: &'a App,
    /// The call it is for, if it is one.
    pub cx: Option<&'a Context>,
    /// The way out.
    pub http: &'a Http,
    /// The system.
    pub system: &'a System,
    /// The endpoint, where one is registered for it: its limit and retries count beside the system's.
    pub endpoint: Option<&'a Endpoint>,
}

/// Sends a request and reads the answer, whatever its status. The system must have been found callable.
pub async fn send(target: &Target<'_>, request: &RestRequest) -> Result<Answer> {
    let plain = build(target.system, request)?;
    take_turn(target).await?;
    let is_refused = |answer: &Result<Answer>| answer.as_ref().is_ok_and(|answer| answer.status == 401);
    let (_, answer) = credential::attempt(target, |ready| send_with(target, &plain, ready), is_refused).await?;
    answer
}

async fn send_with(target: &Target<'_>, plain: &Request, ready: Ready) -> Result<Answer> {
    let ready = ready.knowing(credential::given(&plain.headers));
    let way = ready.way(target.http);
    let request = ready.put_on(plain.clone())?;
    let retries = target.endpoint.and_then(|endpoint| endpoint.retries).unwrap_or(target.system.retries);
    let (response, attempts) = retry::send(&request.method, retries, || way.send(request.clone())).await?;
    let answer = Answer::read(target, response, ready.secrets()).await?;
    Ok(Answer { attempts, after_write: !request.method.is_safe(), ..answer })
}

/// Waits until system and endpoint may be called again.
pub async fn take_turn(target: &Target<'_>) -> Result<()> {
    let (calling, system, who) = (&target.app.net.calling, target.system, target.http.user());
    calling.take_turn(&system.id.to_string(), system.rate_limit, &system.name, who).await?;
    match target.endpoint {
        Some(endpoint) => calling.take_turn(&endpoint.id.to_string(), endpoint.rate_limit, &endpoint.name, who).await,
        None => Ok(()),
    }
}

/// The request as it goes out, but for the credential.
pub(super) fn build(system: &System, request: &RestRequest) -> Result<Request> {
    let base = system.base_url()?;
    let mut url = if request.path.is_empty() { base.clone() } else { place::join(base, &request.path)? };
    require_no_credential(system, &url, &request.query)?;
    if !request.query.is_empty() {
        url.query_pairs_mut().extend_pairs(&request.query);
    }
    override_names::require_none_in_query(url.query().unwrap_or_default())?;
    override_names::require_none_in_body(&request.body)?;
    let mut plain = Request::new(request.method.clone(), url);
    plain.patience = Duration::from_secs(system.timeout_s.into());
    plain.limit = Some(plain.patience);
    plain.headers.insert(ACCEPT, HeaderValue::from_static("application/json, */*;q=0.8"));
    let (media, body) = encode(&request.body);
    if body.len() as u64 > MAX_BODY {
        return Err(Error::invalid(format!("The body has at most {MAX_BODY} bytes.")));
    }
    if let Some(media) = media {
        let media = HeaderValue::from_str(&media).map_err(|_| Error::invalid("The media type of the body is none."))?;
        plain.headers.insert(CONTENT_TYPE, media);
    }
    plain.body = body;
    for (name, value) in &request.headers {
        let (name, value) = header(system, name, value)?;
        plain.headers.insert(name, value);
    }
    Ok(plain)
}

fn encode(body: &Body) -> (Option<String>, Bytes) {
    match body {
        Body::None => (None, Bytes::new()),
        Body::Json(media, value) => (Some(media.clone()), value.to_string().into()),
        Body::Form(fields) => {
            let text = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
            (Some("application/x-www-form-urlencoded".to_owned()), text.into())
        }
        Body::Text(media, text) => (Some(media.clone()), text.clone().into()),
        Body::Bytes(media, bytes) => (Some(media.clone()), bytes.clone()),
    }
}

/// Headers a caller gives where the system has no credential of its own: they are secrets like any other.
const CALLERS: &[&str] = &["authorization", "cookie"];

/// Returns a header a caller gives.
///
/// # Errors
///
/// If it is one of ours.
pub fn header(system: &System, name: &str, value: &str) -> Result<(HeaderName, HeaderValue)> {
    let lower = name.trim().to_ascii_lowercase();
    let plain = override_names::plain_header(name);
    let is_callers = system.auth == Auth::None && CALLERS.contains(&lower.as_str());
    let is_ours = !is_callers && [OURS, OF_CONNECTION].iter().any(|ours| ours.contains(&plain.as_str()));
    let is_credential = system.auth.header().is_some_and(|own| override_names::plain_header(&own) == plain);
    if is_ours || is_credential || override_names::is_header(&plain) {
        let told = format!("The header '{lower}' is set by Satchel: leave it out. Credentials come from the vault.");
        return Err(Error::invalid(told).with_details(json!({"field": "headers"})));
    }
    let wrong =
        || Error::invalid(format!("The header '{}' cannot be sent as it is.", satchel_model::id::shorten(name)));
    let name = HeaderName::from_bytes(lower.as_bytes()).map_err(|_| wrong())?;
    let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
    value.set_sensitive(is_callers);
    Ok((name, value))
}

/// Checks that a query does not hold the parameter that carries the credential.
///
/// # Errors
///
/// If it does.
pub(super) fn require_no_credential(system: &System, url: &Url, query: &[(String, String)]) -> Result<()> {
    let Some(own) = system.auth.query() else { return Ok(()) };
    let in_path = url.query_pairs().any(|(name, _)| name == own);
    if in_path || query.iter().any(|(name, _)| name == own) {
        return Err(Error::invalid(format!("The query parameter '{own}' is set by Satchel: leave it out.")));
    }
    Ok(())
}
