//! Destinations of what is sent: a host and a port, as addresses and arguments name them.

use std::{collections::BTreeSet, fmt};

use serde_json::Value;
use url::{Host, Url};

/// The schemes of addresses that something can be sent to.
const SCHEMES: &[&str] = &["http", "https", "ws", "wss"];

/// Most destinations that the arguments of one call may name: a person reads no more of them.
pub const MOST_NAMED: usize = 50;

/// A host and a port. Where only a pattern of the host is known, `*.example.org`, that stands in its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Destination {
    host: String,
    port: u16,
}

impl Destination {
    /// This host at this port. Letter case and the dots at its end, which resolvers ignore, make no other host.
    pub fn new(host: &str, port: u16) -> Self {
        Self { host: host.trim_end_matches('.').to_ascii_lowercase(), port }
    }

    /// The destination of an address. `None` where it has no host or no known port.
    pub fn from_url(url: &Url) -> Option<Self> {
        Some(Self::new(url.host_str()?, url.port_or_known_default()?))
    }

    /// The destination of a text that is an address as a whole: `https://crm.example/x`, `wss://crm.example`,
    /// `crm.example:8443/x`, `//crm.example`. `None` where it is none.
    pub fn from_text(text: &str) -> Option<Self> {
        let of_scheme = Url::parse(text.trim()).ok().filter(|url| SCHEMES.contains(&url.scheme()));
        match of_scheme {
            Some(url) => Self::from_url(&url),
            None => host_and_port(text.trim()),
        }
    }

    /// The destinations of the addresses among these arguments, names of members included, at any depth. Ends with one
    /// more than [`MOST_NAMED`].
    pub fn all_in(arguments: &Value) -> BTreeSet<Self> {
        let mut found = BTreeSet::new();
        gather(arguments, &mut found);
        found
    }

    /// The host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether its name is written with letters beyond a to z, which may look like others.
    pub fn may_look_like_another(&self) -> bool {
        self.host.split('.').any(|label| label.starts_with("xn--"))
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

fn gather(value: &Value, found: &mut BTreeSet<Destination>) {
    if found.len() > MOST_NAMED {
        return;
    }
    match value {
        Value::String(text) => found.extend(Destination::from_text(text)),
        Value::Array(items) => items.iter().for_each(|item| gather(item, found)),
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            found.extend(Destination::from_text(name));
            gather(member, found);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// `crm.example:8443/x`, `10.0.0.7:80`, `[::1]:80`, `localhost:80`, `//crm.example`, whose port is that of https. Times
/// (`12:30`) and the like are no addresses.
fn host_and_port(text: &str) -> Option<Destination> {
    if let Some(rest) = text.strip_prefix("//") {
        let url = Url::parse(&format!("https://{rest}")).ok()?;
        return Destination::from_url(&url).filter(|one| one.host.contains('.'));
    }
    let (host, port) = text.split(['/', '?', '#']).next()?.rsplit_once(':')?;
    let port: u16 = port.parse().ok().filter(|port| *port > 0)?;
    let url = Url::parse(&format!("http://{host}/")).ok()?;
    let is_bare = url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
        && url.port().is_none();
    let is_named = match url.host()? {
        Host::Domain(name) => name.contains('.') || name == "localhost",
        Host::Ipv4(_) => host.split('.').count() == 4,
        Host::Ipv6(_) => true,
    };
    (is_bare && is_named).then(|| Destination::new(url.host_str().unwrap_or_default(), port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn place(text: &str) -> Option<String> {
        Destination::from_text(text).map(|found| found.to_string())
    }

    #[test]
    fn an_address_is_a_host_and_a_port_however_it_is_written() {
        for (text, wanted) in [
            ("https://Invoices.example./x?d=1", "invoices.example:443"),
            ("http://a.example:8080", "a.example:8080"),
            (" ht\ntp://a.example ", "a.example:80"),
            ("WSS://a.example/feed", "a.example:443"),
            ("ws://[::1]/", "[::1]:80"),
            ("http://2130706433/", "127.0.0.1:80"),
            ("a.example:8443", "a.example:8443"),
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("localhost:9000", "localhost:9000"),
            ("[::1]:9000", "[::1]:9000"),
            ("evil.example:8443/x?d=S", "evil.example:8443"),
            ("evil.example:8443?d=S", "evil.example:8443"),
            ("//evil.example/x?d=S", "evil.example:443"),
            ("//evil.example:8443", "evil.example:8443"),
        ] {
            assert_eq!(place(text).as_deref(), Some(wanted), "{text}");
        }
        for text in [
            "12:30",
            "note:5",
            "a.example",
            "mailto:a@b.example",
            "file:///etc/passwd",
            "a b.example:80",
            "x",
            "// 1.5 is",
            "/a/b.txt:80",
        ] {
            assert_eq!(place(text), None, "{text}");
        }
        assert_ne!(place("http://a.example"), place("https://a.example"), "two ports are two places");
    }

    #[test]
    fn addresses_are_found_at_any_depth_and_told_once() {
        let arguments = json!({"a": [{"b": "https://x.example/1"}], "c": "https://x.example/2", "d": "y.example:99",
            "https://z.example/": 1});
        let found: Vec<String> = Destination::all_in(&arguments).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["x.example:443", "y.example:99", "z.example:443"]);
    }

    #[test]
    fn the_search_for_addresses_ends_where_there_are_more_than_anybody_reads() {
        let many: Vec<String> = (0..200_000).map(|n| format!("a{n}.example:80")).collect();
        assert_eq!(Destination::all_in(&json!(many)).len(), MOST_NAMED + 1);
    }

    #[test]
    fn a_name_in_letters_of_another_alphabet_is_told_apart() {
        assert!(Destination::from_text("https://аpple.com/").unwrap().may_look_like_another());
        assert!(!Destination::from_text("https://apple.com/").unwrap().may_look_like_another());
    }
}
