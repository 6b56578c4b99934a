//! The launcher: what it finds, in which order, for whom.

use std::time::Duration;

use satchel::model::{caller::Caller, error::Kind};
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    chat::Chat,
    fake_llm::say,
    http::{Request, TestServer},
};

async fn found(app: &TestApp, caller: &Caller, arguments: Value) -> Vec<(String, String)> {
    let data = app.data(caller, "search", arguments).await.unwrap();
    let results = data["results"].as_array().unwrap();
    let scores: Vec<f64> = results.iter().map(|one| one["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{data}");
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    results.iter().map(|one| (text(one, "type"), text(one, "name"))).collect()
}

#[tokio::test]
async fn what_the_person_may_see_is_found_by_name_alias_and_slips() {
    let app = TestApp::start().await;
    let (root, mara) = (app.caller(&["*"]).await, app.caller(&[]).await);
    for (query, wanted) in [("calculator", "calculator"), ("calcualtor", "calculator"), ("memorize", "save_memory")] {
        assert_eq!(
            found(&app, &mara, json!({"query": query})).await[0],
            ("tool".to_owned(), wanted.to_owned()),
            "{query}"
        );
    }
    assert_eq!(
        found(&app, &root, json!({"query": "audit", "limit": 1})).await,
        [("page".to_owned(), "Audit".to_owned())]
    );
    let hidden = found(&app, &mara, json!({"query": "audit"})).await;
    assert!(!hidden.contains(&("page".to_owned(), "Audit".to_owned())), "{hidden:?}");
    assert!(!hidden.contains(&("tool".to_owned(), "query_audit_log".to_owned())), "{hidden:?}");
}

#[tokio::test]
async fn limits_are_whole_numbers_and_zero_gives_none() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    assert!(found(&app, &mara, json!({"query": "e", "limit": 0})).await.is_empty());
    assert_eq!(found(&app, &mara, json!({"query": "e", "limit": 2})).await.len(), 2);
    assert!(found(&app, &mara, json!({"query": "e"})).await.len() <= 10);
    assert!(found(&app, &mara, json!({"query": "e", "limit": 1e18})).await.len() > 10);
    for limit in [json!(-1), json!(1.5), json!("3")] {
        let error = app.data(&mara, "search", json!({"query": "e", "limit": limit})).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid, "{limit}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_opened_often_and_lately_comes_first_for_this_person_alone() {
    let server = TestServer::start().await;
    server.add("mara", "viewer").await;
    let (owner, mara) = (server.sign_in("owner").await, server.sign_in("mara").await);
    let first = async |who: &str, q: &str| {
        let answer = server.send(Request::get(&format!("/api/search?q={q}")).cookie(who)).await.json();
        answer["results"][0]["name"].as_str().map(str::to_owned)
    };
    let used = async |kind: &str, id: &str| {
        let body = json!({"type": kind, "id": id});
        server.send(Request::post("/api/search/used", &body).cookie(&owner)).await.status
    };
    assert_eq!(first(&owner, "re").await.as_deref(), Some("read"));
    assert_eq!(first(&owner, "").await, None);
    for _ in 0..3 {
        assert_eq!(used("tool", "reflect").await, 204);
    }
    assert_eq!(first(&owner, "re").await.as_deref(), Some("reflect"));
    assert_eq!(first(&owner, "").await.as_deref(), Some("reflect"));
    assert_eq!(first(&mara, "").await, None, "a habit is its person's own");
    server.app.satchel.app.clock.advance(Duration::from_secs(400 * 86_400));
    let owner = server.sign_in("owner").await;
    assert_eq!(first(&owner, "re").await.as_deref(), Some("read"), "a habit fades");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_use_of_what_one_may_not_see_is_a_use_of_nothing() {
    let chat = Chat::start(vec![say("Hello.")]).await;
    let (conversation, _) = chat.owner.turn("The heliotrope affair").await;
    let id = conversation.rsplit('/').next().unwrap();
    let mara = chat.person(&[]).await;
    for (kind, id) in
        [("conversation", id), ("page", "/audit"), ("page", "/nowhere"), ("tool", "query_audit_log"), ("agent", "x")]
    {
        assert_eq!(mara.ask("POST", "/api/search/used", json!({"type": kind, "id": id})).await.0, 404, "{kind} {id}");
    }
    assert_eq!(mara.ask("POST", "/api/search/used", json!({"type": "colour", "id": "x"})).await.0, 400);
    assert_eq!(mara.do_it("GET", "/api/search?q=heliotrope", Value::Null).await["results"], json!([]));
    let own = chat.owner.do_it("GET", "/api/search?q=heliotorpe", Value::Null).await;
    assert_eq!((&own["results"][0]["id"], &own["results"][0]["type"]), (&json!(id), &json!("conversation")));
    chat.owner.do_it("POST", "/api/search/used", json!({"type": "conversation", "id": id})).await;
    chat.owner.do_it("DELETE", &conversation, Value::Null).await;
    assert_eq!(chat.owner.do_it("GET", "/api/search?q=", Value::Null).await["results"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_found_by_who_may_see_them() {
    let chat = Chat::start(vec![]).await;
    let document = json!({"title": "Travel policy", "text": "Trains first."});
    let id = chat.owner.do_it("POST", "/api/knowledge/documents", document).await["id"].clone();
    let found = chat.owner.do_it("GET", "/api/search?q=travel%20plicy", Value::Null).await;
    assert_eq!((&found["results"][0]["id"], &found["results"][0]["type"]), (&id, &json!("document")));
    let mara = chat.person(&[]).await;
    assert_eq!(mara.do_it("GET", "/api/search?q=travel%20policy", Value::Null).await["results"], json!([]));
    let used = json!({"type": "document", "id": id});
    assert_eq!(mara.ask("POST", "/api/search/used", used.clone()).await.0, 404);
    assert_eq!(chat.owner.ask("POST", "/api/search/used", used).await.0, 204);
}
