//! Conditions on one argument.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::{Host, Url};

use super::Locate;
use crate::{
    destination::Destination,
    error::{Error, Result},
    id::shorten,
    json::canonical,
};

/// Schemes of addresses that are told apart by host.
const SCHEMES: [&str; 6] = ["http", "https", "ws", "wss", "grpc", "grpcs"];

/// A condition on one argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RuleCondition)]
pub enum Condition {
    /// It is exactly this value.
    Equals(Value),
    /// It is exactly one of these values.
    OneOf(Vec<Value>),
    /// It is a path at or below this one, once `..` and links are resolved, or an address at or below this one.
    Prefix(String),
    /// It is an address of this host or of one below it: `example.org`, or `example.org:8443`.
    Domain(String),
    /// It is a number, and at most this one.
    Max(f64),
}

impl Condition {
    /// Returns whether it holds for a value; `None` where that cannot be told.
    pub(super) fn holds(&self, value: &Value, locate: Locate<'_>) -> Option<bool> {
        match self {
            Self::Equals(wanted) => Some(canonical(wanted) == canonical(value)),
            Self::OneOf(wanted) => Some(wanted.iter().any(|wanted| canonical(wanted) == canonical(value))),
            Self::Max(most) => Some(value.as_f64().is_some_and(|number| number <= *most)),
            Self::Domain(domain) => Some(value.as_str().and_then(address).is_some_and(|url| is_of(domain, &url))),
            Self::Prefix(prefix) => value.as_str().map_or(Some(false), |text| is_below(prefix, text, locate)),
        }
    }

    /// Returns whether it names this destination.
    pub(super) fn names(&self, place: &Destination) -> bool {
        match self {
            Self::Equals(value) => Destination::all_in(value).contains(place),
            Self::OneOf(values) => values.iter().any(|value| Destination::all_in(value).contains(place)),
            Self::Prefix(prefix) => address(prefix).as_ref().and_then(Destination::from_url).as_ref() == Some(place),
            Self::Domain(domain) => {
                let (host, port) = host_and_port(domain);
                let has_port = port.map_or(matches!(place.port(), 80 | 443), |port| port == place.port());
                has_port && is_at_or_below(place.host(), host)
            }
            Self::Max(_) => false,
        }
    }

    /// The form it is compared in. Fails where it can never hold.
    pub(super) fn canonical(self) -> Result<Self> {
        match self {
            Self::Domain(domain) => canonical_domain(&domain).map(Self::Domain),
            Self::Prefix(prefix) if prefix.trim().is_empty() => Err(Error::invalid("A `prefix` is not empty.")),
            Self::OneOf(values) if values.is_empty() => Err(Error::invalid("`one_of` names one value at least.")),
            Self::Max(most) if !most.is_finite() => Err(Error::invalid("`max` is a number.")),
            other => Ok(other),
        }
    }
}

/// The host of a domain, in the letters that are looked up, with its port where it has one.
fn canonical_domain(domain: &str) -> Result<String> {
    let wrong = || {
        Error::invalid(format!(
            "'{}' is no domain: write a host alone, for instance example.org or example.org:8443.",
            shorten(domain)
        ))
    };
    let is_plain = !domain.contains(['/', '@', '?', '#', '\\', '*', ' ']);
    let url = Url::parse(&format!("https://{domain}/")).ok().filter(|_| is_plain).ok_or_else(wrong)?;
    let host =
        url.host_str().map(|host| host.trim_end_matches('.')).filter(|host| !host.is_empty()).ok_or_else(wrong)?;
    // Left out, as it is the usual one of https.
    let has_port = domain.ends_with(":443");
    Ok(match url.port().or(has_port.then_some(443)) {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

/// The address that a text is as a whole, without a name and password in it.
pub(super) fn address(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.username().is_empty() && url.password().is_none() && url.host_str().is_some();
    (is_plain && SCHEMES.contains(&url.scheme())).then_some(url)
}

fn host_and_port(domain: &str) -> (&str, Option<u16>) {
    // An IPv6 address has colons of its own, within brackets.
    match domain.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()),
        _ => (domain, None),
    }
}

fn is_of(domain: &str, url: &Url) -> bool {
    let (host, port) = host_and_port(domain);
    let has_port = match port {
        Some(port) => url.port_or_known_default() == Some(port),
        None => url.port().is_none(),
    };
    let given = match url.host() {
        // Of a scheme that is not the web's the host is as it was written.
        Some(Host::Domain(given)) => given.trim_end_matches('.').to_ascii_lowercase(),
        _ => url.host_str().unwrap_or_default().to_owned(),
    };
    has_port && is_at_or_below(&given, host)
}

fn is_at_or_below(given: &str, host: &str) -> bool {
    let is_number = host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok();
    given == host || !is_number && given.strip_suffix(host).is_some_and(|rest| rest.ends_with('.'))
}

/// Returns whether a path or an address is at or below another; `None` where that cannot be told.
fn is_below(prefix: &str, text: &str, locate: Locate<'_>) -> Option<bool> {
    if let Some(base) = address(prefix) {
        let Some(url) = address(text) else { return Some(false) };
        let same = base.scheme() == url.scheme()
            && base.host_str() == url.host_str()
            && base.port_or_known_default() == url.port_or_known_default();
        // A server may take what is written in percents for a way up.
        let path = url.path().to_ascii_lowercase();
        if ["%2f", "%5c", "%2e", "%25"].iter().any(|hidden| path.contains(hidden)) {
            return if same { None } else { Some(false) };
        }
        return Some(same && Path::new(url.path()).starts_with(base.path()));
    }
    if text.contains(['\\', '%', '\0']) {
        return None;
    }
    if let Some(base) = locate(prefix) {
        return locate(text).map(|text| Path::new(&text).starts_with(base));
    }
    Some(plain(text)?.starts_with(plain(prefix)?))
}

/// A path without `.` and `..`. `None` where it goes above its beginning.
fn plain(path: &str) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir if !plain.pop() => return None,
            Component::ParentDir | Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}
