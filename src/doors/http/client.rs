//! The client of a request: address, browser, cookie, and how cookies are set.

use std::{
    future::{Ready, ready},
    net::{IpAddr, SocketAddr},
};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest,
    cookie::{Cookie, SameSite, time::Duration},
    dev::Payload,
    http::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName, USER_AGENT},
};
use tokio_util::sync::CancellationToken;

use super::{
    error::{HttpError, HttpResult},
    state::State,
};
use satchel_model::secret::Secret;
use satchel_store::sessions::{LONGEST, Visit};

/// The session cookie's name.
pub(super) const SESSION: &str = "satchel_session";

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The credential a request shows to say who it is.
pub(super) enum Shown<'a> {
    /// `Authorization: Bearer …`; a cookie beside it does not count.
    Bearer(&'a str),
    /// An `Authorization` header of another kind.
    Unreadable,
    /// The session cookie.
    Session(&'a str),
    /// Nothing.
    Nothing,
}

/// Fires when the client has gone before its answer.
#[derive(Clone, Default)]
pub(super) struct HangUp(pub(super) CancellationToken);

impl FromRequest for HangUp {
    type Error = HttpError;
    type Future = Ready<HttpResult<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(request.extensions().get::<Self>().cloned().unwrap_or_default()))
    }
}

/// Reads the credential of a request.
pub(super) fn shown(headers: &HeaderMap) -> Shown<'_> {
    if let Some(value) = headers.get(AUTHORIZATION) {
        let bearer = value.to_str().ok().and_then(|text| text.split_once(' '));
        return match bearer {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Shown::Bearer(token.trim()),
            _ => Shown::Unreadable,
        };
    }
    let cookies = headers.get_all(COOKIE).filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(';'));
    let mut ours = cookies.filter_map(|pair| pair.trim().split_once('=')).filter(|(name, _)| *name == SESSION);
    ours.next().map_or(Shown::Nothing, |(_, token)| Shown::Session(token))
}

/// Reads the credential of a request of a program, which may show its key as `x-api-key`.
pub(super) fn shown_by_program(headers: &HeaderMap) -> Shown<'_> {
    let key = headers.get(API_KEY).filter(|_| !headers.contains_key(AUTHORIZATION));
    match key.map(|key| key.to_str()) {
        Some(Ok(key)) => Shown::Bearer(key.trim()),
        Some(Err(_)) => Shown::Unreadable,
        None => shown(headers),
    }
}

/// Returns where and when somebody signs in.
pub(super) fn visit(request: &HttpRequest, state: &State) -> Visit {
    let agent = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    Visit { address: address(request, state), user_agent: agent.to_owned(), now: state.app.clock.now() }
}

/// The client's address; behind a proxy, the last one the proxy has written. Where that is none, it is the proxy's own.
pub(super) fn address(request: &HttpRequest, state: &State) -> String {
    let forwarded = state.app.config.behind_proxy.then(|| request.headers().get_all(FORWARDED_FOR).last()).flatten();
    let last = forwarded.and_then(|value| value.to_str().ok()?.rsplit(',').next().and_then(written));
    last.or_else(|| request.peer_addr().map(|peer| peer.ip())).map(|ip| ip.to_string()).unwrap_or_default()
}

/// An address as proxies write it: alone or with a port, one of IPv6 perhaps in brackets, with its zone, or in quotes.
fn written(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_matches('"');
    let inside = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(text, |(inside, _)| inside);
    let plain = inside.split_once('%').map_or(inside, |(plain, _)| plain);
    plain.parse().ok().or_else(|| plain.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// Returns whether the request comes from a program on this machine, with no proxy between.
pub(super) fn is_local(request: &HttpRequest, state: &State) -> bool {
    !state.app.config.behind_proxy && request.peer_addr().is_some_and(|peer| peer.ip().is_loopback())
}

/// The cookie that keeps a browser signed in.
pub(super) fn session_cookie(request: &HttpRequest, state: &State, token: &Secret) -> Cookie<'static> {
    let lasts = Duration::seconds(i64::try_from(LONGEST.as_secs()).unwrap_or(i64::MAX));
    cookie(request, state, token.expose().to_owned(), lasts)
}

/// The cookie that signs a browser out.
pub(super) fn no_cookie(request: &HttpRequest, state: &State) -> Cookie<'static> {
    cookie(request, state, String::new(), Duration::ZERO)
}

fn cookie(request: &HttpRequest, state: &State, value: String, lasts: Duration) -> Cookie<'static> {
    // TLS ends in front of a server behind a proxy, unless the proxy says otherwise.
    let plain = request.headers().get(FORWARDED_PROTO).is_some_and(|value| {
        value.to_str().is_ok_and(|hops| hops.split(',').all(|hop| hop.trim().eq_ignore_ascii_case("http")))
    });
    Cookie::build(SESSION, value)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Strict)
        .secure(state.app.config.behind_proxy && !plain)
        .max_age(lasts)
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_however_a_proxy_writes_it() {
        for (text, address) in [
            ("7.7.8.7", "7.7.8.7"),
            (" 7.7.8.7:1000 ", "7.7.8.7"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("\"[2001:db8::1]:443\"", "2001:db8::1"),
            ("fe80::1%eth0", "fe80::1"),
            ("[fe80::1%eth0]:443", "fe80::1"),
        ] {
            assert_eq!(written(text).map(|ip| ip.to_string()).as_deref(), Some(address), "{text}");
        }
        for text in ["", "unknown", "_hidden", "7.7.8", "7.7.8.7:port", "[2001:db8::1"] {
            assert_eq!(written(text), None, "{text}");
        }
    }
}
