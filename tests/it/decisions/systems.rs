//! What a caller may send to a system, and the risk of what is registered there.

use satchel::{
    model::{
        audit::EventType,
        call::{Call, Outcome},
        catalog::waiting::Verdict,
        error::Kind,
        spec::Risk,
    },
    services::catalog::offer::offer,
    store::audit::Filter,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{
    app::TestApp,
    remote::{
        http::{Remote, json as answer},
        systems::{connect, endpoint, open, registered},
    },
    system::TestSystem,
};

const TOKEN: &str = "canary-8f3a-token";

#[tokio::test(flavor = "multi_thread")]
async fn a_system_without_credentials_is_sent_the_callers_authorization_and_cookie_masked_everywhere() {
    let app = TestApp::start().await;
    let server = Remote::start(|seen| {
        let (authorization, cookie) = (seen.header("authorization"), seen.header("cookie"));
        answer(200, &json!({"told": authorization, "cookie": cookie, "token": authorization.rsplit(' ').next()}))
    })
    .await;
    open(&app, "plain", &server.url()).await;
    let caller = app.caller(&["catalog:read"]).await;
    let headers = json!({"Authorization": format!("Bearer {TOKEN}"), "Cookie": format!("sid={TOKEN}-2; a=b")});
    let call = json!({"system_id": "plain", "method": "GET", "path": "/x", "headers": headers});
    let data = app.data(&caller, "call_rest_endpoint", call).await.unwrap();
    let seen = server.last();
    assert_eq!(seen.header("authorization"), format!("Bearer {TOKEN}"));
    assert_eq!(seen.header("cookie"), format!("sid={TOKEN}-2; a=b"));
    assert!(!data.to_string().contains("canary"), "{data}");
    let filter = Filter { event_type: Some(EventType::ToolInvocation.as_str().to_owned()), ..Filter::default() };
    let rows = app.satchel.app.stores.audit.find(filter, 10).await.unwrap();
    assert!(rows.iter().all(|row| !row.arguments.to_string().contains("canary")), "{rows:?}");
    assert_eq!(rows[0].arguments["headers"], json!({"Authorization": "***", "Cookie": "***"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_system_with_credentials_of_its_own_refuses_the_callers() {
    let app = TestApp::start().await;
    let server = TestSystem::start().await;
    let auth = json!({"auth": {"type": "api_key", "in": "header", "name": "X-Key"}});
    connect(&app, "keyed", &server.url(""), auth, json!({"api_key": "own"})).await;
    let caller = app.caller(&["catalog:read"]).await;
    for name in ["Authorization", "cookie"] {
        let call = json!({"system_id": "keyed", "method": "GET", "path": "/x", "headers": {name: "Bearer mine"}});
        let error = app.data(&caller, "call_rest_endpoint", call).await.unwrap_err();
        assert!(error.kind() == Kind::Invalid && error.message().contains("set by Satchel"), "{error}");
    }
    assert!(server.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn create_system_endpoint_with_a_body_makes_a_tool_that_takes_any_json_until_a_schema_is_given() {
    let app = TestApp::start().await;
    let server = TestSystem::start().await;
    let system = open(&app, "crm", &server.url("")).await;
    let owner = app.owner().await.caller;
    for (method, has_body) in [("POST", true), ("PUT", true), ("PATCH", true), ("GET", false), ("DELETE", false)] {
        let new = json!({"system_id": "crm", "name": format!("{method} it"), "method": method, "path": "/it/{id}"});
        let made = app.data(&owner, "create_system_endpoint", new).await.unwrap();
        let id = made["id"].as_str().unwrap().parse().unwrap();
        let read =
            registered(&app, &system).endpoints.into_iter().find(|one| one.id == id).unwrap().waiting.unwrap().at;
        let (by, catalog) = (app.owner().await, &app.satchel.app.stores.catalog);
        catalog.review_endpoint(&by, id, read, Verdict::Approve).await.unwrap();
        offer(&app.satchel.invoker);
        let found = app.satchel.invoker.registry().find(made["tool"].as_str().unwrap()).unwrap();
        let taken = found.tool.spec().parameters.document()["properties"].as_object().unwrap().clone();
        assert_eq!((taken.contains_key("body"), taken.contains_key("id")), (has_body, true), "{method}: {taken:?}");
    }
    for body in [json!({"a": [1]}), json!([1, "b"]), json!("text"), json!(7), json!(false)] {
        let call = json!({"id": "7", "body": body});
        app.data(&owner, "catalog:crm.post_it", call).await.unwrap();
        assert_eq!(server.asked().last().unwrap().body, body.to_string());
    }
    let id = registered(&app, &system).endpoints.iter().find(|one| one.method == "POST").unwrap().id;
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let change = json!({"parameters": [{"name": "body", "in": "body", "required": true, "schema": schema}]});
    let change = serde_json::from_value(change).unwrap();
    app.satchel.app.stores.catalog.change_endpoint(&app.owner().await, id, change).await.unwrap();
    offer(&app.satchel.invoker);
    let call = json!({"id": "7", "body": [1]});
    assert_eq!(app.data(&owner, "catalog:crm.post_it", call).await.unwrap_err().kind(), Kind::Invalid);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_registered_risk_holds_for_every_caller_in_both_directions() {
    let app = TestApp::start().await;
    let system = open(&app, "crm", "https://crm.example/api").await;
    let soap = |name: &str, risk: Risk| {
        let operation = json!({"protocol": "soap", "action": format!("urn:{name}"), "element": name});
        json!({"name": name, "operation": operation, "path": "/soap", "risk": risk})
    };
    for draft in [
        json!({"name": "search", "method": "POST", "path": "/search", "risk": "read"}),
        json!({"name": "erase", "method": "GET", "path": "/erase", "risk": "destructive"}),
        soap("Look", Risk::Read),
        soap("Wipe", Risk::Destructive),
        json!({"name": "feed", "operation": {"protocol": "websocket"}, "path": "/feed", "risk": "read"}),
        json!({"name": "halt", "operation": {"protocol": "websocket"}, "path": "/halt", "risk": "destructive"}),
    ] {
        endpoint(&app, &system, draft).await;
    }
    let owner = app.caller(&["*"]).await;
    let risk = async |tool: &str, more: Value| {
        let mut arguments = json!({"system_id": "crm"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let call = Call { dry_run: true, ..Call::new(owner.clone(), tool, arguments) };
        match app.satchel.invoker.invoke(call, CancellationToken::new()).await.unwrap() {
            Outcome::Done(done) => done.output.data["risk"].as_str().unwrap().to_owned(),
            Outcome::Confirm(_) => panic!("a rehearsal asked"),
        }
    };
    let soap =
        |name: &str| json!({"soap_action": format!("urn:{name}"), "body_xml": format!("<{name}/>"), "path": "/soap"});
    // The least a caller has is low_write.
    for (tool, arguments, wanted) in [
        ("call_rest_endpoint", json!({"method": "POST", "path": "/search"}), "low_write"),
        ("call_rest_endpoint", json!({"method": "GET", "path": "/erase"}), "destructive"),
        ("call_soap_endpoint", soap("Look"), "low_write"),
        ("call_soap_endpoint", soap("Wipe"), "destructive"),
        ("call_websocket", json!({"path": "/feed", "message": "x"}), "low_write"),
        ("call_websocket", json!({"path": "/halt", "message": "x"}), "destructive"),
    ] {
        assert_eq!(risk(tool, arguments.clone()).await, wanted, "{tool} {arguments}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graphql_error_lists_the_operations_there_are() {
    let app = TestApp::start().await;
    open(&app, "shop", "https://shop.example/graphql").await;
    let caller = app.caller(&["catalog:read"]).await;
    for (query, name, wanted) in [
        ("query A { a } mutation B { b }", None, "name one as operation_name: A, B."),
        ("query A { a } mutation B { b }", Some("C"), "There is no operation 'C'"),
        ("{ a }", Some("C"), "It has: one without a name."),
    ] {
        let call = json!({"system_id": "shop", "query": query, "operation_name": name});
        let error = app.data(&caller, "call_graphql_endpoint", call).await.unwrap_err();
        let wanted = wanted.replace("There is no operation 'C'", "no operation 'C'. It has: A, B.");
        assert!(error.kind() == Kind::Invalid && error.message().contains(&wanted), "{query}: {error}");
    }
}
