//! OAuth 2 and client certificates through the whole program: tokens that end, are taken back and rotate, and secrets
//! that are found nowhere but in the vault.

#![expect(clippy::disallowed_methods, reason = "looks into every file of the data directory")]

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio_rustls::TlsAcceptor;
use url::form_urlencoded;

use super::Connected;
use crate::support::{
    authority::Authority,
    chat::Person,
    program::Home,
    remote::{
        http::{Remote, json as answer},
        services::customer,
        systems::allow,
    },
};

/// The state that the token server and the system it protects share.
#[derive(Default)]
struct Issued {
    /// Access tokens that are taken.
    good: Mutex<BTreeSet<String>>,
    /// The refresh token that is taken; using it makes another.
    refresh: Mutex<String>,
    granted: AtomicUsize,
    /// The time the next tokens last.
    lasts: AtomicUsize,
}

/// A token server, and a system that takes its tokens.
struct Protected {
    issued: Arc<Issued>,
    issuer: Remote,
    system: Remote,
}

impl Protected {
    async fn start() -> Self {
        let issued = Arc::new(Issued { refresh: Mutex::new("canary-refresh-0".to_owned()), ..Issued::default() });
        issued.lasts.store(3_600, Ordering::SeqCst);
        let (granting, taking) = (Arc::clone(&issued), Arc::clone(&issued));
        let issuer = Remote::start(move |seen| {
            let form: std::collections::HashMap<String, String> =
                form_urlencoded::parse(&seen.body).into_owned().collect();
            let mut refresh = granting.refresh.lock();
            let knows = match form.get("grant_type").map(String::as_str) {
                Some("refresh_token") => form.get("refresh_token") == Some(&refresh),
                Some("client_credentials") => true,
                _ => false,
            };
            if !knows || form.get("client_secret").map(String::as_str) != Some("canary-client-secret") {
                // Some servers repeat what was wrong.
                let told = form.get("refresh_token").cloned().unwrap_or_default();
                return answer(400, &json!({"error": "invalid_grant", "error_description": format!("'{told}' is used up")}));
            }
            let number = granting.granted.fetch_add(1, Ordering::SeqCst) + 1;
            *refresh = format!("canary-refresh-{number}");
            let access = format!("canary-access-{number}");
            granting.good.lock().insert(access.clone());
            let expires = granting.lasts.load(Ordering::SeqCst);
            answer(200, &json!({"access_token": access, "token_type": "Bearer", "expires_in": expires, "refresh_token": *refresh}))
        })
        .await;
        let system = Remote::start(move |seen| {
            let token = seen.header("authorization").strip_prefix("Bearer ").unwrap_or_default().to_owned();
            let is_good = taking.good.lock().contains(&token);
            answer(if is_good { 200 } else { 401 }, &json!({"token": token}))
        })
        .await;
        Self { issued, issuer, system }
    }

    fn counts(&self) -> (usize, usize) {
        (self.issuer.seen().len(), self.system.seen().len())
    }
}

/// Registers the system, as an administrator does.
async fn connect(person: &Person, protected: &Protected, grant: &str) {
    let exceptions = [protected.issuer.address.to_string(), protected.system.address.to_string()];
    person.do_it("PUT", "/api/settings", json!({"outbound": {"exceptions": exceptions}})).await;
    let auth = json!({"type": "oauth2", "grant": grant, "token_url": format!("{}/token", protected.issuer.url()),
        "client_id": "client-1", "client_proof": "body"});
    let system = json!({"name": "CRM", "base_url": protected.system.url(), "auth": auth});
    let made = person.do_it("POST", "/api/catalog/systems", system).await;
    let system = format!("/api/catalog/systems/{}", made["id"].as_str().unwrap());
    person.do_it("POST", &format!("{system}/endpoints"), json!({"name": "Echo", "path": "/echo"})).await;
    let mut secrets = json!({"client_secret": "canary-client-secret"});
    if grant == "refresh_token" {
        secrets["refresh_token"] = json!("canary-refresh-0");
    }
    person.do_it("PUT", &format!("{system}/credentials"), secrets).await;
    person.do_it("PUT", &format!("{system}/status"), json!({"status": "active"})).await;
}

