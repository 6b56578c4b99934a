//! A yes to a GraphQL call is for the place it named, and for the riskiest of what it does.

use satchel::model::spec::Risk;
use serde_json::{Value, json};

use super::asker::Asker;
use crate::support::{
    app::TestApp,
    remote::systems::{endpoint, open},
    system::TestSystem,
};

fn registered(path: &str, query: &str, risk: Risk) -> Value {
    json!({"name": query, "path": path, "risk": risk, "operation": {"protocol": "graphql", "query": query}})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graphql_call_that_would_go_elsewhere_now_is_asked_about_again() {
    let (app, server) = (TestApp::start().await, TestSystem::start().await);
    let shop = open(&app, "shop", &server.url("")).await;
    endpoint(&app, &shop, registered("/m/graphql", "query { ping }", Risk::Read)).await;
    let asker = Asker::new(app, &["catalog:read"]).await;
    let call = json!({"system_id": "shop", "query": "mutation { deleteAll }"});
    let old = asker.ask("call_graphql_endpoint", call).await;
    assert_eq!(old.question, "Run “deleteAll” of shop at /m/graphql?");
    endpoint(&asker.app, &shop, registered("/a/graphql", "query { ping }", Risk::Read)).await;
    let new = asker.asked_anew(&old).await;
    assert_eq!(new.question, "Run “deleteAll” of shop at /a/graphql?");
    assert!(server.asked().is_empty(), "nothing was sent to a place nobody was told of");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_question_names_the_riskiest_of_what_a_document_does() {
    let app = TestApp::start().await;
    let shop = open(&app, "shop", "https://shop.example").await;
    endpoint(&app, &shop, registered("/graphql", "mutation { deleteAll }", Risk::Destructive)).await;
    let asker = Asker::new(app, &["catalog:read"]).await;
    let harmless: Vec<String> = (0..60).map(|n| format!("zzveryharmlessfield{n}")).collect();
    let query = format!("mutation {{ {} deleteAll }}", harmless.join(" "));
    let ticket = asker.ask("call_graphql_endpoint", json!({"system_id": "shop", "query": query})).await;
    assert_eq!(ticket.risk, Risk::Destructive);
    assert!(ticket.question.starts_with("Run “deleteAll, zzveryharmlessfield0, "), "{}", ticket.question);
    assert!(ticket.question.ends_with(" and 56 more of shop at /graphql?"), "{}", ticket.question);
    assert_eq!(ticket.subject.as_deref(), Some("deleteAll"));
}
