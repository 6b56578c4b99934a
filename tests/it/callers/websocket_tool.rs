//! `call_websocket` against a server that does as it is told, with and without TLS.

use std::sync::Arc;

use satchel::model::error::Kind;
use serde_json::{Value, json};
use tokio_rustls::TlsAcceptor;

use crate::support::{
    app::TestApp,
    authority::Authority,
    remote::{
        systems::{connect, open},
        ws::Talker,
    },
};

fn ask(message: &str) -> Value {
    json!({"system_id": "ticker", "path": "/feed?x=1", "message": message})
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
    assert_eq!(data, json!({"messages": [{"a": 1}], "more": false}));
    let (path, headers) = &server.seen()[0];
    let sent = headers.get("authorization").unwrap().to_str().unwrap();
    assert_eq!((path.as_str(), sent), ("/v1/feed?x=1", "Bearer canary-token-1"));
    let data = app.data(&owner, "call_websocket", ask("close 4001 enough")).await.unwrap();
    assert_eq!(data["closed"], json!({"code": 4001, "reason": "enough"}));
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
        json!({"path": "/../x"}),
        json!({"headers": {"Authorization": "x"}}),
        json!({"headers": {"Sec-WebSocket-Key": "x"}}),
        json!({"headers": {"Upgrade": "x"}}),
    ] {
        assert_eq!(told(more.clone()).await.kind(), Kind::Invalid, "{more}");
    }
    assert_eq!(server.seen().len(), 1);
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
