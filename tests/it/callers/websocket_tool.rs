//! `call_websocket` against a server that does as it is told, with and without TLS.

use std::sync::Arc;

use satchel::model::error::Kind;
use serde_json::{Value, json};
use tokio_rustls::TlsAcceptor;

use crate::support::{
    app::TestApp,
    authority::Authority,
    remote::{
        subscriptions::subscriptions,
        systems::{connect, open},
        ws::Talker,
    },
};

fn ask(message: &str) -> Value {
    json!({"system_id": "ticker", "path": "/feed?x=1", "message": message})
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_names_no_other_method() {
    let (app, server) = (TestApp::start().await, Talker::start().await);
    open(&app, "ticker", &format!("http://{}", server.address)).await;
    let owner = app.caller(&["*"]).await;
    for (more, told) in [
        (json!({"path": "/feed?_method=DELETE"}), "another method"),
        (json!({"path": "/feed?a=1;X-HTTP-Method-Override=PUT"}), "another method"),
        (json!({"headers": {"X-HTTP-Method-Override": "DELETE"}}), "is set by Satchel"),
    ] {
        let mut call = ask("hello");
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let error = app.call(&owner, "call_websocket", call).await.err().unwrap();
        assert!(error.message().contains(told), "{more}: {error}");
    }
    assert!(server.seen().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_and_the_close_come_back() {
    let (app, server) = (TestApp::start().await, Talker::start().await);
    connect(
        &app,
        "ticker",
        &format!("http://{}/v1", server.address),
        json!({"auth": {"type": "bearer"}}),
        json!({"token": "canary-token-1"}),
    )
    .await;
    let owner = app.caller(&["*"]).await;
    let data = app.data(&owner, "call_websocket", ask(r#"{"a": 1}"#)).await.unwrap();
    assert_eq!(data, json!({"messages": [{"a": 1}], "ended": "quiet", "more": null}));
    let (path, headers) = &server.seen()[0];
    let sent = headers.get("authorization").unwrap().to_str().unwrap();
    assert_eq!((path.as_str(), sent), ("/v1/feed?x=1", "Bearer canary-token-1"));
    let data = app.data(&owner, "call_websocket", ask("answer and close")).await.unwrap();
    let closed = json!({"code": 1000, "reason": ""});
    assert_eq!(data, json!({"messages": ["done"], "ended": "closed", "more": false, "closed": closed}));
    let data = app.data(&owner, "call_websocket", ask("bytes")).await.unwrap();
    assert_eq!(data["messages"], json!([{"base64": "AAEC"}]));
    // What a server repeats of the credential is not shown.
    let data = app.data(&owner, "call_websocket", ask("you said canary-token-1")).await.unwrap();
    assert_eq!(data["messages"], json!(["you said ***"]));
    let mut offering = ask("hello");
    offering["headers"] = json!({"Sec-WebSocket-Protocol": "echo.v2"});
    let data = app.data(&owner, "call_websocket", offering).await.unwrap();
    assert_eq!(data["subprotocol"], "echo.v2");
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_and_wrong_arguments_are_errors() {
    let (app, server) = (TestApp::start().await, Talker::start().await);
    open(&app, "ticker", &format!("http://{}", server.address)).await;
    let owner = app.caller(&["*"]).await;
    let told = async |more: Value| {
        let mut call = ask("silence");
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        app.call(&owner, "call_websocket", call).await.err().unwrap()
    };
    let error = told(json!({"timeout": 0.3})).await;
    assert_eq!((error.kind(), error.message()), (Kind::Timeout, "'127.0.0.1' sent no message within 0.3 s."));
    for more in [
        json!({"timeout": 0}),
        json!({"timeout": 301}),
        json!({"quiet": 0}),
        json!({"further_messages": vec!["x"; 51]}),
        json!({"path": "/../x"}),
        json!({"headers": {"Sec-WebSocket-Key": "x"}}),
        json!({"headers": {"Upgrade": "x"}}),
    ] {
        assert_eq!(told(more.clone()).await.kind(), Kind::Invalid, "{more}");
    }
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_close_with_the_code_of_an_error_before_any_message_is_a_failure() {
    let (app, server) = (TestApp::start().await, Talker::start().await);
    open(&app, "ticker", &format!("http://{}", server.address)).await;
    let owner = app.caller(&["*"]).await;
    let told = async |message: &str| app.call(&owner, "call_websocket", ask(message)).await.err().unwrap();
    let error = told("close 1008 rules").await;
    let words = "ticker closed the WebSocket with code 1008 before any message: rules";
    assert_eq!((error.kind(), error.message()), (Kind::Upstream, words));
    assert_eq!(error.details(), Some(&json!({"closed": {"code": 1008, "reason": "rules"}})));
    let error = told("close 4401 Unauthorized").await;
    assert_eq!(error.kind(), Kind::Unconfigured);
    assert!(error.message().contains("an administrator enters it anew"), "{error}");
    assert!(told("drop").await.message().ends_with("1006 before any message: the connection ended without a word."));
    for message in ["close 1000", "close 1000 bye"] {
        let data = app.data(&owner, "call_websocket", ask(message)).await.unwrap();
        assert_eq!((&data["messages"], &data["closed"]["code"]), (&json!([]), &json!(1000)), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graphql_subscription_is_opened_with_two_messages() {
    let app = TestApp::start().await;
    open(&app, "ticker", &format!("http://{}", subscriptions().await)).await;
    let owner = app.caller(&["*"]).await;
    let subscribe = r#"{"id":"1","type":"subscribe","payload":{"query":"subscription { count }"}}"#;
    let first = json!({"system_id": "ticker", "path": "/graphql", "message": r#"{"type":"connection_init"}"#,
        "further_messages": [subscribe], "quiet": 5, "headers": {"Sec-WebSocket-Protocol": "graphql-transport-ws"}});
    let data = app.data(&owner, "call_websocket", first.clone()).await.unwrap();
    let next = |count| json!({"id": "1", "type": "next", "payload": {"data": {"count": count}}});
    let wanted = json!([{"type": "connection_ack"}, next(1), next(2), {"id": "1", "type": "complete"}]);
    assert_eq!((&data["messages"], &data["subprotocol"]), (&wanted, &json!("graphql-transport-ws")));
    let mut at_once = first;
    at_once["message"] = json!(subscribe);
    let error = app.call(&owner, "call_websocket", at_once).await.err().unwrap();
    assert_eq!(error.details(), Some(&json!({"closed": {"code": 4401, "reason": "Unauthorized"}})));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_over_tls_shows_our_certificate() {
    let authority = Authority::new();
    let config = authority.server("localhost", Some(&authority));
    let server = Talker::start_tls(TlsAcceptor::from(Arc::new(config))).await;
    let app = TestApp::start().await;
    let own = authority.issue("satchel");
    let secrets = json!({"certificate": own.certificates, "private_key": own.key.expose(), "ca": authority.pem()});
    let url = format!("https://localhost:{}", server.address.port());
    connect(&app, "ticker", &url, json!({"auth": {"type": "mutual_tls"}}), secrets).await;
    let owner = app.caller(&["*"]).await;
    let data = app.data(&owner, "call_websocket", ask("hello")).await.unwrap();
    assert_eq!(data["messages"], json!(["hello"]));
}
