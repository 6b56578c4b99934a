//! R6: what is registered decides, else the method; and nothing written differently for the same effect asks less.

use satchel::model::{
    call::{Call, Outcome},
    spec::Risk,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{
    app::TestApp,
    remote::systems::{endpoint, open},
};

/// The risk a call is weighed at; nothing is sent.
async fn risk(app: &TestApp, tool: &str, call: Value) -> String {
    let owner = app.caller(&["*"]).await;
    let rehearsal = Call { dry_run: true, ..Call::new(owner, tool, call) };
    match app.satchel.invoker.invoke(rehearsal, CancellationToken::new()).await.unwrap() {
        Outcome::Done(done) => done.output.data["risk"].as_str().unwrap().to_owned(),
        Outcome::Confirm(_) => panic!("a rehearsal asked"),
    }
}

async fn rest(app: &TestApp, method: &str, path: &str) -> String {
    risk(app, "call_rest_endpoint", json!({"system_id": "crm", "method": method, "path": path})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_has_the_risk_of_its_endpoint_else_of_its_method() {
    let app = TestApp::start().await;
    let system = open(&app, "crm", "https://crm.example/api").await;
    for (method, wanted) in [
        ("GET", "low_write"),
        ("head", "low_write"),
        ("OPTIONS", "low_write"),
        ("POST", "high_write"),
        ("Put", "high_write"),
        ("PATCH", "high_write"),
        ("DELETE", "destructive"),
    ] {
        assert_eq!(rest(&app, method, "/customers/7").await, wanted, "{method}");
    }
    let registered = |method: &str, path: &str, risk: Risk| json!({"name": format!("{method} {path}"), "method": method, "path": path, "risk": risk});
    endpoint(&app, &system, registered("POST", "/search", Risk::Read)).await;
    endpoint(&app, &system, registered("GET", "/customers/{id}/erase", Risk::Destructive)).await;
    endpoint(&app, &system, registered("POST", "/customers/{id}", Risk::HighWrite)).await;
    endpoint(&app, &system, registered("POST", "/customers/all", Risk::Destructive)).await;
    // The least a caller has is low_write.
    assert_eq!(rest(&app, "POST", "/search").await, "low_write");
    for path in [
        "/customers/7/erase",
        "/customers/7/erase/",
        "/customers/7/%65rase",
        "/Customers/7/ERASE",
        "/customers/7;v=1/erase;x",
        "/customers/7/erase?really=no",
    ] {
        assert_eq!(rest(&app, "GET", path).await, "destructive", "{path}");
    }
    assert_eq!(rest(&app, "POST", "/customers/7").await, "high_write");
    assert_eq!(rest(&app, "POST", "/customers/all").await, "destructive");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graphql_operation_has_the_highest_risk_of_its_fields() {
    let app = TestApp::start().await;
    let system = open(&app, "crm", "https://crm.example/graphql").await;
    let registered = |name: &str, query: &str, risk: Risk| json!({"name": name, "path": "/", "risk": risk, "operation": {"protocol": "graphql", "query": query}});
    endpoint(&app, &system, registered("like", "mutation Like($id: ID!) { like(id: $id) { ok } }", Risk::LowWrite))
        .await;
    endpoint(&app, &system, registered("wipe", "mutation Wipe { wipe }", Risk::Destructive)).await;
    for (query, wanted) in [
        ("{ customers { id } }", "low_write"),
        ("mutation { rename(id: 1) { id } }", "high_write"),
        ("mutation { like(id: 1) { ok } }", "low_write"),
        ("mutation { a: like(id: 1) { ok } b: wipe }", "destructive"),
        ("mutation { ...All } fragment All on Mutation { like(id: 1) { ok } ... { wipe } }", "destructive"),
        ("mutation { like(id: 1) { ok } rename(id: 1) { id } }", "high_write"),
    ] {
        let call = json!({"system_id": "crm", "query": query});
        assert_eq!(risk(&app, "call_graphql_endpoint", call).await, wanted, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_soap_call_is_weighed_by_action_and_by_element() {
    let app = TestApp::start().await;
    let system = open(&app, "crm", "https://crm.example/soap").await;
    let registered = |name: &str, risk: Risk| {
        json!({"name": name, "path": "/", "risk": risk, "method": "POST", "operation":
            {"protocol": "soap", "action": format!("urn:{name}"), "element": name, "namespace": "urn:crm"}})
    };
    endpoint(&app, &system, registered("Status", Risk::Read)).await;
    endpoint(&app, &system, registered("Purge", Risk::Destructive)).await;
    for (action, element, wanted) in [
        ("urn:Status", "Status", "low_write"),
        ("", "Status", "low_write"),
        ("urn:Purge", "Purge", "destructive"),
        ("urn:Status", "Purge", "destructive"),
        ("urn:Purge", "Status", "destructive"),
        ("urn:Status", "Other", "high_write"),
        ("urn:Other", "Status", "high_write"),
        ("urn:Other", "Other", "high_write"),
    ] {
        let body = format!("<c:{element} xmlns:c=\"urn:crm\"/>");
        for body in [
            body.clone(),
            format!(
                "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>{body}</s:Body></s:Envelope>"
            ),
        ] {
            let call = json!({"system_id": "crm", "soap_action": action, "body_xml": body});
            assert_eq!(risk(&app, "call_soap_endpoint", call).await, wanted, "{action} {body}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn grpc_and_websocket_ask_unless_somebody_registered_them_as_harmless() {
    let app = TestApp::start().await;
    let system = open(&app, "crm", "https://crm.example/").await;
    let grpc = async |method: &str| {
        let call = json!({"system_id": "crm", "service": "a.B", "method": method});
        risk(&app, "call_grpc_endpoint", call).await
    };
    let socket = async |path: &str| {
        risk(&app, "call_websocket", json!({"system_id": "crm", "path": path, "message": "x"})).await
    };
    assert_eq!((grpc("Get").await, socket("/feed").await), ("high_write".to_owned(), "high_write".to_owned()));
    let get = json!({"name": "get", "path": "/a.B/Get", "risk": "read", "operation":
        {"protocol": "grpc", "service": "a.B", "rpc": "Get"}});
    endpoint(&app, &system, get).await;
    let feed = json!({"name": "feed", "path": "/feed", "risk": "read", "operation": {"protocol": "websocket"}});
    endpoint(&app, &system, feed).await;
    assert_eq!((grpc("Get").await, socket("/feed").await), ("low_write".to_owned(), "low_write".to_owned()));
    assert_eq!((grpc("Drop").await, socket("/other").await), ("high_write".to_owned(), "high_write".to_owned()));
}
