//! Requests: each passes the guard by its text, by its addresses and at each redirect, and is a row of the ledger.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use reqwest::{
    Method, StatusCode,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use tokio::time::Instant;
use url::Url;

pub use super::reply::Response;
use super::{
    gate::Gate,
    guard::{self, Exceptions, HostPort, Passage},
    meter::Meter,
    tls::Tls,
};
use satchel_model::{
    destination::Destination,
    egress::Origin,
    error::{Error, Kind, Result},
    user::UserId,
};

/// Headers that belong to the connection: who asks for a request gives none of them.
pub const OF_CONNECTION: &[&str] = &[
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "proxy-connection",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "expect",
];

/// A request to another system.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The address, parsed once: the guard and the dialler read the same value.
    pub url: Url,
    /// Headers; on a redirect to another origin only harmless ones stay.
    pub headers: HeaderMap,
    /// The body, empty for none.
    pub body: Bytes,
    /// The longest until the answer's head, and then between two pieces of its body.
    pub patience: Duration,
    /// The longest until the answer's end, where that is limited.
    pub limit: Option<Duration>,
    /// Redirects followed; 0 hands the redirect itself back.
    pub max_redirects: u8,
}

impl Request {
    /// A request that follows no redirect and waits 30 s.
    pub fn new(method: Method, url: Url) -> Self {
        Self {
            method,
            url,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            patience: Duration::from_secs(30),
            limit: None,
            max_redirects: 0,
        }
    }

    /// A GET.
    pub fn get(url: Url) -> Self {
        Self::new(Method::GET, url)
    }

    /// A POST of JSON.
    pub fn post_json(url: Url, body: &serde_json::Value) -> Self {
        let mut request = Self::new(Method::POST, url);
        request.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.body = body.to_string().into();
        request
    }

    /// Adds a header that must not show in logs.
    pub fn secret_header(mut self, name: HeaderName, value: &str) -> Result<Self> {
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            Error::invalid(format!("The value for the header '{name}' holds characters a header cannot."))
        })?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(self)
    }
}

/// The way out for one who asks; cheap to clone. [`Gate::on_behalf`] makes it.
#[derive(Debug, Clone)]
pub struct Http {
    pub(super) gate: Gate,
    pub(super) origin: Origin,
    pub(super) exceptions: Exceptions,
    pub(super) tls: Arc<Tls>,
    /// `true` if a redirect to another host or port is handed back instead of being followed.
    pub(super) same_place: bool,
}

impl Http {
    /// The person it is used for, where there is one.
    pub fn user(&self) -> Option<UserId> {
        self.origin.user
    }

    /// The same way, with more exceptions: a model's own base URL, for instance.
    #[must_use]
    pub fn allowing(&self, hosts: &[HostPort]) -> Self {
        Self { exceptions: self.exceptions.with(hosts), ..self.clone() }
    }

    /// The same way, which hands back a redirect to another host or port: nobody was asked about that one.
    #[must_use]
    pub fn staying(&self) -> Self {
        Self { same_place: true, ..self.clone() }
    }

    /// The same way to a place the call did not name, which its conversation has not reached by it: that of a redirect, or
    /// of a token.
    #[must_use]
    pub fn aside(&self) -> Self {
        Self { origin: self.origin.clone().aside(), ..self.clone() }
    }

    /// The same way, with a certificate of ours or further authorities to trust. Connections made with one setting are
    /// kept and used again, and never for another.
    #[must_use]
    pub fn with_tls(&self, tls: Tls) -> Self {
        Self { tls: Arc::new(tls), ..self.clone() }
    }

    /// Checks what an address says; the rest is seen when it is dialled.
    ///
    /// # Errors
    ///
    /// If it would be refused for its text.
    pub fn check(&self, url: &Url) -> Result<()> {
        let passage = guard::inspect(url, &self.exceptions);
        passage.map(drop).map_err(|error| self.gate.meter(&self.origin, url).refused(error))
    }

    /// Sends, following redirects as far as the request says. The answer may have any status.
    pub async fn send(&self, mut request: Request) -> Result<Response> {
        let mut left = request.max_redirects;
        let began = Instant::now();
        let mut led_by = None;
        let mut way = self.clone();
        loop {
            let mut response = way.send_once(&request).await.map_err(|error| match &led_by {
                // The address was chosen by whoever answered with it.
                Some(host) => error.from_outside(host),
                None => error,
            })?;
            if let Some(limit) = request.limit {
                response.end_within(began, limit);
            }
            let Some(target) = response.redirect() else { return Ok(response) };
            if request.max_redirects == 0 {
                return Ok(response);
            }
            let target = target?;
            if self.same_place && Destination::from_url(&target) != Destination::from_url(&request.url) {
                return Ok(response);
            }
            left = left.checked_sub(1).ok_or_else(|| {
                Error::upstream(format!("The address redirects more than {} times.", request.max_redirects))
            })?;
            way = self.aside();
            led_by.get_or_insert_with(|| request.url.host_str().unwrap_or_default().to_owned());
            request = follow(request, target, response.status);
        }
    }

    async fn send_once(&self, request: &Request) -> Result<Response> {
        let mut meter = self.gate.meter(&self.origin, &request.url);
        match self.attempt(request, &mut meter).await {
            Ok(response) => Ok(Response::new(response, request.url.clone(), request.patience, meter)),
            Err(error) => Err(meter.failed(guard::placed(error, &request.url))),
        }
    }

