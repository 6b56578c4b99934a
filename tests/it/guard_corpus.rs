//! The guard against the whole corpus of spellings, redirects and DNS answers: no packet reaches a canary.

use std::{
    net::{Ipv6Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use satchel::{
    model::{egress::Passed, error::Kind},
    net::{
        gate::{Gate, Ways},
        guard::{self, Exceptions, HostPort},
        http::Request,
        tls::Tls,
    },
};
use tokio::net::TcpListener;
use url::Url;

use super::support::{
    dns::Dns,
    site::{Site, page, status},
    spellings,
    way::{Told, origin, recorded, way_out},
};

/// Listens on every address of this machine and counts who comes.
struct Canary {
    port: u16,
    hits: Arc<AtomicUsize>,
}

impl Canary {
    async fn start() -> Self {
        // One socket for both families where the kernel has IPv6.
        let both = SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0));
        let listener = match TcpListener::bind(both).await {
            Ok(listener) => listener,
            Err(_) => TcpListener::bind("0.0.0.0:0").await.unwrap(),
        };
        let port = listener.local_addr().unwrap().port();
        let hits = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&hits);
        tokio::spawn(async move {
            while listener.accept().await.is_ok() {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { port, hits }
    }

    fn hits(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }
}

fn request(url: &str) -> Request {
    Request { max_redirects: 5, patience: Duration::from_secs(120), ..Request::get(url.parse().unwrap()) }
}

#[tokio::test]
async fn no_spelling_of_the_corpus_reaches_a_listener() {
    let canary = Canary::start().await;
    let corpus = spellings::all(canary.port);
    assert!(corpus.len() >= 600, "the corpus has {} spellings", corpus.len());
    let (gate, told) = recorded(Ways::default());
    let http = gate.on_behalf(origin());
    let (mut parsed, mut passed) = (0, Vec::new());
    for text in &corpus {
        let Ok(url) = Url::parse(text) else { continue };
        parsed += 1;
        let decided = guard::inspect(&url, &Exceptions::default()).is_err();
        let sent = http.send(Request::get(url.clone())).await.is_err();
        let dialled = http.dial(&url, &Tls::default()).await.is_err();
        if !(decided && sent && dialled) {
            passed.push(text);
        }
    }
    assert_eq!(passed, Vec::<&String>::new());
    assert!(parsed >= 600, "only {parsed} of them are URLs at all");
    assert_eq!(canary.hits(), 0);
    let told = told.lock();
    assert_eq!(told.len(), 2 * parsed, "every attempt is a row");
    assert!(told.iter().all(|row| row.passed == Passed::Refused && row.sent == 0));
}

#[test]
fn no_public_place_is_blocked() {
    let places = spellings::public();
    assert!(places.len() >= 200, "there are {}", places.len());
    let blocked: Vec<_> = places
        .iter()
        .filter(|text| guard::inspect(&Url::parse(text).unwrap(), &Exceptions::default()).is_err())
        .collect();
    assert_eq!(blocked, Vec::<&String>::new());
}

#[tokio::test]
async fn no_redirect_leads_inside() {
    let (canary, site, dns) = (Canary::start().await, Site::start().await, Dns::start().await);
    dns.name("inside.example", &[&["127.0.0.1"]]).name("metadata.example", &[&["169.254.169.254"]]);
    let (gate, _) = recorded(Ways { dns: Some(dns.address), ..Ways::default() });
    let place: HostPort = site.place.parse().unwrap();
    let http = gate.on_behalf(origin()).allowing(std::slice::from_ref(&place));
    let port = canary.port;
    let targets = [
        format!("http://127.0.0.1:{port}/"),
        format!("//127.0.0.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("https://[::1]:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("//localhost:{port}/"),
        format!("http://inside.example:{port}/"),
        "http://metadata.example/latest".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        format!("http://u:p@127.0.0.1:{port}/"),
        format!("\\\\127.0.0.1:{port}\\"),
        "file:///etc/passwd".to_owned(),
        "gopher://127.0.0.1:70/_x".to_owned(),
    ];
    for code in [301, 302, 303, 307, 308] {
        for target in &targets {
            site.put("/start", [status(code, &[("location", "/next")])]);
            site.put("/next", [status(code, &[("location", "next/../last")])]);
            site.put("/last", [status(code, &[("location", target)])]);
            let error = http.send(request(&site.url("/start"))).await.err();
            assert!(error.is_some_and(|error| matches!(error.kind(), Kind::Denied | Kind::Invalid)), "{code} {target}");
        }
    }
    assert_eq!(canary.hits(), 0);
    site.put("/start", [status(302, &[("location", "/end")])]).put("/end", [page("text/plain", "the end")]);
    assert_eq!(http.send(request(&site.url("/start"))).await.unwrap().url.path(), "/end");
}

/// A gate whose names this server knows.
fn knowing(dns: &Dns) -> (Gate, Told) {
    recorded(Ways { dns: Some(dns.address), ..Ways::default() })
}

#[tokio::test]
async fn a_name_with_a_closed_address_is_refused_whatever_else_it_has() {
    let (canary, dns) = (Canary::start().await, Dns::start().await);
    dns.name("loop.example", &[&["127.0.0.1"]])
        .name("mixed.example", &[&["93.184.215.14", "127.0.0.1"]])
        .name("other-way.example", &[&["127.0.0.1", "93.184.215.14"]])
        .name("six.example", &[&["::1"]])
        .name("mapped.example", &[&["::ffff:127.0.0.1"]])
        .name("public-four-closed-six.example", &[&["93.184.215.14", "fd00::1"]])
        .name("nat64.example", &[&["64:ff9b::7f00:1"]])
        .name("metadata.example", &[&["169.254.169.254"]])
        .name("unspecified.example", &[&["0.0.0.0"]])
        .alias("alias.example", "localhost")
        .alias("chain.example", "loop.example");
    let (gate, told) = knowing(&dns);
    let http = gate.on_behalf(origin());
    let names =
        ["loop", "mixed", "other-way", "six", "mapped", "public-four-closed-six", "nat64", "metadata", "unspecified"];
    for name in names {
        let url = format!("http://{name}.example:{}/", canary.port);
        let refused = http.send(request(&url)).await.err().unwrap();
        assert_eq!(refused.kind(), Kind::Denied, "{name}: {refused}");
        assert!(!refused.message().contains("127."), "it says what it resolves to: {refused}");
        let refused = http.dial(&url.parse().unwrap(), &Tls::default()).await.err().unwrap();
        assert_eq!(refused.kind(), Kind::Denied, "{name}: {refused}");
    }
    assert!(told.lock().iter().all(|row| row.passed == Passed::Refused));
    for name in ["alias", "chain"] {
        let url = format!("http://{name}.example:{}/", canary.port);
        let kind = http.send(request(&url)).await.err().map(|error| error.kind());
        assert_eq!(kind, Some(Kind::Denied), "{name}");
        assert!(
            http.send(request(&url)).await.is_err() && http.dial(&url.parse().unwrap(), &Tls::default()).await.is_err()
        );
    }
    assert_eq!(canary.hits(), 0);
}

#[tokio::test]
async fn a_name_that_turns_inward_between_two_looks_reaches_nothing() {
    let (canary, dns) = (Canary::start().await, Dns::start().await);
    // Public as far as the guard goes, and given to nobody: no network leads there.
    dns.name("turn.example", &[&["3001::1"], &["127.0.0.1"]]);
    let (gate, _) = knowing(&dns);
    let http = gate.on_behalf(origin());
    let url = format!("http://turn.example:{}/", canary.port);
    // A network may refuse to go there, or say nothing at all.
    let brief = Request { patience: Duration::from_secs(10), ..request(&url) };
    let first = http.send(brief).await.err().unwrap();
    assert_ne!(first.kind(), Kind::Denied, "a public address is dialled: {first}");
    let second = http.send(request(&url)).await.err().unwrap();
    assert_eq!(second.kind(), Kind::Denied, "{second}");
    assert_eq!(canary.hits(), 0);
}

#[tokio::test]
async fn an_exception_opens_a_name_too_and_only_at_its_port() {
    let (site, canary, dns) = (Site::start().await, Canary::start().await, Dns::start().await);
    site.put("/", [page("text/plain", "hello")]);
    dns.name("crm.example", &[&["127.0.0.1"]]);
    let (gate, _) = knowing(&dns);
    let port = site.place.rsplit_once(':').unwrap().1;
    let http = gate.on_behalf(origin()).allowing(&[format!("crm.example:{port}").parse().unwrap()]);
    assert_eq!(http.send(request(&format!("http://crm.example:{port}/"))).await.unwrap().status, 200);
    let other = http.send(request(&format!("http://crm.example:{}/", canary.port))).await.err().unwrap();
    assert_eq!((other.kind(), canary.hits()), (Kind::Denied, 0));
    assert!(!dns.asked().is_empty());
    let unknown = http.send(request("http://nobody.example/")).await.err().unwrap();
    assert_eq!(unknown.kind(), Kind::Upstream, "{unknown}");
    assert!(way_out().send(request(&format!("http://{}/", site.place))).await.is_err());
}
