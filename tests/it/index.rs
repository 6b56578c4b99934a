//! The index people and agents fill: what is put is found, by whom, and what is refused. And over REST.

use satchel::model::{caller::Caller, error::Kind};
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    http::{Request, TestServer},
};

const BOTH: &[&str] = &["index:read", "index:write"];

async fn call(app: &TestApp, caller: &Caller, tool: &str, arguments: Value) -> Value {
    app.data(caller, tool, arguments.clone()).await.unwrap_or_else(|e| panic!("{tool} {arguments}: {e}"))
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|result| result["id"].as_str().unwrap()).collect()
}

/// A vector as long as the index's, that points along one axis and a little along another.
fn along(axis: usize, little: usize) -> Vec<f32> {
    let mut vector = vec![0.0; 384];
    vector[axis] = 1.0;
    vector[little] += 0.1;
    vector
}

#[tokio::test]
async fn what_is_put_is_found_at_once_and_what_is_removed_is_not() {
    let app = TestApp::start().await;
    let mara = app.caller(BOTH).await;
    let ok = json!({"ok": true});
    assert_eq!(call(&app, &mara, "index_put", json!({"id": "a", "text": "Refunds take five days"})).await, ok);
    assert_eq!(call(&app, &mara, "search_index", json!({"id": "b", "text": "Deliveries take two days"})).await, ok);
    let found = call(&app, &mara, "index_query", json!({"query": "refund"})).await;
    let score = found["results"][0]["score"].clone();
    let only = json!({"id": "a", "score": score, "text": "Refunds take five days", "metadata": {}});
    assert_eq!(found, json!({"ok": true, "results": [only]}));
    let found = call(&app, &mara, "search_query", json!({"query": "days of delivery", "limit": 1})).await;
    assert_eq!(ids(&found), ["b"]);
    assert_eq!(call(&app, &mara, "search_remove", json!({"id": "a"})).await, ok);
    assert_eq!(call(&app, &mara, "index_remove", json!({"id": "a"})).await, ok, "removing again does nothing");
    assert_eq!(ids(&call(&app, &mara, "search_query", json!({"query": "refund"})).await), [] as [&str; 0]);
}

#[tokio::test]
async fn vectors_are_found_by_nearness_and_filtered_by_metadata() {
    let app = TestApp::start().await;
    let mara = app.caller(BOTH).await;
    for (id, axis, lang) in [("x", 1, "en"), ("y", 2, "en"), ("z", 1, "de")] {
        let put = json!({"id": id, "vector": along(axis, 5), "metadata": {"lang": lang, "kind": "test"}});
        call(&app, &mara, "vector_upsert", put).await;
    }
    let near = |more: Value| {
        let mut query = json!({"vector": along(1, 9)});
        query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        query
    };
    assert_eq!(ids(&call(&app, &mara, "vector_query", near(json!({"k": 2}))).await), ["x", "z"]);
    let german = near(json!({"filter": {"lang": "de", "kind": "test"}}));
    assert_eq!(ids(&call(&app, &mara, "vector_query", german).await), ["z"]);
    let nobody = near(json!({"filter": {"lang": "fr"}}));
    assert_eq!(ids(&call(&app, &mara, "index_query", nobody).await), [] as [&str; 0]);
    call(&app, &mara, "vector_delete", json!({"id": "x"})).await;
    assert_eq!(ids(&call(&app, &mara, "vector_query", near(json!({"k": 1}))).await), ["z"]);
}

#[tokio::test]
async fn the_length_of_a_vector_is_of_no_account() {
    let app = TestApp::start().await;
    let mara = app.caller(BOTH).await;
    let long =
        |axis: usize, length: f64| -> Vec<f64> { (0..384).map(|at| if at == axis { length } else { 0.0 }).collect() };
    for (id, axis, length) in [("huge", 1, 1e30), ("tiny", 2, 1e-30)] {
        call(&app, &mara, "vector_upsert", json!({"id": id, "vector": long(axis, length)})).await;
    }
    for (wanted, axis, length) in [("huge", 1, 1e-30), ("tiny", 2, 1e30)] {
        let found = call(&app, &mara, "vector_query", json!({"vector": long(axis, length), "k": 1})).await;
        assert_eq!(ids(&found), [wanted]);
        assert!(found["results"][0]["score"].as_f64().unwrap() > 0.99, "{found}");
    }
}

#[tokio::test]
async fn words_and_a_vector_are_weighed_together() {
    let app = TestApp::start().await;
    let mara = app.caller(BOTH).await;
    call(&app, &mara, "index_put", json!({"id": "words", "text": "green pears", "vector": along(1, 5)})).await;
    call(&app, &mara, "index_put", json!({"id": "near", "text": "red plums", "vector": along(2, 5)})).await;
    call(&app, &mara, "index_put", json!({"id": "both", "text": "a pear", "vector": along(2, 6)})).await;
    let asked = json!({"query": "pears", "vector": along(2, 7)});
    assert_eq!(ids(&call(&app, &mara, "index_query", asked).await)[0], "both");
}

