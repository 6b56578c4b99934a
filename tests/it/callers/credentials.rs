//! Credentials of every kind: put onto what goes out, for the host they were given for, and never seen again.

use std::sync::Arc;

use satchel::{
    model::{catalog::draft::SystemDraft, error::Kind},
    store::audit::Filter,
};
use serde_json::{Value, json};
use tokio_rustls::TlsAcceptor;

use crate::support::{
    app::TestApp,
    authority::Authority,
    remote::{
        http::{Remote, json as answer},
        services::{customer, customers, tokens},
        systems::{allow, connect, open},
    },
    tools::forms,
};

fn ask(path: &str) -> Value {
    json!({"system_id": "CRM", "method": "GET", "path": path})
}

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_is_put_where_it_belongs_and_hidden_in_the_answer() {
    let cases = [
        (json!({"type": "bearer"}), json!({"token": "canary-token-1"}), "authorization", "Bearer canary-token-1"),
        (
            json!({"type": "basic", "username": "ada"}),
            json!({"password": "canary-pass"}),
            "authorization",
            "Basic YWRhOmNhbmFyeS1wYXNz",
        ),
        (json!({"type": "api_key", "name": "X-Key"}), json!({"api_key": "canary-key-1"}), "x-key", "canary-key-1"),
    ];
    for (auth, secrets, header, value) in cases {
        let (app, server) = (TestApp::start().await, customers().await);
        connect(&app, "CRM", &server.url(), json!({"auth": auth}), secrets).await;
        let viewer = app.caller(&["catalog:read"]).await;
        let data = app.data(&viewer, "call_rest_endpoint", ask("/echo")).await.unwrap();
        assert_eq!(server.last().header(header), value);
        assert!(!data.to_string().contains("canary") && !data.to_string().contains("Y2FuYXJ5"), "{data}");
        let mut own = ask("/echo");
        own["headers"] = json!({header: "mine"});
        assert_eq!(app.call(&viewer, "call_rest_endpoint", own).await.err().unwrap().kind(), Kind::Invalid);
    }
    let (app, server) = (TestApp::start().await, customers().await);
    let auth = json!({"auth": {"type": "api_key", "in": "query", "name": "key"}});
    connect(&app, "CRM", &server.url(), auth, json!({"api_key": "canary key/1"})).await;
    let viewer = app.caller(&["catalog:read"]).await;
    let data = app.data(&viewer, "call_rest_endpoint", ask("/echo?a=1")).await.unwrap();
    assert_eq!(server.last().target, "/echo?a=1&key=canary+key%2F1");
    assert_eq!(data["body"]["target"], "/echo?a=1&key=***");
    let error = app.call(&viewer, "call_rest_endpoint", ask("/echo?key=mine")).await.err().unwrap();
    assert_eq!(error.kind(), Kind::Invalid);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_fetched_once_and_anew_when_it_is_refused() {
    let app = TestApp::start().await;
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let server = Remote::start(move |seen| {
        let number = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        // From the fourth request on the first token is not taken any more.
        let is_refused = number >= 3 && seen.header("authorization") == "Bearer access-token-1";
        answer(if is_refused { 401 } else { 200 }, &json!({"told": seen.header("authorization")}))
    })
    .await;
    let issuer = tokens(3_600).await;
    allow(&app, &issuer.url()).await;
    let auth = json!({"auth": {"type": "oauth2", "token_url": format!("{}/token", issuer.url()),
        "client_id": "client-1", "scopes": ["read", "write"]}});
    connect(&app, "CRM", &server.url(), auth, json!({"client_secret": "client-secret-canary"})).await;
    let viewer = app.caller(&["catalog:read"]).await;
    for _ in 0..3 {
        let data = app.data(&viewer, "call_rest_endpoint", ask("/a")).await.unwrap();
        assert_eq!(data["body"]["told"], "***");
    }
    assert_eq!(issuer.seen().len(), 1);
    assert_eq!(issuer.last().text(), "grant_type=client_credentials&scope=read+write");
    app.data(&viewer, "call_rest_endpoint", ask("/a")).await.unwrap();
    assert_eq!((issuer.seen().len(), server.last().header("authorization")), (2, "Bearer access-token-2"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_certificate_is_shown_and_the_servers_is_checked() {
    let (authority, other) = (Authority::new(), Authority::new());
    let own = authority.issue("satchel");
    let secrets = json!({"certificate": own.certificates, "private_key": own.key.expose(), "ca": authority.pem()});
    let servers = [
        ("right", authority.server("localhost", Some(&authority)), true),
        ("wrong name", authority.server("elsewhere.example", Some(&authority)), false),
        ("of somebody else", other.server("localhost", None), false),
        ("expired", authority.expired("localhost"), false),
    ];
    for (what, config, works) in servers {
        let server = Remote::start_tls(TlsAcceptor::from(Arc::new(config)), customer).await;
        let app = TestApp::start().await;
        let url = format!("https://localhost:{}", server.address.port());
        connect(&app, "CRM", &url, json!({"auth": {"type": "mutual_tls"}}), secrets.clone()).await;
        open(&app, "plain", &url.replace("localhost", "127.0.0.1")).await;
        let viewer = app.caller(&["catalog:read"]).await;
        let called = app.call(&viewer, "call_rest_endpoint", ask("/customers/1042")).await;
        assert_eq!(called.is_ok(), works, "{what}: {:?}", called.err());
        // Without the authority nobody trusts it.
        let call = json!({"system_id": "plain", "method": "GET", "path": "/echo"});
        assert!(app.call(&viewer, "call_rest_endpoint", call).await.is_err(), "{what}");
        assert_eq!(server.seen().len(), usize::from(works), "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_goes_to_no_other_host_and_a_missing_one_says_where_to_enter_it() {
    let (app, server, thief) = (TestApp::start().await, customers().await, customers().await);
    let auth = json!({"auth": {"type": "bearer"}});
    let system = connect(&app, "CRM", &server.url(), auth, json!({"token": "canary-token-1"})).await;
    let viewer = app.caller(&["catalog:read"]).await;
    app.data(&viewer, "call_rest_endpoint", ask("/echo")).await.unwrap();
    allow(&app, &thief.url()).await;
    let moved: SystemDraft = serde_json::from_value(json!({"base_url": thief.url()})).unwrap();
    app.satchel.app.stores.catalog.change(&app.owner().await, system.id, moved).await.unwrap();
    for (tool, call) in [
        ("call_rest_endpoint", ask("/echo")),
        ("call_websocket", json!({"system_id": "CRM", "path": "/", "message": "a"})),
        ("call_grpc_endpoint", json!({"system_id": "CRM", "service": "a.B", "method": "C"})),
    ] {
        let owner = app.caller(&["*"]).await;
        let error = app.call(&owner, tool, call).await.err().unwrap();
        assert_eq!(error.kind(), Kind::Unconfigured, "{tool}: {error}");
        assert!(error.message().contains("Credentials"), "{error}");
    }
    assert_eq!(thief.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_form_of_a_secret_is_in_answers_files_or_the_audit() {
    let secret = "canary/secret+1?ü";
    let (app, server) = (
        TestApp::start().await,
        Remote::start(|seen| {
            let token = seen.header("authorization").strip_prefix("Bearer ").unwrap_or_default().to_owned();
            match seen.target.as_str() {
                "/error" => answer(500, &json!({"forms": forms(&token)})),
                "/binary" => {
                    customer(&crate::support::remote::http::Seen { target: "/leak".to_owned(), ..seen.clone() })
                }
                _ => answer(200, &json!({"forms": forms(&token), token: 1})),
            }
        })
        .await,
    );
    let ascii = secret.replace('ü', "u");
    connect(&app, "CRM", &server.url(), json!({"auth": {"type": "bearer"}}), json!({"token": ascii})).await;
    let viewer = app.caller(&["catalog:read"]).await;
    let data = app.data(&viewer, "call_rest_endpoint", ask("/answer")).await.unwrap();
    let error = app.call(&viewer, "call_rest_endpoint", ask("/error")).await.err().unwrap();
    let kept = app.call(&viewer, "call_rest_endpoint", ask("/binary")).await.err().unwrap();
    assert!(kept.message().contains("repeats the system's credential"), "{kept}");
    let mut own = ask("/answer");
    own["headers"] = json!({"Authorization": format!("Bearer {ascii}")});
    assert!(app.call(&viewer, "call_rest_endpoint", own).await.is_err());
    let audit = app.satchel.app.stores.audit.find(Filter::default(), 50).await.unwrap();
    let all = format!("{data} {} {:?} {:?}", error.message(), error.details(), serde_json::to_string(&audit).unwrap());
    for form in forms(&ascii) {
        let form = form.trim_matches(['<', '>', '"']);
        assert!(!all.contains(form), "{form} in {all}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_caller_puts_into_an_address_or_a_header_goes_out_and_is_not_in_the_audit() {
    let (app, server) = (TestApp::start().await, customers().await);
    open(&app, "CRM", &server.url()).await;
    let owner = app.caller(&["*"]).await;
    let url = format!("{}/echo?api_key=CANARY1&sig=CANARY2&page=7", server.url());
    app.data(&owner, "web_fetch", json!({"url": url, "headers": {"X-Auth": "CANARY3"}})).await.unwrap();
    assert_eq!(server.last().target, "/echo?api_key=CANARY1&sig=CANARY2&page=7");
    assert_eq!(server.last().header("x-auth"), "CANARY3");
    let mut call = ask("/echo?token=CANARY4");
    call["headers"] = json!({"X-Session": "CANARY5"});
    app.data(&owner, "call_rest_endpoint", call).await.unwrap();
    assert_eq!((server.last().target.as_str(), server.last().header("x-session")), ("/echo?token=CANARY4", "CANARY5"));
    let with_password = server.url().replace("//", "//user:CANARY6@");
    assert!(app.call(&owner, "web_fetch", json!({"url": with_password})).await.is_err());
    let audit = app.satchel.app.stores.audit.find(Filter::default(), 50).await.unwrap();
    let audit = serde_json::to_string(&audit).unwrap();
    assert!(audit.contains("page=7") && audit.contains("X-Session") && audit.contains("web_fetch"), "{audit}");
    assert!(!audit.contains("CANARY"), "{audit}");
}
