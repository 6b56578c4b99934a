//! `call_graphql_endpoint` against a server that speaks it.

use satchel::model::error::Kind;
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    remote::{
        services::{customers, products},
        systems::open,
    },
};

fn ask(query: &str) -> Value {
    json!({"system_id": "shop", "query": query})
}

#[tokio::test(flavor = "multi_thread")]
async fn data_comes_back_with_the_errors_of_a_part() {
    let (app, server) = (TestApp::start().await, products().await);
    open(&app, "shop", &format!("{}/graphql", server.url())).await;
    let viewer = app.caller(&["catalog:read"]).await;
    let data = app.data(&viewer, "call_graphql_endpoint", ask("{ products { name } partly }")).await.unwrap();
    assert_eq!(data["data"]["products"][0]["name"], "Tea");
    assert_eq!(data["errors"][0]["message"], "not yours");
    let seen = server.last();
    // The base URL itself, without a slash more.
    assert_eq!((seen.method.as_str(), seen.target.as_str()), ("POST", "/graphql"));
    assert_eq!(seen.header("content-type"), "application/json");
    assert_eq!(seen.text(), r#"{"query":"{ products { name } partly }"}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_without_data_are_an_error() {
    let (app, server, other) = (TestApp::start().await, products().await, customers().await);
    open(&app, "shop", &server.url()).await;
    open(&app, "crm", &format!("{}/echo", other.url())).await;
    let viewer = app.caller(&["catalog:read"]).await;
    let told = async |call| app.call(&viewer, "call_graphql_endpoint", call).await.err().unwrap();
    assert_eq!(told(ask("{ secret }")).await.message(), "shop refused the operation: not yours (at secret.0)");
    let error = told(ask("{ unknown }")).await;
    assert_eq!(error.message(), "shop refused the operation: Cannot query that.");
    assert_eq!((error.kind(), error.details().unwrap()["status"].clone()), (Kind::Upstream, json!(400)));
    let error = told(json!({"system_id": "crm", "query": "{ a }"})).await;
    assert!(error.message().contains("something else than GraphQL"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mutations_ask_and_what_is_unclear_is_refused_before() {
    let (app, server) = (TestApp::start().await, products().await);
    open(&app, "shop", &server.url()).await;
    let viewer = app.caller(&["catalog:read"]).await;
    let told = async |call| app.call(&viewer, "call_graphql_endpoint", call).await.err().unwrap();
    assert!(told(ask("subscription { a }")).await.message().contains("call_websocket"));
    assert!(told(ask("query A { a } query B { b }")).await.message().contains("operation_name: A, B"));
    assert!(told(ask("{ a")).await.message().contains("cannot be read"));
    let named = json!({"system_id": "shop", "query": "query A { other } mutation B { rename }", "operation_name": "B"});
    let asked = app.call(&viewer, "call_graphql_endpoint", named.clone()).await.unwrap();
    assert!(matches!(asked, satchel::model::call::Outcome::Confirm(_)));
    assert_eq!(server.seen().len(), 0);
    let owner = app.caller(&["*"]).await;
    let data = app.data(&owner, "call_graphql_endpoint", named).await.unwrap();
    assert_eq!(data["data"]["rename"], "B");
}
