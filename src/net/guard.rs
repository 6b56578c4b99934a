//! The outbound guard's decision: which URLs and which addresses may be dialled at all.
//!
//! Special-purpose ranges: the IANA IPv4 and IPv6 special-purpose address registries. IPv6 is read the other way round:
//! only global unicast (2000::/3) is public, less the parts of it that embed or stand for other addresses.

use std::{
    collections::HashSet,
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
    sync::Arc,
};

use url::{Host, Url};

use satchel_model::error::{Error, Kind, Result};

/// An exception an administrator made: exactly this host at exactly this port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostPort {
    host: String,
    port: u16,
}

impl HostPort {
    /// The place a URL dials; `None` if it has no host or no known port.
    pub fn from_url(url: &Url) -> Option<Self> {
        Some(Self { host: bare(url.host_str()?), port: url.port_or_known_default()? })
    }
}

impl FromStr for HostPort {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::invalid(format!(
                "'{text}' is not a host and port, such as 'crm.example.org:8443': a name or an address, a colon, a number."
            ))
        };
        let (_, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let port: u16 = port.parse().ok().filter(|port| *port > 0).ok_or_else(wrong)?;
        let url = Url::parse(&format!("http://{text}/")).map_err(|_| wrong())?;
        let more = url.path() != "/" || url.query().is_some() || url.fragment().is_some() || has_userinfo(&url);
        match url.host() {
            Some(Host::Domain(name)) if more || !is_name(name) => Err(wrong()),
            Some(host) if !more => Ok(Self { host: bare(&host.to_string()), port }),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// The exceptions of one client; none is the rule.
#[derive(Debug, Clone, Default)]
pub struct Exceptions(Arc<HashSet<HostPort>>);

impl Exceptions {
    /// These and no others.
    pub fn new(hosts: impl IntoIterator<Item = HostPort>) -> Self {
        Self(Arc::new(hosts.into_iter().collect()))
    }

    /// These and the ones there are.
    #[must_use]
    pub fn with(&self, hosts: &[HostPort]) -> Self {
        Self::new(self.0.iter().chain(hosts).cloned())
    }

    fn cover(&self, url: &Url) -> bool {
        HostPort::from_url(url).is_some_and(|place| self.0.contains(&place))
    }
}

/// The way a URL that may be dialled is dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passage {
    /// Every address it resolves to must be public.
    Public,
    /// An administrator's exception: any address.
    Excepted,
}

/// Returns the way `url` may be dialled, as far as its text tells: scheme, userinfo, host name, literal address. Names
/// still need their addresses checked, see [`is_public`].
///
/// # Errors
///
/// If it may not.
pub fn inspect(url: &Url, exceptions: &Exceptions) -> Result<Passage> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Error::invalid(format!("'{}:' addresses cannot be fetched: use http or https.", url.scheme())));
    }
    if has_userinfo(url) {
        return Err(Error::invalid("A URL must not hold a user name or password: send credentials as a header."));
    }
    let host = url.host().ok_or_else(|| Error::invalid("The URL names no host."))?;
    if exceptions.cover(url) {
        return Ok(Passage::Excepted);
    }
    let public = match host {
        Host::Ipv4(address) => is_public(address.into()),
        Host::Ipv6(address) => is_public(address.into()),
        Host::Domain(name) => !is_local_name(name),
    };
    if public { Ok(Passage::Public) } else { Err(placed(refusal(url.host_str().unwrap_or_default()), url)) }
}

/// The one sentence of a refusal; it never says what the name resolves to.
pub(super) fn refusal(host: &str) -> Error {
    Error::denied(format!("'{host}' is not a public address, so it is not contacted.{MAY_BE_ALLOWED}"))
}

/// The end of a refusal.
const MAY_BE_ALLOWED: &str = " An administrator can allow this host and port.";

/// A refusal with the place that may be allowed, and where; any other error as it is.
pub(super) fn placed(error: Error, url: &Url) -> Error {
    match (error.message().strip_suffix(MAY_BE_ALLOWED), HostPort::from_url(url)) {
        (Some(fact), Some(place)) if error.kind() == Kind::Denied => Error::denied(format!(
            "{fact} An administrator can allow '{place}' in the settings, under outbound exceptions."
        ))
        .caused_by(error),
        _ => error,
    }
}

fn has_userinfo(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// Returns whether a name can be one of a host: a URL takes more, such as `*` and `!`, which no exception would ever
/// match.
fn is_name(name: &str) -> bool {
    let fits =
        |label: &str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    bare(name).split('.').all(fits)
}

/// Without the dots at the end, which resolvers ignore.
fn bare(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// Names that mean this machine, this network or a cloud's metadata, whatever they resolve to.
fn is_local_name(name: &str) -> bool {
    const EXACT: &[&str] =
        &["", "localhost6", "ip6-localhost", "ip6-loopback", "loopback", "broadcasthost", "metadata"];
    const UNDER: &[&str] =
        &["localhost", "localdomain", "localdomain6", "local", "internal", "home.arpa", "intranet", "lan"];
    let name = bare(name);
    let under = |zone: &str| name.strip_suffix(zone).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    EXACT.contains(&name.as_str()) || UNDER.iter().any(|zone| under(zone))
}

/// Returns whether an address belongs to the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Base address and prefix length of every IPv4 range that is not public.
const CLOSED_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),        // this network, unspecified
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // carrier-grade NAT; a cloud's metadata too
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32), // a cloud's metadata in public clothes
    (Ipv4Addr::new(169, 254, 0, 0), 16),   // link-local, metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),    // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocol assignments; a cloud's metadata too
    (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),   // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16),   // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),    // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),      // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),      // reserved, broadcast
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !CLOSED_V4.iter().any(|(base, length)| (bits ^ base.to_bits()) >> (32 - length) == 0)
}

/// Base address and prefix length of what is not public inside 2000::/3.
const CLOSED_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // Teredo and other protocol assignments
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4
    (Ipv6Addr::new(0x3ffe, 0, 0, 0, 0, 0, 0, 0), 16), // given back
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = address.to_bits();
    let within = |(base, length): &(Ipv6Addr, u32)| (bits ^ base.to_bits()) >> (128 - length) == 0;
    let global = within(&(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3));
    // ISATAP writes an IPv4 address into the interface part of any prefix (RFC 5214).
    let isatap = matches!((bits >> 32) as u32, 0x0000_5efe | 0x0200_5efe | 0x0100_5efe | 0x0300_5efe);
    global && !isatap && !CLOSED_V6.iter().any(within)
}

/// Base address and prefix length of what no name of a service stands for: this machine's link, a cloud's metadata, groups.
const NAMELESS_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 100, 100, 200), 32),
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

/// Returns whether an address is reached only where it is named itself: a name that leads there was turned there.
pub(super) fn is_nameless(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let bits = address.to_bits();
            NAMELESS_V4.iter().any(|(base, length)| (bits ^ base.to_bits()) >> (32 - length) == 0)
        }
        IpAddr::V6(address) => {
            let metadata = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
            address.is_unicast_link_local() || address.is_multicast() || address.is_unspecified() || address == metadata
        }
    }
}

/// The refusal of a name that leads to such an address.
pub(super) fn turned(host: &str) -> Error {
    Error::denied(format!(
        "'{host}' leads to an address of this machine's own link, such as a cloud's metadata, so it is not contacted. \
         An administrator who means that address allows it as a number."
    ))
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
