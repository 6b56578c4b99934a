//! Destinations of what is sent: a host and a port, as addresses and arguments name them.

use std::{collections::BTreeSet, fmt};

use serde_json::Value;
use url::Url;

use super::address;

/// Most destinations that the arguments of one call may name: a person reads no more of them.
pub const MOST_NAMED: usize = 50;

/// A host and a port, which is 0 where nobody knows it. Where only a pattern of the host is known, `*.example.org`, that
/// stands in its place.
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

    /// Returns whether its name is written with letters beyond a to z, which may look like others.
    pub fn may_look_like_another(&self) -> bool {
        self.host.split('.').any(|label| label.starts_with("xn--"))
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            0 => f.write_str(&self.host),
            port => write!(f, "{}:{port}", self.host),
        }
    }
}

fn gather(value: &Value, found: &mut BTreeSet<Destination>) {
    if found.len() > MOST_NAMED {
        return;
    }
    match value {
        Value::String(text) => found.extend(address::destinations(text)),
        Value::Array(items) => items.iter().for_each(|item| gather(item, found)),
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            found.extend(address::destinations(name));
            gather(member, found);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        let may = |text: &str| Destination::all_in(&json!(text)).iter().any(Destination::may_look_like_another);
        assert!(may("https://аpple.com/") && !may("https://apple.com/"));
    }
}
