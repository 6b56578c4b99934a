//! The risk of a call: what is registered decides, else the method; and nothing written differently for the same effect
//! asks less, nor does anything nobody has let through.

use satchel::{
    model::{
        call::{Call, Outcome},
        catalog::waiting::Verdict,
        spec::Risk,
    },
    services::catalog::{change::Changing, offer::offer},
    store::people::Actor,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{
    app::TestApp,
    remote::systems::{endpoint, open, registered},
};

/// The risk a call is weighed at; nothing is sent.
pub(super) async fn risk(app: &TestApp, tool: &str, call: Value) -> String {
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

fn plain(method: &str, path: &str, risk: Risk) -> Value {
    json!({"name": format!("{method} {path}"), "method": method, "path": path, "risk": risk})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lax_spelling_only_ever_raises_the_risk() {
    let app = TestApp::start().await;
    let system = open(&app, "crm", "https://crm.example/api").await;
    for (method, path, risk) in [
        ("DELETE", "/users/{id}", Risk::Destructive),
        ("DELETE", "/users/me", Risk::LowWrite),
        ("POST", "/search", Risk::LowWrite),
        ("POST", "/sessions/{id}", Risk::LowWrite),
        ("POST", "/sessions/{id}/purge", Risk::Destructive),
        ("GET", "/admin/wipe", Risk::Destructive),
        ("GET", "/a/{x}", Risk::Destructive),
        ("GET", "/{y}/b", Risk::LowWrite),
    ] {
        endpoint(&app, &system, plain(method, path, risk)).await;
    }
    for (method, path, wanted) in [
        ("DELETE", "/users/7", "destructive"),
        ("DELETE", "/users/me", "low_write"),
        ("DELETE", "/users/me?x=1", "low_write"),
        ("DELETE", "/users/ME", "destructive"),
        ("DELETE", "/users/me;7", "destructive"),
        ("DELETE", "/users/me/", "destructive"),
        ("DELETE", "/users/m%65", "destructive"),
        ("DELETE ", "/anything", "destructive"),
        (" head ", "/anything", "low_write"),
        ("POST", "/search", "low_write"),
        ("POST", "/Search", "high_write"),
        ("POST", "/sessions/5", "low_write"),
        ("POST", "/sessions/J%C3%BCrgen%205", "low_write"),
        ("POST", "/sessions/5%2Fpurge", "destructive"),
        ("POST", "/sessions/5%2fPURGE", "destructive"),
        ("POST", "/sessions/5%252Fpurge", "destructive"),
        ("POST", "/sessions/5%2Fother", "high_write"),
        ("HEAD", "/admin/wipe", "destructive"),
        ("OPTIONS", "/admin/wipe", "low_write"),
        ("GET", "/admin%2Fwipe", "destructive"),
        ("GET", "/admin%5Cwipe", "destructive"),
        ("GET", "/admin/;x/wipe", "destructive"),
        ("GET", "/admin/wipe.json", "destructive"),
        ("GET", "/admin/wipe%3Fx", "destructive"),
        // Neither of the two is closer.
        ("GET", "/a/b", "destructive"),
    ] {
        assert_eq!(rest(&app, method, path).await, wanted, "{method} {path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoints_tool_is_weighed_by_the_path_its_arguments_make() {
    let app = TestApp::start().await;
    let system = open(&app, "crm", "https://crm.example/api").await;
    let tool = endpoint(&app, &system, plain("POST", "/sessions/{id}", Risk::LowWrite)).await.slug;
    endpoint(&app, &system, plain("POST", "/sessions/all", Risk::Destructive)).await;
    endpoint(&app, &system, plain("POST", "/sessions/{id}/purge", Risk::Destructive)).await;
    offer(&app.satchel.invoker);
    for (id, wanted) in [
        ("7", "low_write"),
        ("a b", "low_write"),
        ("all", "destructive"),
        ("All", "destructive"),
        ("all;7", "destructive"),
        ("5/purge", "destructive"),
        ("5%2Fpurge", "destructive"),
    ] {
        assert_eq!(risk(&app, &format!("catalog:crm.{tool}"), json!({"id": id})).await, wanted, "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_of_another_protocol_is_as_risky_as_a_plain_request() {
    let app = TestApp::start().await;
    let system = open(&app, "crm", "https://crm.example/api").await;
    for (path, operation) in [
        ("/graphql", json!({"protocol": "graphql", "query": "mutation { wipeAll { ok } }"})),
        ("/soap", json!({"protocol": "soap", "action": "urn:drop", "element": "dropAll", "namespace": "urn:x"})),
        ("/", json!({"protocol": "grpc", "service": "a.B", "rpc": "Drop"})),
    ] {
        let said = json!({"name": path, "method": "POST", "path": path, "risk": "destructive", "operation": operation});
        endpoint(&app, &system, said).await;
    }
    for (method, path, wanted) in [
        ("POST", "/graphql", "destructive"),
        ("GET", "/graphql?query=mutation{wipeAll{ok}}", "destructive"),
        ("OPTIONS", "/graphql", "low_write"),
        ("POST", "/SOAP/", "destructive"),
        ("PUT", "/soap", "destructive"),
        ("GET", "/soap?wsdl", "low_write"),
        ("POST", "/a.B/Drop", "destructive"),
        ("POST", "/a.B/Get", "high_write"),
    ] {
        assert_eq!(rest(&app, method, path).await, wanted, "{method} {path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_has_let_through_only_ever_raises_the_risk() {
    let app = TestApp::start().await;
    let system = open(&app, "crm", "https://crm.example/api").await;
    endpoint(&app, &system, plain("GET", "/admin/{x}", Risk::Destructive)).await;
    endpoint(&app, &system, plain("POST", "/search", Risk::LowWrite)).await;
    let wipe = json!({"protocol": "graphql", "query": "mutation { wipe }"});
    endpoint(&app, &system, json!({"name": "Wipe", "path": "/graphql", "risk": "destructive", "operation": wipe}))
        .await;
    // What a model registers nobody has let through.
    let operator = app.caller(&["catalog:read", "catalog:write"]).await;
    let tool = async |method: &str, path: &str, risk: &str| {
        let said = json!({"system_id": "crm", "name": path, "method": method, "path": path, "risk_level": risk});
        let made = app.data(&operator, "create_system_endpoint", said).await.unwrap();
        // Somebody reviews it who may not let it through: its risk does not count for less.
        let written =
            registered(&app, &system).endpoints.into_iter().find(|one| one.path == path && one.waiting.is_some());
        let written = written.unwrap();
        let by = Actor { caller: operator.clone(), ..app.owner().await };
        let changing = Changing::new(&app.satchel.invoker, by);
        let read = written.waiting.unwrap().at;
        changing.review_endpoint(written.id, read, Verdict::Approve).await.unwrap();
        made["tool"].as_str().unwrap().to_owned()
    };
    let exact = tool("GET", "/admin/wipe", "read").await;
    assert_eq!(rest(&app, "GET", "/admin/wipe").await, "destructive");
    assert_eq!(risk(&app, &exact, json!({})).await, "destructive");
    tool("POST", "/{anything}", "destructive").await;
    assert_eq!(rest(&app, "POST", "/search").await, "low_write", "the closer one was let through");
    assert_eq!(rest(&app, "POST", "/other").await, "destructive");
    // A document that hides what it is.
    let hidden = json!({"protocol": "graphql", "query": "# nothing\nmutation { wipe }"});
    let draft = json!({"name": "Hidden", "path": "/graphql", "risk": "read", "operation": hidden});
    let mut by = app.owner().await;
    by.caller = operator.clone();
    let catalog = &app.satchel.app.stores.catalog;
    let changing = Changing::new(&app.satchel.invoker, by);
    let made = changing.create_endpoint(system.id, serde_json::from_value(draft).unwrap()).await.unwrap();
    assert_eq!(made.effective_risk(), Risk::HighWrite);
    assert_eq!(catalog.get().all().len(), 1);
    assert_eq!(risk(&app, &format!("catalog:crm.{}", made.slug), json!({})).await, "destructive");
    assert!(!registered(&app, &system).endpoints.iter().any(|one| one.id == made.id && one.reviewed));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graphql_operation_has_the_highest_risk_of_its_fields() {
    let app = TestApp::start().await;
    let system = open(&app, "crm", "https://crm.example/graphql").await;
    let registered = |name: &str, query: &str, risk: Risk| json!({"name": name, "path": "/", "risk": risk, "operation": {"protocol": "graphql", "query": query}});
    endpoint(&app, &system, registered("like", "mutation Like($id: ID!) { like(id: $id) { ok } }", Risk::LowWrite))
        .await;
    endpoint(&app, &system, registered("wipe", "mutation Wipe { wipe }", Risk::Destructive)).await;
    endpoint(&app, &system, registered("rename", "mutation { customer { rename { id } } }", Risk::LowWrite)).await;
    endpoint(&app, &system, registered("purge", "mutation { account { purge } }", Risk::Destructive)).await;
    for (query, wanted) in [
        ("{ customers { id } }", "low_write"),
        ("mutation { rename(id: 1) { id } }", "high_write"),
        ("mutation { like(id: 1) { ok } }", "low_write"),
        ("mutation { a: like(id: 1) { ok } b: wipe }", "destructive"),
        ("mutation { ...All } fragment All on Mutation { like(id: 1) { ok } ... { wipe } }", "destructive"),
        ("mutation { like(id: 1) { ok } rename(id: 1) { id } }", "high_write"),
        ("mutation { like(id: 1) { ok __typename } }", "low_write"),
        ("mutation { like(id: 1) { ok deleted } }", "high_write"),
        ("mutation { customer { rename { id } } }", "low_write"),
        ("mutation { customer { deleteAll } }", "high_write"),
        ("mutation { account { open } }", "destructive"),
        ("mutation { customer { rename { id } } ...P } fragment P on M { account { purge } }", "destructive"),
        ("mutation { wipe { ok } }", "destructive"),
    ] {
        let call = json!({"system_id": "crm", "query": query});
        assert_eq!(risk(&app, "call_graphql_endpoint", call).await, wanted, "{query}");
    }
    // One that nobody has let through takes nothing from the risk of others.
    let operator = app.caller(&["catalog:read", "catalog:write"]).await;
    let changing = Changing::new(&app.satchel.invoker, Actor { caller: operator, ..app.owner().await });
    for query in ["mutation { wipe { id } }", "mutation { order { close } }"] {
        let draft = serde_json::from_value(registered("harmless", query, Risk::Read)).unwrap();
        changing.create_endpoint(system.id, draft).await.unwrap();
    }
    for (query, wanted) in [("mutation { wipe { id } }", "destructive"), ("mutation { order { close } }", "high_write")]
    {
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
        ("urn:purge ", "Status", "destructive"),
        (" urn:Status", "Status", "high_write"),
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
async fn a_soap_envelope_says_one_thing_to_everybody() {
    let app = TestApp::start().await;
    let system = open(&app, "crm", "https://crm.example/soap").await;
    for (name, risk) in [("safeOp", Risk::Read), ("dropAll", Risk::Destructive)] {
        let operation = json!({"protocol": "soap", "action": format!("urn:{name}"), "element": name});
        let said = json!({"name": name, "path": "/", "risk": risk, "operation": operation});
        endpoint(&app, &system, said).await;
    }
    let call = |inner: &str| {
        let soap = "http://schemas.xmlsoap.org/soap/envelope/";
        let body = format!("<s:Envelope xmlns:s=\"{soap}\">{inner}</s:Envelope>");
        json!({"system_id": "crm", "soap_action": "urn:safeOp", "body_xml": body})
    };
    let owner = app.caller(&["*"]).await;
    for inner in [
        "<Body xmlns=\"urn:other\"><safeOp/></Body><s:Body><dropAll/></s:Body>",
        "<s:Body><safeOp/></s:Body><s:Body><dropAll/></s:Body>",
    ] {
        let refused = app.call(&owner, "call_soap_endpoint", call(inner)).await.err().unwrap();
        assert!(refused.message().contains("must have one Body"), "{refused}");
    }
    let action =
        "<s:Header><w:Action xmlns:w=\"http://www.w3.org/2005/08/addressing\">urn:dropAll</w:Action></s:Header>";
    let addressed = format!("{action}<s:Body><safeOp/></s:Body>");
    for (inner, wanted) in [("<s:Body><safeOp/></s:Body>", "low_write"), (&addressed, "destructive")] {
        assert_eq!(risk(&app, "call_soap_endpoint", call(inner)).await, wanted, "{inner}");
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
    assert_eq!(socket("/FEED").await, "high_write");
    // To a server without WebSockets it is a GET.
    endpoint(&app, &system, plain("GET", "/wipe", Risk::Destructive)).await;
    assert_eq!(socket("/wipe").await, "destructive");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mutation_over_a_websocket_is_as_risky_as_over_http() {
    let app = TestApp::start().await;
    let system = open(&app, "crm", "https://crm.example/").await;
    let feed = json!({"name": "feed", "path": "/graphql", "risk": "read", "operation": {"protocol": "websocket"}});
    endpoint(&app, &system, feed).await;
    let wipe = json!({"protocol": "graphql", "query": "mutation { deleteAll }"});
    endpoint(&app, &system, json!({"name": "wipe", "path": "/graphql", "risk": "destructive", "operation": wipe}))
        .await;
    let begin = json!({"type": "connection_init"}).to_string();
    let says = |query: &str| json!({"id": "1", "type": "subscribe", "payload": {"query": query}}).to_string();
    for (query, wanted) in [("subscription { orders { id } }", "low_write"), ("mutation { deleteAll }", "destructive")]
    {
        for (message, further) in [(begin.clone(), json!([says(query)])), (says(query), Value::Null)] {
            let call = json!({"system_id": "crm", "path": "/graphql", "message": message, "further_messages": further});
            assert_eq!(risk(&app, "call_websocket", call).await, wanted, "{query}");
        }
    }
}
