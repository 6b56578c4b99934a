//! Memories: what is kept, found and merged, and who sees it.

use std::time::Duration;

use satchel::{
    model::{
        caller::Caller,
        error::Kind,
        memory::{Layer, NewMemory},
    },
    store::memory::{MOST, Memories},
};
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    http::{Request, TestServer},
};

async fn save(app: &TestApp, caller: &Caller, content: &str) -> Value {
    app.satchel.app.clock.advance(Duration::from_secs(1));
    app.data(caller, "save_memory", json!({"content": content})).await.unwrap()
}

async fn contents(app: &TestApp, caller: &Caller, tool: &str, arguments: Value) -> Vec<String> {
    let data = app.data(caller, tool, arguments).await.unwrap();
    let found = data.get("memories").or(data.get("results")).unwrap().as_array().unwrap();
    found.iter().map(|memory| memory["content"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn no_other_user_and_no_administrator_reads_a_memory() {
    let app = TestApp::start().await;
    let (mara, root) = (app.caller(&[]).await, app.caller(&["*"]).await);
    let key = save(&app, &mara, "The code word is heliotrope").await["key"].clone();
    for tool in ["recall_memories", "memory_search", "recall"] {
        assert!(contents(&app, &root, tool, json!({"query": "heliotrope code word"})).await.is_empty(), "{tool}");
    }
    assert!(contents(&app, &root, "recall_memories", json!({"query": "everything"})).await.is_empty());
    let error = app.data(&root, "memory_get", json!({"key": key})).await.unwrap_err();
    assert_eq!(error.kind(), Kind::NotFound);
    app.data(&mara, "memorize", json!({"facts": [{"heliotrope": 1}]})).await.unwrap_err();
    let parallel = json!([{"recipient_name": "save_memory", "parameters": {"content": "heliotrope again"}}]);
    app.data(&mara, "parallel", json!({"tool_uses": parallel})).await.unwrap();
    let audit = app.data(&root, "query_audit_log", json!({"limit": 100})).await.unwrap().to_string();
    assert!(audit.contains("save_memory") && !audit.contains("heliotrope"), "{audit}");
    assert_eq!(
        contents(&app, &mara, "recall_memories", json!({"query": "code word"})).await,
        ["The code word is heliotrope"]
    );
}

#[tokio::test]
async fn recall_gives_ten_at_most_and_the_newest_first() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    for n in 0..12 {
        save(&app, &mara, &format!("Invoice number {n} was paid late")).await;
    }
    save(&app, &mara, "Lives in Bern").await;
    let wanted: Vec<String> = (2..12).rev().map(|n| format!("Invoice number {n} was paid late")).collect();
    assert_eq!(contents(&app, &mara, "recall_memories", json!({"query": "late invoices"})).await, wanted);
    assert_eq!(
        contents(&app, &mara, "recall_memories", json!({"query": "what do you know about me?"})).await[0],
        "Lives in Bern"
    );
}

#[tokio::test]
async fn search_orders_by_similarity_and_keeps_to_limit_and_threshold() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    for content in ["Prefers tea", "Prefers green tea in the morning", "Drives a green car"] {
        save(&app, &mara, content).await;
    }
    let query = "green tea in the morning";
    let found = app.data(&mara, "memory_search", json!({"query": query})).await.unwrap();
    let scores: Vec<f64> = found["results"].as_array().unwrap().iter().map(|m| m["score"].as_f64().unwrap()).collect();
    assert_eq!(found["results"][0]["content"], json!("Prefers green tea in the morning"));
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores.iter().all(|s| (0.0..=1.0).contains(s)), "{scores:?}");
    assert_eq!(contents(&app, &mara, "memory_search", json!({"query": query, "limit": 1})).await.len(), 1);
    assert_eq!(contents(&app, &mara, "memory_search", json!({"query": query, "threshold": 0.7})).await.len(), 1);
    let half = app.data(&mara, "memory_search", json!({"query": query, "limit": 1.5})).await.unwrap_err();
    assert_eq!(half.message(), "'limit' must be a whole number from 1 to 100.");
}