    async fn attempt(&self, request: &Request, meter: &mut Meter) -> Result<reqwest::Response> {
        let passage = guard::inspect(&request.url, &self.exceptions).map_err(|error| meter.refused(error))?;
        let client = self.gate.clients().get(passage, &self.tls)?;
        meter.open().await?;
        let call = client
            .request(request.method.clone(), request.url.clone())
            .headers(headers(request))
            .body(request.body.clone());
        let response = tokio::time::timeout(request.patience, call.send())
            .await
            .map_err(|_| too_slow(&request.url, request.patience))?
            .map_err(|error| failure(&request.url, error))?;
        meter.sent(request.url.path().len() + size(&request.headers) + request.body.len());
        meter.received(size(response.headers()));
        meter.reached(Some(response.status().as_u16()));
        // Fails closed: an answer from an address nobody can name is not read.
        let peer_is_public = response.remote_addr().is_some_and(|peer| guard::is_public(peer.ip()));
        if passage == Passage::Public && !peer_is_public {
            return Err(guard::refusal(request.url.host_str().unwrap_or_default()));
        }
        Ok(response)
    }
}

/// The headers as they go out. Where a method is expected to have a body, none is said to be empty (RFC 9110, 8.6):
/// many servers answer 411 otherwise.
fn headers(request: &Request) -> HeaderMap {
    let mut headers = request.headers.clone();
    let has_body = matches!(request.method, Method::POST | Method::PUT | Method::PATCH);
    if has_body && request.body.is_empty() {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
    headers
}

/// About what a head takes on the wire.
fn size(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
}

/// Headers that may go to an origin the request was not made for.
const HARMLESS: &[HeaderName] =
    &[header::ACCEPT, header::ACCEPT_LANGUAGE, header::CONTENT_TYPE, header::RANGE, header::USER_AGENT];

/// The request a redirect asks for (RFC 9110, 15.4).
fn follow(mut request: Request, target: Url, status: StatusCode) -> Request {
    let becomes_get = match status {
        StatusCode::SEE_OTHER => request.method != Method::HEAD,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => request.method == Method::POST,
        _ => false,
    };
    if becomes_get {
        request.method = Method::GET;
        request.body = Bytes::new();
        request.headers.remove(header::CONTENT_TYPE);
    }
    if target.origin() != request.url.origin() {
        let kept = request.headers.iter().filter(|(name, _)| HARMLESS.contains(name));
        request.headers = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    }
    request.url = target;
    request
}

pub(super) fn too_slow(url: &Url, patience: Duration) -> Error {
    let host = url.host_str().unwrap_or_default();
    Error::new(Kind::Timeout, format!("'{host}' sent nothing for {} s.", patience.as_secs_f32()))
}

pub(super) fn too_long(url: &Url, limit: Duration) -> Error {
    let host = url.host_str().unwrap_or_default();
    Error::new(Kind::Timeout, format!("'{host}' did not end its answer within {} s.", limit.as_secs_f32()))
}

/// Names the host, never the whole URL: its query may hold a secret.
pub(super) fn failure(url: &Url, error: reqwest::Error) -> Error {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if let Some(refused) = inner.downcast_ref::<Error>() {
            return refused.clone();
        }
        cause = inner.source();
    }
    let host = url.host_str().unwrap_or_default();
    let (kind, message) = match &error {
        e if e.is_timeout() => (Kind::Timeout, format!("'{host}' took too long to answer.")),
        e if e.is_connect() => {
            (Kind::Upstream, format!("No connection to '{host}': check the address and that it runs."))
        }
        _ => (Kind::Upstream, format!("The connection to '{host}' broke.")),
    };
    Error::new(kind, message).caused_by(error.without_url())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: Method) -> Request {
        let mut request = Request::new(method, Url::parse("https://a.example/x").unwrap());
        request.body = Bytes::from_static(b"{}");
        for (name, value) in [("authorization", "Bearer k"), ("x-api-key", "k"), ("accept", "*/*")] {
            request.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        request
    }

    #[test]
    fn a_redirect_to_another_origin_takes_no_credential_along() {
        for target in ["https://b.example/x", "https://a.example:8443/x", "http://a.example/x"] {
            let followed = follow(request(Method::GET), Url::parse(target).unwrap(), StatusCode::FOUND);
            assert_eq!(followed.headers.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["accept"]);
        }
        let same = follow(request(Method::GET), Url::parse("https://a.example/y").unwrap(), StatusCode::FOUND);
        assert_eq!(same.headers.len(), 3);
    }

    #[test]
    fn only_307_and_308_repeat_a_post() {
        let target = Url::parse("https://a.example/y").unwrap();
        for (status, method, body) in [
            (301, Method::GET, ""),
            (302, Method::GET, ""),
            (303, Method::GET, ""),
            (307, Method::POST, "{}"),
            (308, Method::POST, "{}"),
        ] {
            let followed = follow(request(Method::POST), target.clone(), StatusCode::from_u16(status).unwrap());
            assert_eq!((followed.method, &followed.body[..]), (method, body.as_bytes()), "{status}");
        }
    }

    #[test]
    fn a_secret_header_does_not_show() {
        let request = request(Method::GET).secret_header(header::AUTHORIZATION, "Bearer abc").unwrap();
        assert!(!format!("{request:?}").contains("abc"));
        assert!(request.secret_header(header::AUTHORIZATION, "a\nb").is_err());
    }
}
