//! Dialling through the guard: TLS, mutual TLS, names of our own DNS server, and what the ledger is told.

use satchel::{
    model::{
        egress::{Crossing, Passed},
        error::Kind,
    },
    net::{
        gate::{Gate, Ways},
        guard::HostPort,
        http::{Http, Request},
        tls::Tls,
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use url::Url;

use super::support::{
    authority::{Authority, echo},
    dns::Dns,
    way::{origin, recorded},
};

fn to(gate: &Gate, url: &str) -> (Http, Url) {
    let url: Url = url.parse().unwrap();
    let place: HostPort = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap()).parse().unwrap();
    (gate.on_behalf(origin()).allowing(&[place]), url)
}

async fn ask(http: &Http, url: &Url, tls: &Tls) -> satchel::model::error::Result<String> {
    let mut connection = http.dial(url, tls).await?;
    connection.write_all(b"hello").await.map_err(satchel::model::error::Error::internal)?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.map_err(satchel::model::error::Error::internal)?;
    Ok(answer)
}

#[tokio::test]
async fn a_connection_carries_bytes_and_is_a_row() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut said = [0; 5];
        stream.read_exact(&mut said).await.unwrap();
        stream.write_all(b"welcome").await.unwrap();
    });
    let (gate, told) = recorded(Ways::default());
    let (http, url) = to(&gate, &format!("grpc://127.0.0.1:{port}/x"));
    let answer = ask(&http, &Url::parse(url.as_str()).unwrap(), &Tls::default()).await.unwrap();
    assert_eq!(answer, "welcome");
    let Crossing { host, port: to_port, protocol, sent, received, passed, reason, .. } = told.lock().remove(0);
    assert_eq!((host.as_str(), to_port, protocol.as_str()), ("127.0.0.1", port, "grpc"));
    assert_eq!((sent, received, passed, reason), (5, 7, Passed::Done, None));
}

#[tokio::test]
async fn what_the_guard_refuses_is_not_dialled_and_is_a_row() {
    let (gate, told) = recorded(Ways::default());
    let closed =
        ["ws://127.0.0.1:9/", "grpc://0x7f.1:9/", "wss://localhost:9/", "grpcs://[::1]:9/", "ftp://a.example/"];
    for url in closed {
        let url = Url::parse(url).unwrap();
        assert!(gate.on_behalf(origin()).dial(&url, &Tls::default()).await.is_err(), "{url}");
        let row = told.lock().pop().unwrap();
        assert_eq!((row.passed, row.sent, row.received), (Passed::Refused, 0, 0), "{url}");
        assert!(row.reason.is_some(), "{url}");
    }
}

#[tokio::test]
async fn only_a_trusted_certificate_of_the_right_name_is_spoken_to() {
    let (authority, other) = (Authority::new(), Authority::new());
    let dns = Dns::start().await;
    dns.name("api.test", &[&["127.0.0.1"]]).name("else.test", &[&["127.0.0.1"]]);
    let (gate, told) = recorded(Ways { dns: Some(dns.address), ..Ways::default() });
    let port = echo(authority.server("api.test", None)).await.port();
    let trusting = |authority: &Authority| Tls { roots: Some(authority.pem()), ..Tls::default() };
    let (http, url) = to(&gate, &format!("wss://api.test:{port}/"));
    assert!(ask(&http, &url, &trusting(&authority)).await.unwrap().ends_with("hello"));
    assert!(ask(&http, &url, &trusting(&other)).await.unwrap_err().message().contains("TLS"));
    assert!(ask(&http, &url, &Tls::default()).await.is_err());
    let (http, wrong) = to(&gate, &format!("wss://else.test:{port}/"));
    assert!(ask(&http, &wrong, &trusting(&authority)).await.is_err());
    let passed: Vec<_> = told.lock().iter().map(|row| row.passed).collect();
    assert_eq!(passed, [Passed::Done, Passed::Failed, Passed::Failed, Passed::Failed]);
}

#[tokio::test]
async fn a_protocol_is_agreed_on() {
    let authority = Authority::new();
    let port = echo(authority.server("127.0.0.1", None)).await.port();
    let (gate, _) = recorded(Ways::default());
    let (http, url) = to(&gate, &format!("https://127.0.0.1:{port}/"));
    let alpn = vec![b"h2".to_vec(), b"echo".to_vec()];
    let connection = http.dial(&url, &Tls { roots: Some(authority.pem()), alpn, identity: None }).await.unwrap();
    assert_eq!(connection.alpn(), Some(&b"echo"[..]));
    assert!(connection.peer().ip().is_loopback());
}

#[tokio::test]
async fn mutual_tls_shows_our_certificate_in_requests_and_connections() {
    let (authority, clients) = (Authority::new(), Authority::new());
    let port = echo(authority.server("127.0.0.1", Some(&clients))).await.port();
    let (gate, _) = recorded(Ways::default());
    let (http, url) = to(&gate, &format!("https://127.0.0.1:{port}/"));
    let roots = Some(authority.pem());
    let known = Tls { roots: roots.clone(), identity: Some(clients.issue("satchel")), ..Tls::default() };
    let foreign = Tls { roots: roots.clone(), identity: Some(authority.issue("satchel")), ..Tls::default() };
    let nobody = Tls { roots, ..Tls::default() };
    assert!(ask(&http, &url, &known).await.unwrap().contains("hello"));
    assert!(http.with_tls(known).send(Request::get(url.clone())).await.is_ok());
    for unknown in [foreign, nobody] {
        assert!(ask(&http, &url, &unknown).await.is_err());
        assert!(http.with_tls(unknown).send(Request::get(url.clone())).await.is_err());
    }
    assert!(http.send(Request::get(url.clone())).await.is_err());
}

#[tokio::test]
async fn certificates_that_are_none_are_named() {
    let (gate, _) = recorded(Ways::default());
    let (http, url) = to(&gate, "https://127.0.0.1:9/");
    let error = http.with_tls(Tls { roots: Some("nonsense".to_owned()), ..Tls::default() });
    let error = error.send(Request::get(url)).await.err().unwrap();
    assert_eq!(error.kind(), Kind::Invalid);
    assert!(error.message().contains("PEM"), "{error}");
}