#[tokio::test]
async fn a_part_that_is_put_alone_leaves_the_others() {
    let app = TestApp::start().await;
    let mara = app.caller(BOTH).await;
    let first = json!({"id": "a", "text": "green pears", "metadata": {"lang": "en"}});
    call(&app, &mara, "index_put", first).await;
    call(&app, &mara, "vector_upsert", json!({"id": "a", "vector": along(3, 4)})).await;
    let by_words = call(&app, &mara, "index_query", json!({"query": "pear", "filter": {"lang": "en"}})).await;
    assert_eq!(by_words["results"][0]["text"], "green pears");
    assert_eq!(ids(&call(&app, &mara, "vector_query", json!({"vector": along(3, 4)})).await), ["a"]);
}

#[tokio::test]
async fn what_does_not_fit_is_refused_in_a_sentence() {
    let app = TestApp::start().await;
    let mara = app.caller(BOTH).await;
    call(&app, &mara, "index_put", json!({"id": "a", "vector": along(1, 2)})).await;
    for (tool, arguments) in [
        ("vector_upsert", json!({"id": "b", "vector": vec![0.0; 384]})),
        ("vector_upsert", json!({"id": "b"})),
        ("index_put", json!({"id": " ", "text": "x"})),
        ("index_query", json!({})),
    ] {
        let refused = app.data(&mara, tool, arguments.clone()).await.unwrap_err();
        assert_eq!(refused.kind(), Kind::Invalid, "{tool} {arguments}: {refused}");
    }
    let short = app.data(&mara, "vector_upsert", json!({"id": "b", "vector": [1.0, 2.0]})).await.unwrap_err();
    assert!(short.message().starts_with("The vector has 2 numbers; "), "{short}");
    let found = call(&app, &mara, "vector_query", json!({"vector": along(1, 2)})).await;
    assert_eq!(ids(&found), ["a"], "what was refused is not there");
}

#[tokio::test]
async fn reading_and_writing_are_two_permissions() {
    let app = TestApp::start().await;
    let (reader, writer) = (app.caller(&["index:read"]).await, app.caller(&["index:write"]).await);
    call(&app, &writer, "index_put", json!({"id": "a", "text": "pears"})).await;
    assert_eq!(ids(&call(&app, &reader, "index_query", json!({"query": "pear"})).await), ["a"]);
    for (caller, tool, arguments) in [
        (&reader, "index_put", json!({"id": "b", "text": "x"})),
        (&reader, "vector_delete", json!({"id": "a"})),
        (&writer, "search_query", json!({"query": "pear"})),
    ] {
        assert_eq!(app.data(caller, tool, arguments).await.unwrap_err().kind(), Kind::NotFound, "{tool}");
    }
}

#[tokio::test]
async fn entries_are_found_after_a_restart() {
    let app = TestApp::start().await;
    let mara = app.caller(BOTH).await;
    call(&app, &mara, "index_put", json!({"id": "a", "text": "pears", "vector": along(1, 2)})).await;
    let app = app.restart().await;
    app.satchel.app.search.indexes.settled().await.unwrap();
    assert_eq!(ids(&call(&app, &mara, "index_query", json!({"query": "pear"})).await), ["a"]);
    assert_eq!(ids(&call(&app, &mara, "vector_query", json!({"vector": along(1, 2)})).await), ["a"]);
}

#[tokio::test]
async fn the_indexes_are_shown_and_made_again_over_rest() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    let caller = server.app.caller(BOTH).await;
    call(&server.app, &caller, "index_put", json!({"id": "a", "text": "pears", "vector": along(1, 2)})).await;
    let list = async || {
        let answer = server.send(Request::get("/api/indexes").cookie(&cookie)).await;
        serde_json::from_slice::<Value>(&answer.body).unwrap()
    };
    let entries = list().await.as_array().unwrap().iter().find(|one| one["space"] == "entries").unwrap().clone();
    assert_eq!((&entries["entries"], &entries["text"]), (&json!(1), &json!({"state": "ready", "pending": 0})));
    assert_eq!((&entries["vectors"]["count"], &entries["vectors"]["kind"]), (&json!(1), &json!("exact")));
    let rebuild = |space: &str| Request::post(&format!("/api/indexes/{space}/rebuild"), &json!({})).cookie(&cookie);
    assert_eq!(server.send(rebuild("entries")).await.status, 202);
    assert_eq!(server.send(rebuild("tools")).await.status, 404);
    server.app.satchel.app.search.indexes.settled().await.unwrap();
    assert_eq!(ids(&call(&server.app, &caller, "index_query", json!({"query": "pear"})).await), ["a"]);
}
