//! The hosts a script may call.

use std::{fmt, str::FromStr};

use url::Url;

use satchel_model::error::{Error, Result};

/// A host of `@http`: a name, `*.` and a name, or `*`; with a port, or for https alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Host {
    name: String,
    port: Option<u16>,
}

impl Host {
    /// The name: where it has a star, that of no host there is.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it stands for more hosts than one.
    pub fn is_pattern(&self) -> bool {
        self.name.starts_with('*')
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(443)
    }

    /// Returns what `@http` must say for an address: the host, with its port unless it is called by https on 443.
    pub fn needed(url: &Url) -> String {
        let host = url.host_str().unwrap_or_default();
        match url.port_or_known_default() {
            Some(port) if url.scheme() != "https" || port != 443 => format!("{host}:{port}"),
            _ => host.to_owned(),
        }
    }

    /// Returns what keeps a script whose header names these from calling an address, if anything does.
    pub fn refusal(named: &[Self], url: &Url) -> Option<String> {
        if let Some(refused) = Self::wrong_scheme(url) {
            return Some(refused);
        }
        if named.iter().any(|host| host.covers(url)) {
            return None;
        }
        let host = Self::needed(url);
        Some(format!("The header does not name the host '{host}': add // @http {host}"))
    }

    /// Returns the refusal of an address that no header could name, if it is one.
    pub fn wrong_scheme(url: &Url) -> Option<String> {
        let scheme = url.scheme();
        (!matches!(scheme, "http" | "https")).then(|| format!("Only http and https can be called, not '{scheme}:'."))
    }

    /// Returns whether it covers an address. `*.example.org` covers what lies under `example.org`, not the name itself.
    pub fn covers(&self, url: &Url) -> bool {
        let port_fits = match self.port {
            Some(port) => url.port_or_known_default() == Some(port),
            None => url.scheme() == "https" && url.port_or_known_default() == Some(443),
        };
        let Some(host) = url.host_str() else { return false };
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let name_fits = match self.name.strip_prefix('*') {
            Some("") => true,
            Some(under) => host.len() > under.len() && host.ends_with(under),
            None => host == self.name,
        };
        port_fits && name_fits
    }
}

impl FromStr for Host {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::invalid(format!(
                "'{text}' is not a host: write api.example.org, api.example.org:8443, *.example.org or *."
            ))
        };
        let bare = text.strip_prefix("*.").unwrap_or(text);
        if text != bare && bare.contains('*') {
            return Err(wrong());
        }
        // The parser of addresses says what a host is; a star alone is none.
        let probe =
            if bare == "*" || bare.starts_with("*:") { bare.replacen('*', "any.example", 1) } else { bare.into() };
        let url = Url::parse(&format!("https://{probe}/")).map_err(|_| wrong())?;
        let plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
        if !plain || url.password().is_some() || probe.contains(['/', '?', '#', '@', '*']) {
            return Err(wrong());
        }
        let host = url.host_str().ok_or_else(wrong)?.trim_end_matches('.');
        let port = match bare.rsplit_once(':') {
            Some((_, port)) if !bare.ends_with(']') => Some(port.parse().map_err(|_| wrong())?),
            _ => None,
        };
        let name = match (text.starts_with("*."), bare.starts_with('*')) {
            (true, _) => format!("*.{host}"),
            (false, true) => "*".to_owned(),
            (false, false) => host.to_owned(),
        };
        Ok(Self { name, port })
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.name),
            None => f.write_str(&self.name),
        }
    }
}