/// Every file below a directory that holds this.
fn files_with(directory: &Path, secret: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, secret));
        } else if std::fs::read(&path).unwrap_or_default().windows(secret.len()).any(|at| at == secret.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_that_was_refused_is_asked_for_once_more_with_a_new_token() {
    let (home, protected) = (Home::new().await, Protected::start().await);
    let server = home.serve(&[]).await;
    let person = Person::bearer(&server.url, &home.token());
    connect(&person, &protected, "client_credentials").await;
    let ask = json!({"params": {"system_id": "CRM", "path": "/feed", "message": "hello"}});
    let call = async || person.ask("POST", "/api/tools/call_websocket/invoke", ask.clone()).await.1.to_string();
    // The system speaks no WebSocket: it says 200 to a token it takes, and 401 to others.
    assert!(call().await.contains("with status 200, not 101"));
    assert_eq!(protected.counts(), (1, 1));
    protected.issued.good.lock().clear();
    assert!(call().await.contains("with status 200, not 101"));
    assert_eq!(protected.counts(), (2, 3));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_end_are_taken_back_and_rotate_and_no_secret_is_found_anywhere() {
    for grant in ["client_credentials", "refresh_token"] {
        let (home, protected) = (Home::new().await, Protected::start().await);
        let loud = [("SATCHEL_LOG", "trace")];
        let mut server = home.serve(&loud).await;
        let mut person = Person::bearer(&server.url, &home.token());
        let mut seen = String::new();
        let mut logs = String::new();
        connect(&person, &protected, grant).await;
        let call = async |person: &Person, seen: &mut String| {
            let called = person.ask("POST", "/api/tools/catalog:crm.echo/invoke", json!({"params": {}})).await.1;
            seen.push_str(&called.to_string());
            called
        };
        // A token that lasts no longer than its margin is asked for anew each time; one that lasts is kept.
        protected.issued.lasts.store(30, Ordering::SeqCst);
        for wanted in [(1, 1), (2, 2)] {
            assert_eq!(call(&person, &mut seen).await["data"]["body"]["token"], "***", "{grant}");
            assert_eq!(protected.counts(), wanted, "{grant}");
        }
        protected.issued.lasts.store(3_600, Ordering::SeqCst);
        for wanted in [(3, 3), (3, 4)] {
            assert_eq!(call(&person, &mut seen).await["success"], true, "{grant}");
            assert_eq!(protected.counts(), wanted, "{grant}");
        }
        // The refresh token that came last is the one that is known after a restart.
        logs.push_str(&server.stop().await.err);
        server = home.serve(&loud).await;
        person = Person::bearer(&server.url, &home.token());
        assert_eq!(call(&person, &mut seen).await["success"], true, "{grant}");
        assert_eq!(protected.counts(), (4, 5), "{grant}");
        // Taken back before its time: one new token, one more try, and no more than that.
        protected.issued.good.lock().clear();
        assert_eq!(call(&person, &mut seen).await["success"], true, "{grant}");
        assert_eq!(protected.counts(), (5, 7), "{grant}");
        // A token server that refuses says why, without repeating a secret.
        protected.issued.good.lock().clear();
        *protected.issued.refresh.lock() = "another".to_owned();
        let refused = call(&person, &mut seen).await;
        assert_eq!(refused["success"] == true, grant == "client_credentials", "{refused}");
        for path in ["/api/audit?limit=500", "/api/egress?limit=500", "/api/catalog/systems", "/api/tools"] {
            seen.push_str(&person.do_it("GET", path, Value::Null).await.to_string());
        }
        seen.push_str(&String::from_utf8_lossy(&person.bytes("/api/audit/export").await));
        logs.push_str(&server.stop().await.err);
        assert!(logs.len() > 10_000, "the log was not talkative: {logs}");
        for secret in ["canary-client-secret", "canary-refresh-", "canary-access-", "Y2FuYXJ5"] {
            assert!(!seen.contains(secret), "{grant}: {secret} in an answer: {seen}");
            assert!(!logs.contains(secret), "{grant}: {secret} in the log");
            assert_eq!(files_with(&home.path(), secret), Vec::<String>::new(), "{grant}: {secret}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_is_called_with_the_client_certificate_that_was_entered() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let tls = TlsAcceptor::from(Arc::new(authority.server("localhost", Some(&authority))));
    let guarded = Remote::start_tls(tls, customer).await;
    let crm = Connected::with(json!({"type": "none"})).await;
    let url = format!("https://localhost:{}", guarded.address.port());
    allow(&crm.server.app, &url).await;
    crm.ask("PATCH", &format!("/systems/{}", crm.id), &json!({"base_url": url, "auth": {"type": "mutual_tls"}})).await;
    let endpoint = crm.endpoint(json!({"name": "One", "path": "/customers/{id}"})).await;
    crm.activate().await;
    let missing = crm.refused("catalog:crm.one", json!({"id": "1042"})).await;
    assert!(missing.contains("administrator enters it"), "{missing}");
    let enter = async |own: satchel::net::tls::Identity| {
        crm.credentials(
            json!({"certificate": own.certificates, "private_key": own.key.expose(), "ca": authority.pem()}),
        )
        .await
    };
    enter(stranger.issue("satchel")).await;
    let refused = crm.refused("catalog:crm.one", json!({"id": "1042"})).await;
    assert!(guarded.seen().is_empty(), "somebody else's certificate opened it: {refused}");
    // What could never be shown is refused where it is entered, and what was entered stays.
    let (own, other) = (authority.issue("satchel"), authority.issue("satchel"));
    let path = format!("/systems/{}/credentials", crm.id);
    for (wrong, told) in [
        (json!({"private_key": "garbage"}), "cannot be read"),
        (
            json!({"certificate": own.certificates, "private_key": other.key.expose()}),
            "not that of the client certificate",
        ),
        (json!({"private_key": other.key.expose()}), "not that of the client certificate"),
        (json!({"ca": "-----BEGIN CERTIFICATE-----"}), "cannot be read"),
    ] {
        let (status, answer) = crm.try_to("PUT", &path, &wrong).await;
        assert!(status == 400 && answer["detail"].as_str().unwrap().contains(told), "{answer}");
    }
    let shown = enter(own).await;
    assert_eq!(shown, json!({"certificate": "***", "private_key": "***", "ca": "***"}));
    assert_eq!(crm.call("catalog:crm.one", json!({"id": "1042"})).await["body"]["id"], 1042);
    let trial = crm.ask("POST", &format!("/endpoints/{endpoint}/test"), &json!({"arguments": {"id": "1042"}})).await;
    assert_eq!((&trial["ok"], guarded.seen().len()), (&json!(true), 2), "{trial}");
    let all = crm.server.owner("GET", "/api/audit?limit=200", &Value::Null).await.to_string();
    assert!(!all.contains("PRIVATE KEY") && !trial.to_string().contains("PRIVATE KEY"), "{all}");
}
