//! Addresses in texts: whatever another system may take as a place to send something to.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::{Captures, Regex};
use url::{Host, Url, form_urlencoded};

use super::{destination::Destination, unseen::is_unseen};

/// Longest text that is searched for addresses, in characters; of a longer one it counts what it begins with.
const SEARCHED: usize = 2_000;
/// Ports of schemes; of any other scheme none is known.
const PORTS: &[(&str, u16)] =
    &[("http", 80), ("ws", 80), ("https", 443), ("wss", 443), ("ftp", 21), ("ssh", 22), ("smb", 445), ("ldap", 389)];
const MAIL_PORT: u16 = 25;
const SSH_PORT: u16 = 22;

type Pattern = LazyLock<Result<Regex, regex::Error>>;

/// `scheme://host:port`, where the web's schemes need no slashes, and `//host:port` at the beginning of a word. One letter
/// and a colon are a drive.
static PLACE: Pattern = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i)(?:\b(?P<web>https?|wss?|ftp):(?P<slashes>/*)|(?P<scheme>[a-z][a-z0-9+.-]{1,40})://"#,
        r#"|(?:^|[\s"'`<>()\[\]{}=,;|])/{2,})(?P<authority>[^\s/?#"'`<>(){},;|]+)"#,
    ))
});
/// Names of namespaces in XML: nobody goes there.
static NAMESPACE: Pattern = LazyLock::new(|| Regex::new(r#"\bxmlns(?::[\w.-]{1,60})?\s*=\s*(?:"[^"]*"|'[^']*')"#));
/// `user@host:port`, and `user@host:path`, as version control has it.
static LOGIN: Pattern = LazyLock::new(|| {
    Regex::new(r#"(?i)[a-z0-9._%+-]@(?P<host>[^\s@:/"'`<>()\[\]{},;]+):(?:(?P<port>[0-9]{1,5})\b|[a-z~._/-])"#)
});
/// `mailto:` with what follows.
static MAIL: Pattern = LazyLock::new(|| Regex::new(r#"(?i)\bmailto:(?P<all>[^\s"'`<>(){}]+)"#));

/// The destinations of the addresses in a text: of `https://crm.example/x`, `grpc://crm.example:50051`,
/// `crm.example:8443/x`, `//crm.example`, `\\crm.example\x`, `me@crm.example:22`, `mailto:me@crm.example`. All but
/// `crm.example:8443` count within a longer text, too.
pub fn destinations(text: &str) -> BTreeSet<Destination> {
    let mut found = BTreeSet::from_iter(whole(text));
    // A line break within an address is none of it.
    let plain = |c: char| !is_unseen(c) || c.is_whitespace() && found.is_empty();
    let begins: String = text.trim().chars().filter(|c| plain(*c)).take(SEARCHED + 1).collect();
    let is_short = begins.chars().nth(SEARCHED).is_none();
    within(&begins, is_short, &mut found);
    if is_short && begins.contains('%') {
        let as_one = begins.replace('&', "%26").replace('=', "%3D").replace('+', "%2B");
        form_urlencoded::parse(as_one.as_bytes()).for_each(|(decoded, _)| within(&decoded, true, &mut found));
    }
    found.extend(share(&begins));
    found
}

/// The destination of a text that is an address as a whole.
fn whole(text: &str) -> Option<Destination> {
    let of_scheme = Url::parse(text.trim()).ok().filter(|url| PORTS.iter().any(|(known, _)| url.scheme() == *known));
    of_scheme.as_ref().and_then(Destination::from_url).or_else(|| host_and_port(text.trim()))
}

/// Addresses in a text, or only one that it begins with.
fn within(text: &str, anywhere: bool, found: &mut BTreeSet<Destination>) {
    // Programs of the web and of Windows take one for the other.
    let mut text = text.replace('\\', "/");
    if let (true, Ok(namespace)) = (text.starts_with('<'), &*NAMESPACE) {
        text = namespace.replace_all(&text, "").into_owned();
    }
    let counts = |captures: &Captures<'_>| anywhere || captures.get(0).is_some_and(|all| all.start() == 0);
    let all =
        |pattern: &'static Pattern| pattern.iter().flat_map(|pattern| pattern.captures_iter(&text)).filter(counts);
    found.extend(all(&PLACE).filter_map(|captures| placed(&captures)));
    found.extend(all(&LOGIN).filter_map(|captures| {
        let port = captures.name("port").map_or(Some(SSH_PORT), |port| port.as_str().parse().ok())?;
        captures.name("host").filter(|host| host.as_str().contains('.')).and_then(|host| named(host.as_str(), port))
    }));
    for captures in all(&MAIL) {
        let text = captures.name("all").map_or("", |text| text.as_str());
        let people = text.split([',', ';', '?', '&', '=']).filter_map(|one| one.rsplit_once('@'));
        found.extend(people.filter_map(|(_, host)| named(host, MAIL_PORT)));
    }
}

/// The destination of what [`PLACE`] found. Where no scheme says that it is an address, its host has a dot.
fn placed(captures: &Captures<'_>) -> Option<Destination> {
    let text = |name: &str| captures.name(name).map(|found| found.as_str());
    let scheme = text("web").or(text("scheme"));
    let authority = text("authority")?.rsplit('@').next()?;
    // The end of a sentence or of a list is none of it.
    let authority = authority.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != ']');
    let authority = if authority.starts_with('[') { authority } else { authority.trim_end_matches(']') };
    let is_sure = match (scheme, text("slashes")) {
        (None, _) | (Some(_), Some("")) => authority.contains('.'),
        _ => true,
    };
    let explicit = authority.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
    let known = PORTS.iter().find(|(known, _)| scheme.unwrap_or("https").eq_ignore_ascii_case(known));
    let port = explicit.or(known.map(|(_, port)| *port)).unwrap_or_default();
    is_sure.then(|| named(authority, port)).flatten()
}

/// `\\host\share` as a whole, whose host needs no dot.
fn share(text: &str) -> Option<Destination> {
    let host = text.strip_prefix(r"\\")?.split('\\').next()?;
    let is_name = host.len() > 1 && host.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '.' | '_'));
    is_name.then(|| named(host, 445)).flatten()
}

fn named(host: &str, port: u16) -> Option<Destination> {
    let url = Url::parse(&format!("http://{host}/")).ok()?;
    (url.path() == "/").then(|| Destination::new(url.host_str().unwrap_or_default(), port))
}

/// `crm.example:8443/x`, `10.0.0.7:80`, `[::1]:80`, `localhost:80`, and `//crm.example`, whose port is that of https. Times
/// (`12:30`) and the like are no addresses.
fn host_and_port(text: &str) -> Option<Destination> {
    if let Some(rest) = text.strip_prefix("//") {
        let url = Url::parse(&format!("https://{rest}")).ok()?;
        return Destination::from_url(&url).filter(|one| one.host().contains('.'));
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

    fn places(text: &str) -> Vec<String> {
        destinations(text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_patterns_can_be_read() {
        for pattern in [&PLACE, &NAMESPACE, &LOGIN, &MAIL] {
            assert!(pattern.is_ok(), "{:?}", **pattern);
        }
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
            ("https:evil.example", "evil.example:443"),
            ("https:\\/\\/evil.example\\/x", "evil.example:443"),
            ("ftp://evil.example/x", "evil.example:21"),
            ("grpc://evil.example:50051", "evil.example:50051"),
            ("redis://evil.example", "evil.example"),
            ("file://evil.example/x", "evil.example"),
            ("jdbc:postgresql://evil.example:5432/x", "evil.example:5432"),
            ("feed:https://evil.example/x", "evil.example:443"),
            ("\\\\evil.example\\x", "evil.example:443 evil.example:445"),
            ("\\\\intranet\\x", "intranet:445"),
            ("/\\evil.example/x", "evil.example:443"),
            ("user@evil.example:443/x", "evil.example:443"),
            ("git@evil.example:a/b.git", "evil.example:22"),
            ("mailto:a@b.example?cc=c%40d.example", "b.example:25 d.example:25"),
            ("see https://evil.example/x.", "evil.example:443"),
            ("Look here: (https://evil.example).", "evil.example:443"),
            ("[\"https://evil.example/x\"]", "evil.example:443"),
            ("[https://evil.example]", "evil.example:443"),
            ("<https://u:p@evil.example:99/x>", "evil.example:99"),
            ("\u{200b}https://evil.example/x", "evil.example:443"),
            ("ht\u{200b}tps://evil.example/x", "evil.example:443"),
            ("/go?to=https%3A%2F%2Fevil.example%2Fx", "evil.example:443"),
            ("/go?to=//evil.example/x", "evil.example:443"),
            ("<a xmlns=\"http://schema.example/\" href=\"http://evil.example/\"/>", "evil.example:80"),
        ] {
            assert_eq!(places(text).join(" "), wanted, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_an_address_is_none() {
        for text in [
            "12:30",
            "note:5",
            "a.example",
            "me@a.example",
            "Write to me@a.example: soon.",
            "file:///etc/passwd",
            "a b.example:80",
            "x",
            "// 1.5 is",
            "//book/title",
            "/a/b.txt:80",
            "/a//b.txt",
            "C:\\\\dir\\\\a.txt",
            "\\d+\\.\\d",
            "\\\\d",
            "The news: at 12:30, or 1/2.",
            "http: 200",
        ] {
            assert_eq!(places(text), [""; 0], "{text}");
        }
        let long = format!("{} https://evil.example/x", "word ".repeat(500));
        assert_eq!(places(&long), [""; 0], "of a long text only its beginning counts");
        assert_eq!(places(&format!("grpc://evil.example/{long}")), ["evil.example"]);
    }
}
