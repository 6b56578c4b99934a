//! The origin of a browser's request: another site must neither act with our cookie nor, by pointing its own name at
//! this machine, read what only this machine may.

use std::net::IpAddr;

use actix_web::http::header::{HOST, HeaderMap, HeaderName, ORIGIN};

use satchel_config::Config;
use satchel_model::error::{Error, Result};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The names this server may be called by.
pub(super) struct Hosts {
    behind_proxy: bool,
}

impl Hosts {
    pub(super) fn new(config: &Config) -> Self {
        Self { behind_proxy: config.behind_proxy }
    }

    /// Checks that `Host` is ours: an address, `localhost`, or, behind a proxy, what the proxy lets through.
    ///
    /// # Errors
    ///
    /// If it is not. A name that somebody else's DNS points at us is none of these.
    pub(super) fn require_host(&self, headers: &HeaderMap) -> Result<()> {
        let host = text(headers, &HOST).ok_or_else(|| Error::denied("The request has no Host header."))?;
        let name = name_of(host);
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
        let local = name.eq_ignore_ascii_case("localhost") || name.to_ascii_lowercase().ends_with(".localhost");
        if address || local || self.behind_proxy {
            return Ok(());
        }
        Err(Error::denied(format!(
            "Satchel is not served as '{}'. Open it by its address, or put a proxy in front and start with --behind-proxy.",
            name.chars().take(64).collect::<String>()
        )))
    }

    /// Checks that no page of another site sent the request.
    ///
    /// # Errors
    ///
    /// If one did.
    pub(super) fn require_same_origin(&self, headers: &HeaderMap) -> Result<()> {
        self.require_host(headers)?;
        let foreign = || Error::denied("The request comes from a page of another site, so it was not carried out.");
        if let Some(origin) = headers.get(&ORIGIN) {
            let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://")).ok_or_else(foreign)?;
            let host = text(headers, &HOST).unwrap_or_default();
            return if same_place(origin, host) { Ok(()) } else { Err(foreign()) };
        }
        match text(headers, &SEC_FETCH_SITE) {
            None | Some("same-origin" | "none") => Ok(()),
            Some(_) => Err(foreign()),
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// The host without its port.
fn name_of(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty() => name,
        _ => host,
    }
}

/// Returns whether an origin's authority is the host asked; a port left out is the scheme's own.
fn same_place((scheme, authority): (&str, &str), host: &str) -> bool {
    let default = if scheme == "https" { ":443" } else { ":80" };
    let plain = |text: &str| text.strip_suffix(default).unwrap_or(text).to_ascii_lowercase();
    matches!(scheme, "http" | "https") && plain(authority) == plain(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    fn check(behind_proxy: bool, headers: &[(&str, &str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(HeaderName::try_from(*name).unwrap(), HeaderValue::from_str(value).unwrap());
        }
        Hosts { behind_proxy }.require_same_origin(&map).is_ok()
    }

    #[test]
    fn our_own_pages_pass() {
        for (host, origin) in [
            ("127.0.0.1:8081", "http://127.0.0.1:8081"),
            ("localhost:8081", "http://localhost:8081"),
            ("[::1]:8081", "http://[::1]:8081"),
            ("LOCALHOST:80", "http://localhost"),
        ] {
            assert!(check(false, &[("host", host), ("origin", origin)]), "{host} {origin}");
        }
        assert!(check(true, &[("host", "satchel.example"), ("origin", "https://satchel.example")]));
        assert!(check(false, &[("host", "127.0.0.1:1")]));
        assert!(check(false, &[("host", "127.0.0.1:1"), ("sec-fetch-site", "same-origin")]));
    }

    #[test]
    fn other_sites_do_not() {
        for origin in
            ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1", "", "file://127.0.0.1:8081"]
        {
            assert!(!check(false, &[("host", "127.0.0.1:8081"), ("origin", origin)]), "{origin}");
        }
        assert!(!check(true, &[("host", "satchel.example"), ("origin", "https://evil.example")]));
        assert!(!check(false, &[("host", "127.0.0.1:1"), ("sec-fetch-site", "cross-site")]));
        assert!(!check(false, &[("host", "127.0.0.1:1"), ("sec-fetch-site", "same-site")]));
    }

    #[test]
    fn a_name_pointed_at_this_machine_is_refused() {
        for host in ["evil.example:8081", "127.0.0.1.evil.example", "localhost.evil.example", "evil"] {
            assert!(!check(false, &[("host", host), ("origin", &format!("http://{host}"))]), "{host}");
        }
        assert!(!check(false, &[]));
    }
}
