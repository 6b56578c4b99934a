//! What is taken from somebody is taken at once: requests whose body is still on its way, streams, and changes that meet it.

use serde_json::{Value, json};

use crate::support::{
    app::{TestApp, config},
    http::{PASSWORD, Request, TestServer},
};

const NEW: &str = "a fresh passphrase 99!";

fn login(username: &str, password: &str) -> Request {
    Request::post("/api/auth/login", &json!({"username": username, "password": password}))
}

fn form() -> Request {
    let body =
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nafterwards\r\n--b--\r\n";
    Request::new("POST", "/api/files").raw("multipart/form-data; boundary=b", body)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_arrives_after_its_senders_credential_has_ended_does_nothing() {
    let server = TestServer::start().await;
    let ada = server.add("ada", "administrator").await;
    let cookie = server.sign_in("ada").await;
    let key = server.key(&cookie, None).await;
    let ghost = json!({"username": "ghost", "password": PASSWORD, "role": "administrator"});
    let requests = [
        Request::post("/api/users", &ghost).cookie(&cookie),
        Request::post("/api/keys", &json!({"name": "after"})).cookie(&cookie),
        Request::new("PUT", "/api/settings").json(&json!({"tools_enabled": false})).cookie(&cookie),
        Request::post("/api/tools/save_memory/invoke", &json!({"params": {"content": "after"}})).bearer(&key),
        Request::post("/api/scripts/import", &json!({})).raw("application/octet-stream", "// x").cookie(&cookie),
        form().cookie(&cookie),
    ];
    let mut held = Vec::new();
    for request in &requests {
        held.push(server.hold(request).await);
    }
    server.owner("PATCH", &format!("/api/users/{ada}"), &json!({"password": NEW})).await;
    for (held, request) in held.into_iter().zip(&requests) {
        let answer = held.finish().await;
        assert_eq!(answer.status, 401, "{request:?}: {}", answer.text());
    }
    let app = &server.app.satchel.app;
    assert_eq!(app.stores.people.users().await.unwrap().len(), 2);
    assert_eq!(app.stores.people.keys(ada.parse().unwrap()).await.unwrap().len(), 0);
    assert!(app.settings.get().tools_enabled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_arrives_after_its_sender_was_demoted_does_nothing() {
    let server = TestServer::start().await;
    let ada = server.add("ada", "administrator").await;
    let cookie = server.sign_in("ada").await;
    let role = json!({"name": "after", "permissions": []});
    let held = server.hold(&Request::post("/api/roles", &role).cookie(&cookie)).await;
    server.owner("PATCH", &format!("/api/users/{ada}"), &json!({"role": "viewer"})).await;
    let answer = held.finish().await;
    assert_eq!(answer.status, 403, "{}", answer.text());
    assert!(!server.owner("GET", "/api/roles", &Value::Null).await.to_string().contains("after"));
    // What is given does not stand in the way.
    let held = server.hold(&Request::post("/api/conversations", &json!({"title": "x"})).cookie(&cookie)).await;
    server.owner("PATCH", &format!("/api/users/{ada}"), &json!({"role": "administrator"})).await;
    assert_eq!(held.finish().await.status, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_the_credential_that_opened_it() {
    let server = TestServer::start().await;
    let otto = server.add("otto", "operator").await;
    let cookie = server.sign_in("otto").await;
    let key = server.key(&cookie, Some(&["audit:read"])).await;
    let tail = || Request::get("/api/audit/tail");
    let (mut by_session, mut by_key) =
        (server.listen(&tail().cookie(&cookie)).await, server.listen(&tail().bearer(&key)).await);
    server.owner("POST", "/api/roles", &json!({"name": "before", "permissions": []})).await;
    by_session.until("before").await;
    by_key.until("before").await;
    let keys = server.owner("GET", &format!("/api/keys?user={otto}"), &Value::Null).await;
    server.owner("DELETE", &format!("/api/keys/{}", keys[0]["id"].as_str().unwrap()), &Value::Null).await;
    server.owner("PATCH", &format!("/api/users/{otto}"), &json!({"role": "viewer"})).await;
    server.owner("POST", "/api/roles", &json!({"name": "afterwards", "permissions": []})).await;
    for stream in [by_session, by_key] {
        let all = stream.end().await;
        assert!(!all.contains("afterwards"), "{all}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_stands_whatever_it_meets() {
    let server = TestServer::start().await;
    let owner = server.sign_in("owner").await;
    for round in 0..4 {
        let name = format!("person{round}");
        let id = server.add(&name, "viewer").await;
        let cookie = server.sign_in(&name).await;
        let own = json!({"current": PASSWORD, "new": "the thief's passphrase"});
        let reset = Request::new("PATCH", &format!("/api/users/{id}")).json(&json!({"password": NEW})).cookie(&owner);
        let (_, entered, reset) = tokio::join!(
            server.send(Request::post("/api/auth/password", &own).cookie(&cookie)),
            server.send(login(&name, PASSWORD)),
            server.send(reset),
        );
        assert_eq!(reset.status, 200, "{}", reset.text());
        assert_eq!(server.send(login(&name, NEW)).await.status, 200, "the administrator's password stands");
        if let Some(session) = entered.cookie() {
            assert_eq!(server.status(&Request::get("/api/auth/me").cookie(&session)).await, 401);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_proxy_cookies_are_secure_and_addresses_are_counted_however_they_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let config = satchel::config::Config { behind_proxy: true, ..config(&dir) };
    let app = TestApp { satchel: satchel::boot::Satchel::start(config).await.unwrap(), dir };
    let address = app.satchel.url.socket_addrs(|| None).unwrap()[0];
    let server = TestServer { app, address };
    server.set_up("owner").await;
    for (proto, secure) in [(None, true), (Some("HTTPS"), true), (Some("https, http"), true), (Some("HTTP"), false)] {
        let request = login("owner", PASSWORD);
        let request = proto.map_or(request.clone(), |proto| request.header("X-Forwarded-Proto", proto));
        let cookie = server.send(request).await.header("set-cookie").unwrap().to_owned();
        assert_eq!(cookie.contains("; Secure"), secure, "{proto:?}: {cookie}");
    }
    let mut statuses = Vec::new();
    for n in 0..21 {
        let request = login(&format!("nobody{n}"), PASSWORD);
        let from = format!("9.9.9.9, 7.7.8.7:{}", 1000 + n);
        statuses.push(server.send(request.header("X-Forwarded-For", &from)).await.status);
    }
    assert_eq!(statuses, [vec![401; 20], vec![429]].concat());
}
