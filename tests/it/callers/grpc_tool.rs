//! `call_grpc_endpoint` and the import by reflection, against native gRPC and gRPC-Web, with and without TLS.

use std::sync::Arc;

use satchel::{
    model::{
        catalog::endpoint::Operation,
        egress::{Origin, Part},
        error::Kind,
        spec::Risk,
    },
    services::catalog::grpc_import,
};
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    authority::Authority,
    remote::{
        grpc::{Reflection, start, tls_front, web_bridge},
        services::customers,
        systems::{connect, draft, open},
    },
};

fn ask(method: &str, body: Value) -> Value {
    json!({"system_id": "users", "service": "echo.v1.Echo", "method": method, "body": body})
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_are_called_natively_and_over_grpc_web() {
    let server = start(Reflection::V1).await;
    for address in [server, web_bridge(server).await] {
        let app = TestApp::start().await;
        let secrets = json!({"api_key": "canary-key-1"});
        let auth = json!({"auth": {"type": "api_key", "name": "X-API-Key"}});
        connect(&app, "users", &format!("http://{address}"), auth, secrets).await;
        let owner = app.caller(&["*"]).await;
        let data = app.data(&owner, "call_grpc_endpoint", ask("Say", json!({"text": "Zoë", "mood": "GLAD"}))).await;
        let message = &data.unwrap()["message"];
        assert_eq!((&message["question"]["text"], &message["question"]["mood"]), (&json!("Zoë"), &json!("GLAD")));
        // The credential arrived, and does not come back.
        assert_eq!(message["headers"], json!(["x-api-key: ***"]));
        let data = app.data(&owner, "call_grpc_endpoint", ask("Count", json!({"times": 3}))).await.unwrap();
        assert_eq!((data["messages"].as_array().unwrap().len(), &data["more"]), (3, &json!(false)));
        let error = app.call(&owner, "call_grpc_endpoint", ask("Fail", json!({"times": 9}))).await.err().unwrap();
        assert_eq!(error.message(), "The service answered FAILED_PRECONDITION (9): it was asked to: ä%");
        assert_eq!(error.details().unwrap()["code"], 9);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn grpc_over_tls_needs_the_authority_that_was_given() {
    let authority = Authority::new();
    let mut config = authority.server("localhost", Some(&authority));
    config.alpn_protocols = vec![b"h2".to_vec()];
    let address = tls_front(Arc::new(config), start(Reflection::V1).await).await;
    let app = TestApp::start().await;
    let own = authority.issue("satchel");
    let secrets = json!({"certificate": own.certificates, "private_key": own.key.expose(), "ca": authority.pem()});
    let url = format!("https://localhost:{}", address.port());
    connect(&app, "users", &url, json!({"auth": {"type": "mutual_tls"}}), secrets).await;
    open(&app, "strangers", &format!("https://localhost:{}/", address.port())).await;
    let owner = app.caller(&["*"]).await;
    let data = app.data(&owner, "call_grpc_endpoint", ask("Say", json!({"text": "hello"}))).await.unwrap();
    assert_eq!(data["message"]["question"]["text"], "hello");
    let mut stranger = ask("Say", json!({}));
    stranger["system_id"] = json!("strangers");
    let error = app.call(&owner, "call_grpc_endpoint", stranger).await.err().unwrap();
    assert!(error.kind() == Kind::Upstream && error.message().contains("TLS"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_called_says_why() {
    let (app, server, web) = (TestApp::start().await, start(Reflection::None).await, customers().await);
    open(&app, "users", &format!("http://{server}")).await;
    open(&app, "pages", &web.url()).await;
    let owner = app.caller(&["*"]).await;
    let error = app.call(&owner, "call_grpc_endpoint", ask("Say", json!({}))).await.err().unwrap();
    assert!(error.message().contains("no gRPC server reflection"), "{error}");
    let other = json!({"system_id": "pages", "service": "echo.v1.Echo", "method": "Say"});
    let error = app.call(&owner, "call_grpc_endpoint", other).await.err().unwrap();
    assert!(error.message().contains("HTTP/2"), "{error}");
    let odd = json!({"system_id": "users", "service": "a/../../b", "method": "Say"});
    let error = app.call(&owner, "call_grpc_endpoint", odd).await.err().unwrap();
    assert!(matches!(error.kind(), Kind::Invalid | Kind::Upstream), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn services_are_proposed_as_endpoints_by_reflection() {
    let app = TestApp::start().await;
    let server = start(Reflection::V1Alpha).await;
    let system = draft(&app, "users", &format!("http://{server}"), json!({})).await;
    let http = app.satchel.app.outbound(Origin::part(Part::Ingest, None)).unwrap();
    let found = grpc_import::read(&app.satchel.app, &http, &system).await.unwrap();
    assert_eq!(found.format, "gRPC reflection (native)");
    let keys: Vec<&str> = found.operations.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(keys.iter().filter(|key| key.starts_with("/echo.v1.Echo/")).count(), 4);
    let say = found.operations.iter().find(|one| one.key == "/echo.v1.Echo/Say").unwrap();
    let operation = Operation::Grpc { service: "echo.v1.Echo".to_owned(), rpc: "Say".to_owned() };
    assert_eq!((&say.operation, say.risk, say.group.as_deref()), (&operation, Risk::HighWrite, Some("echo.v1.Echo")));
    let schemas: Vec<(&str, &Value)> = say.parameters.iter().map(|one| (one.name.as_str(), &one.schema)).collect();
    assert_eq!(
        schemas,
        [
            ("text", &json!({"type": "string"})),
            ("times", &json!({"type": "integer"})),
            ("mood", &json!({"anyOf": [{"type": "string", "enum": ["UNKNOWN", "GLAD"]}, {"type": "integer"}]})),
            ("at", &json!({"type": "string", "format": "date-time"})),
            ("bigNumber", &json!({"type": ["string", "integer"]})),
        ]
    );
}
