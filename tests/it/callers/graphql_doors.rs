//! R6: a GraphQL operation is as risky through every door that leads to it, and what is not known of it lowers nothing.

use std::iter::once;

use satchel::{
    model::{catalog::draft::EndpointDraft, spec::Risk},
    services::catalog::{change::Changing, offer::offer},
};
use serde_json::{Value, json};

use super::risk::risk;
use crate::support::{
    app::TestApp,
    remote::systems::{endpoint, open},
};

fn graphql(query: &str, risk: Risk) -> Value {
    json!({"name": "operation", "path": "/graphql", "risk": risk, "operation": {"protocol": "graphql", "query": query}})
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_mutation_in_a_request_is_as_risky_as_by_its_own_tool() {
    let app = TestApp::start().await;
    let shop = open(&app, "shop", "https://shop.example").await;
    endpoint(&app, &shop, graphql("query { ping }", Risk::Read)).await;
    endpoint(&app, &shop, graphql("mutation R($id: ID) { rename(id: $id) { ok } }", Risk::LowWrite)).await;
    let body = json!([{"name": "body", "in": "body", "required": true}]);
    for (name, method, path) in [("post", "POST", "/graphql"), ("get", "GET", "/graphql"), ("any", "POST", "/{to}")] {
        let parameters = if method == "POST" { body.clone() } else { json!([{"name": "query", "in": "query"}]) };
        let said = json!({"name": name, "method": method, "path": path, "risk": "low_write", "parameters": parameters});
        endpoint(&app, &shop, said).await;
    }
    offer(&app.satchel.invoker);
    let mutation = "mutation { deleteAll { ok } }";
    let (ping, rename) = (json!({"query": "{ ping }"}), json!({"query": "mutation { rename(id: 1) { ok } }"}));
    let both = "query A { ping } mutation B { deleteAll { ok } }";
    for (body, wanted) in [
        (json!({"query": mutation}), "high_write"),
        (json!([ping, {"query": mutation}]), "high_write"),
        (json!({"query": both, "operationName": "B"}), "high_write"),
        (json!({"id": "something the server keeps"}), "high_write"),
        (json!("mutation { deleteAll { ok } }"), "high_write"),
        (json!({"query": both, "operationName": "A"}), "low_write"),
        (json!([ping, rename]), "low_write"),
    ] {
        let call = json!({"system_id": "shop", "method": "POST", "path": "/graphql", "body": body});
        assert_eq!(risk(&app, "call_rest_endpoint", call).await, wanted, "{body}");
        assert_eq!(risk(&app, "catalog:shop.post", json!({"body": body})).await, wanted, "its own tool: {body}");
        // At a place that only looks like it nothing is known.
        let elsewhere = if body["operationName"] == "A" { "low_write" } else { "high_write" };
        let call = json!({"to": "GraphQL", "body": body});
        assert_eq!(risk(&app, "catalog:shop.any", call).await, elsewhere, "a place that looks like it: {body}");
    }
    for (path, query, wanted) in [
        ("/graphql", json!({"query": mutation}), "high_write"),
        ("/graphql?query=mutation%7BdeleteAll%7Bok%7D%7D", json!({}), "high_write"),
        ("/graphql", json!({"query": "{ ping }", "operationName": "B"}), "high_write"),
        ("/graphql", json!({"query": "{ ping }"}), "low_write"),
        ("/graphql", json!({}), "low_write"),
        ("/graphql/x", json!({"query": mutation}), "high_write"),
        ("/graphql/x", json!({"query": "{ ping }"}), "low_write"),
        ("/other", json!({"query": mutation}), "high_write"),
        ("/other?query=mutation%7BdeleteAll%7Bok%7D%7D", json!({}), "high_write"),
        ("/other", json!({"query": "{ ping }"}), "low_write"),
        ("/other", json!({"query": "mutation rates"}), "low_write"),
    ] {
        let call = json!({"system_id": "shop", "method": "GET", "path": path, "query_params": query});
        assert_eq!(risk(&app, "call_rest_endpoint", call).await, wanted, "{path} {query}");
    }
    assert_eq!(risk(&app, "catalog:shop.get", json!({"query": mutation})).await, "high_write");
    assert_eq!(risk(&app, "catalog:shop.get", json!({"query": "{ ping }"})).await, "low_write");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_mutation_over_a_harmless_websocket_is_as_risky_as_by_its_own_tool() {
    let app = TestApp::start().await;
    let live = open(&app, "live", "https://live.example").await;
    endpoint(&app, &live, graphql("subscription { orders }", Risk::Read)).await;
    endpoint(&app, &live, graphql("query { ping }", Risk::Read)).await;
    let feed = json!({"name": "feed", "path": "/graphql", "risk": "low_write", "operation": {"protocol": "websocket"},
        "parameters": [{"name": "body", "in": "body", "required": true}]});
    endpoint(&app, &live, feed).await;
    offer(&app.satchel.invoker);
    let says = |query: &str| json!({"id": "1", "type": "subscribe", "payload": {"query": query}}).to_string();
    let begin = json!({"type": "connection_init"}).to_string();
    for (message, wanted) in [
        (says("mutation { deleteAll { ok } }"), "high_write"),
        (says("mutation {"), "high_write"),
        ("hello".to_owned(), "high_write"),
        (says("{ ping }"), "low_write"),
        (says("subscription { orders }"), "low_write"),
        (json!({"type": "ping"}).to_string(), "low_write"),
    ] {
        let messages: Vec<&String> = once(&begin).chain([&message]).collect();
        let call =
            json!({"system_id": "live", "path": "/graphql", "message": messages[0], "further_messages": [messages[1]]});
        assert_eq!(risk(&app, "call_websocket", call).await, wanted, "{message}");
        assert_eq!(risk(&app, "catalog:live.feed", json!({"body": message})).await, wanted, "its own tool: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_cannot_be_read_is_refused_and_an_old_one_counts_for_every_operation() {
    let app = TestApp::start().await;
    let shop = open(&app, "shop", "https://shop.example").await;
    endpoint(&app, &shop, graphql("query { ping }", Risk::Read)).await;
    let ping = || json!({"system_id": "shop", "query": "{ ping }"});
    assert_eq!(risk(&app, "call_graphql_endpoint", ping()).await, "low_write");
    let changing = Changing::new(&app.satchel.invoker, app.owner().await);
    let draft = |query: &str| -> EndpointDraft { serde_json::from_value(graphql(query, Risk::Destructive)).unwrap() };
    let kept = "mutation W { deleteAll { ok } customer(id: \"\"\"a\\\"\"\"b\"\"\") { wipe } }";
    for query in [kept, "this is no graphql {{{"] {
        let refused = changing.create_endpoint(shop.id, draft(query)).await.unwrap_err();
        assert!(refused.message().contains("is not registered. The GraphQL document cannot be read"), "{refused}");
    }
    let described = "\"\"\"Deletes it.\"\"\"\nmutation Del { deleteOne { ok } }";
    changing.create_endpoint(shop.id, draft(described)).await.unwrap();
    assert_eq!(risk(&app, "call_graphql_endpoint", ping()).await, "low_write");
    let described = json!({"system_id": "shop", "query": "mutation { deleteOne { ok } }"});
    assert_eq!(risk(&app, "call_graphql_endpoint", described).await, "destructive");
    // It was registered before such were refused.
    let old: EndpointDraft = draft(kept);
    let (catalog, owner) = (&app.satchel.app.stores.catalog, app.owner().await);
    catalog.create_endpoint(&owner, shop.id, old).await.unwrap();
    for query in ["mutation { deleteAll { ok } }", "{ deleteAll }", "{ ping }"] {
        let call = json!({"system_id": "shop", "query": query});
        assert_eq!(risk(&app, "call_graphql_endpoint", call).await, "destructive", "{query}");
    }
}
