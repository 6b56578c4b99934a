//! Names that nobody mistakes, and sign-ins that come at once.

use futures_util::future::join_all;
use serde_json::json;

use crate::support::http::{PASSWORD, Request, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_looks_like_somebodys_is_refused() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    server.add("paco", "viewer").await;
    for (username, status) in [
        ("\u{440}\u{430}\u{441}\u{43e}", 409), // Cyrillic letters that look like paco
        ("p\u{430}co", 400),                   // one of them among Latin ones
        ("PACO", 409),
        ("0wner", 409),
        ("pacu", 201),
        ("\u{42e}\u{43b}\u{438}\u{44f}", 201), // a name in one script
    ] {
        let body = json!({"username": username, "password": PASSWORD, "role": "viewer"});
        let answer = server.send(Request::post("/api/users", &body).cookie(&cookie)).await;
        assert_eq!(answer.status, status, "{username}: {}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn right_passwords_that_come_at_once_all_get_in() {
    let server = TestServer::start().await;
    let login = json!({"username": "owner", "password": PASSWORD});
    let tries = (0..8).map(|_| server.send(Request::post("/api/auth/login", &login)));
    let statuses: Vec<u16> = join_all(tries).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200; 8]);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_ones_that_come_at_once_are_counted_all_the_same() {
    let server = TestServer::start().await;
    server.add("ada", "viewer").await;
    let wrong = json!({"username": "ada", "password": "not the password"});
    let tries = (0..20).map(|_| server.send(Request::post("/api/auth/login", &wrong)));
    let statuses: Vec<u16> = join_all(tries).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 5, "{statuses:?}");
}