#[tokio::test]
async fn the_same_said_again_renews_and_a_changed_number_does_not() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    let first = save(&app, &mara, "User prefers reports in CSV").await;
    let again = save(&app, &mara, "The user prefers reports in CSV.").await;
    assert_eq!((&again["merged"], &again["key"]), (&json!(true), &first["key"]));
    assert_ne!(again["updated_at"], first["updated_at"]);
    assert_eq!(save(&app, &mara, "The rent is 1200").await["merged"], json!(false));
    assert_eq!(save(&app, &mara, "The rent is 1300").await["merged"], json!(false));
    assert_eq!(
        contents(&app, &mara, "recall_memories", json!({"query": "rent"})).await,
        ["The rent is 1300", "The rent is 1200"]
    );
}

#[tokio::test]
async fn a_named_fact_is_replaced_by_its_name() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    for value in ["Bern", "Basel"] {
        app.data(&mara, "memorize", json!({"facts": [{"key": "home", "value": value}]})).await.unwrap();
    }
    let found = app.data(&mara, "memory_get", json!({"key": "home"})).await.unwrap();
    assert_eq!(found["content"], json!("home: Basel"));
    assert_eq!(contents(&app, &mara, "recall", json!({"query": "home"})).await, ["home: Basel"]);
}

#[tokio::test]
async fn two_memories_that_begin_alike_have_two_keys() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    let long = "The quarterly planning meeting of the sales department takes place";
    let first = save(&app, &mara, &format!("{long} in Bern")).await;
    let second = save(&app, &mara, &format!("{long} not in Basel")).await;
    assert_eq!(second["key"].as_str().unwrap(), format!("{}-2", first["key"].as_str().unwrap()));
}

#[tokio::test]
async fn what_cannot_be_remembered_is_said() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    for (tool, arguments, wanted) in [
        ("save_memory", json!({"content": " "}), "'content' is empty"),
        ("save_memory", json!({"content": "é".repeat(4_001)}), "at most 4000 characters, this one has 4001"),
        ("save_memory", json!({"content": "x", "category": "gossip"}), "'category'"),
        ("memorize", json!({}), "give 'gists' or 'facts'"),
        ("memorize", json!({"facts": ["good", ""]}), "'content' is empty"),
    ] {
        let error = app.data(&mara, tool, arguments).await.unwrap_err();
        assert!(error.kind() == Kind::Invalid && error.message().contains(wanted), "{error}");
    }
    assert!(contents(&app, &mara, "recall", json!({"query": "everything"})).await.is_empty(), "all or nothing");
}

#[tokio::test]
async fn old_gists_make_room_and_facts_do_not() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    let memories = Memories::of(&app.satchel.app.db, mara.user);
    let now = app.satchel.app.clock.now();
    let new = |n: i64, layer: Layer| NewMemory::new(&format!("n{n}"), layer).unwrap();
    let mut all = vec![new(0, Layer::Gist)];
    all.extend((1..MOST).map(|n| new(n, Layer::Fact)));
    memories.save(all, None, now).await.unwrap();
    save(&app, &mara, "One more fact").await;
    assert_eq!(memories.get("n0").await.unwrap_err().kind(), Kind::NotFound);
    let error = app.data(&mara, "save_memory", json!({"content": "And another"})).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Conflict, "{error}");
    assert_eq!(memories.recent(vec![], usize::MAX).await.unwrap().len() as i64, MOST);
}

#[tokio::test]
async fn a_turn_is_given_what_bears_on_it_and_the_latest_preferences() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    app.data(&mara, "save_memory", json!({"content": "Prefers short answers", "category": "preference"}))
        .await
        .unwrap();
    for content in ["The sales report goes to Anna", "Has a dog called Bruno", "Lives in Bern"] {
        save(&app, &mara, content).await;
    }
    let memories = Memories::of(&app.satchel.app.db, mara.user);
    let text = "Good morning! Could you draft the sales report for last week and tell me who it goes to?";
    let relevant = memories.relevant(text, 5).await.unwrap();
    let contents: Vec<&str> = relevant.iter().map(|m| m.content.as_str()).collect();
    assert_eq!(contents, ["The sales report goes to Anna", "Prefers short answers"]);
    assert!(memories.relevant(text, 1).await.unwrap().len() == 1);
}

