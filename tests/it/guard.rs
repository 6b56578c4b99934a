//! The outbound guard against a real listener: no packet reaches what must not be reached.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use satchel::{
    model::error::Kind,
    net::{guard::HostPort, http::Request},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::support::way::way_out;

/// A server on this machine that counts who connects, and answers with what it is told.
struct Canary {
    place: HostPort,
    url: String,
    hits: Arc<AtomicUsize>,
}

impl Canary {
    async fn start(answer: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let hits = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&hits);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let mut request = [0; 4_096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        Self { place: address.to_string().parse().unwrap(), url: format!("http://{address}/"), hits }
    }

    fn hits(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

fn redirect(to: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

fn get(url: &str) -> Request {
    Request { max_redirects: 3, ..Request::get(url.parse().unwrap()) }
}

#[tokio::test]
async fn nothing_on_this_machine_is_reached_under_any_name() {
    let canary = Canary::start(ok("secret")).await;
    let port = canary.url.trim_end_matches('/').rsplit_once(':').unwrap().1.to_owned();
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let hosts = [
        "127.0.0.1",
        "127.1",
        "0x7f000001",
        "2130706433",
        "localhost",
        "localhost.",
        "a.localhost",
        "0.0.0.0",
        "0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "ip6-localhost",
        &name,
    ];
    for host in hosts {
        let refused = way_out().send(get(&format!("http://{host}:{port}/"))).await.err();
        assert!(refused.is_some(), "{host} was reached");
    }
    assert_eq!(canary.hits(), 0);
}

#[tokio::test]
async fn a_redirect_does_not_lead_inside() {
    let canary = Canary::start(ok("secret")).await;
    for target in [canary.url.clone(), canary.url.replace("127.0.0.1", "localhost"), canary.url.replace("http:", "")] {
        let outside = Canary::start(redirect(&target)).await;
        let http = way_out().allowing(std::slice::from_ref(&outside.place));
        let error = http.send(get(&outside.url)).await.err().unwrap();
        assert_eq!(error.kind(), Kind::Denied, "{target}");
        assert_eq!((outside.hits(), canary.hits()), (1, 0), "{target}");
    }
    let file = Canary::start(redirect("file:///etc/passwd")).await;
    let http = way_out().allowing(std::slice::from_ref(&file.place));
    assert!(http.send(get(&file.url)).await.is_err());
}

#[tokio::test]
async fn an_exception_holds_for_its_port_only() {
    let (allowed, other) = (Canary::start(ok("hello")).await, Canary::start(ok("secret")).await);
    let http = way_out().allowing(std::slice::from_ref(&allowed.place));
    let body = http.send(get(&allowed.url)).await.unwrap().bytes(100).await.unwrap();
    assert_eq!(&body[..], b"hello");
    assert_eq!(http.send(get(&other.url)).await.err().unwrap().kind(), Kind::Denied);
    assert_eq!(other.hits(), 0);
}

#[tokio::test]
async fn redirects_are_followed_so_far_and_no_further() {
    let end = Canary::start(ok("the end")).await;
    let middle = Canary::start(redirect(&end.url)).await;
    let start = Canary::start(redirect(&middle.url)).await;
    let http = way_out().allowing(&[end.place.clone(), middle.place.clone(), start.place.clone()]);
    let response = http.send(get(&start.url)).await.unwrap();
    assert_eq!(response.url.as_str(), end.url);
    let error = http.send(Request { max_redirects: 1, ..get(&start.url) }).await.err().unwrap();
    assert!(error.message().contains("more than 1"), "{error}");
    let none = http.send(Request { max_redirects: 0, ..get(&start.url) }).await.unwrap();
    assert_eq!(none.status, 302);
}

#[tokio::test]
async fn a_body_is_read_so_far_and_no_further() {
    let canary = Canary::start(ok(&"x".repeat(1_000))).await;
    let http = way_out().allowing(std::slice::from_ref(&canary.place));
    let (head, more) = http.send(get(&canary.url)).await.unwrap().first_bytes(10).await.unwrap();
    assert_eq!((head.len(), more), (10, true));
    assert!(http.send(get(&canary.url)).await.unwrap().bytes(999).await.is_err());
    assert_eq!(http.send(get(&canary.url)).await.unwrap().bytes(1_000).await.unwrap().len(), 1_000);
}