#[tokio::test]
async fn search_words_are_no_query_language() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    save(&app, &mara, "Uses C++ and \"quotes\" AND *stars*").await;
    for query in
        ["\"", "AND OR NOT", "owner:x OR words:*", "NEAR(a b)", "c++ \"quotes\"", "'; DROP TABLE memories", "("]
    {
        app.data(&mara, "recall_memories", json!({"query": query})).await.unwrap();
    }
    assert_eq!(contents(&app, &mara, "recall", json!({"query": "quotes"})).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_keeps_finds_changes_and_forgets() {
    let server = TestServer::start().await;
    let owner = server.sign_in("owner").await;
    let send = async |request: Request| server.send(request.cookie(&owner)).await;
    let new = json!({"content": "Prefers tea", "category": "preference", "key": "drink"});
    let made = send(Request::post("/api/memories", &new)).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let made = made.json();
    let wanted = json!({"content": "Prefers tea", "category": "preference", "key": "drink", "layer": "fact"});
    for (key, value) in wanted.as_object().unwrap() {
        assert_eq!(&made[key], value);
    }
    send(Request::post("/api/memories", &json!({"content": "Lives in Bern"}))).await;
    let list = async |path: &str| {
        let found = send(Request::get(path)).await.json();
        found.as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(list("/api/memories").await, ["Lives in Bern", "Prefers tea"]);
    assert_eq!(list("/api/memories?q=tea").await, ["Prefers tea"]);
    let one = format!("/api/memories/{}", made["id"].as_str().unwrap());
    let change = json!({"content": "Prefers coffee", "layer": "gist"});
    let changed = send(Request::new("PATCH", &one).json(&change)).await.json();
    let told = [&changed["content"], &changed["layer"], &changed["key"]];
    assert_eq!(told, [&json!("Prefers coffee"), &json!("gist"), &json!("drink")]);
    assert_eq!(list("/api/memories?q=tea").await, Vec::<String>::new(), "the search follows");
    for wrong in [json!({"content": " "}), json!({"layer": "rumour"}), json!({"colour": 1}), json!({"key": "a\nb"})] {
        assert_eq!(send(Request::new("PATCH", &one).json(&wrong)).await.status, 400, "{wrong}");
    }
    let taken = json!({"key": "lives-in-bern"});
    assert_eq!(send(Request::new("PATCH", &one).json(&taken)).await.status, 409);
    assert_eq!(send(Request::new("DELETE", &one)).await.status, 204);
    assert_eq!(send(Request::new("DELETE", &one)).await.status, 404);
    assert_eq!(list("/api/memories").await, ["Lives in Bern"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_of_another_shows_and_changes_nothing() {
    let server = TestServer::start().await;
    server.add("mara", "viewer").await;
    let (owner, mara) = (server.sign_in("owner").await, server.sign_in("mara").await);
    let made =
        server.send(Request::post("/api/memories", &json!({"content": "heliotrope"})).cookie(&mara)).await.json();
    let one = format!("/api/memories/{}", made["id"].as_str().unwrap());
    let send = async |request: Request| server.send(request.cookie(&owner)).await;
    assert_eq!(send(Request::get("/api/memories?q=heliotrope")).await.json(), json!([]));
    assert_eq!(send(Request::get("/api/memories")).await.json(), json!([]));
    assert_eq!(send(Request::new("PATCH", &one).json(&json!({"content": "mine"}))).await.status, 404);
    assert_eq!(send(Request::new("DELETE", &one)).await.status, 404);
    let audit = send(Request::get("/api/audit?limit=100")).await.text();
    assert!(!audit.contains("heliotrope"), "{audit}");
    let own = server.send(Request::get("/api/memories").cookie(&mara)).await.json();
    assert_eq!(own[0]["content"], json!("heliotrope"));
}
