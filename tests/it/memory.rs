//! Memories: what is kept, found and merged, and who sees it.

mod chat;
mod page;

use std::time::Duration;

use satchel::{
    model::{
        caller::Caller,
        error::Kind,
        memory::{Layer, MemoryChange, NewMemory},
    },
    services::remembering::Remembering,
    store::memory::Reach,
};
use serde_json::{Value, json};

use crate::support::app::TestApp;

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
    let item = json!({"action": "add", "list": "words", "item": "heliotrope", "items": ["heliotrope too"]});
    app.data(&mara, "list", item).await.unwrap();
    app.data(&mara, "clipboard_write", json!({"text": "heliotrope"})).await.unwrap();
    let audit = app.data(&root, "query_audit_log", json!({"limit": 100})).await.unwrap().to_string();
    assert!(audit.contains("clipboard_write") && audit.contains("builtin:list"), "{audit}");
    assert!(audit.contains("save_memory") && !audit.contains("heliotrope"), "{audit}");
    assert_eq!(
        contents(&app, &mara, "recall_memories", json!({"query": "code word"})).await,
        ["The code word is heliotrope"]
    );
}

#[tokio::test]
async fn reflect_counts_all_that_is_remembered_and_names_a_few() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    let words = [
        "Ana keeps bees",
        "The rent falls due on Friday",
        "Pasta needs salt",
        "Berlin trip in July",
        "Piano lesson on Monday",
        "Dentist wants a deposit",
        "Passport expires next spring",
        "Garden gate squeaks",
        "Laptop battery is weak",
        "Tea over coffee",
        "Chess club meets downtown",
        "Umbrella was lost",
    ];
    for content in words {
        save(&app, &mara, content).await;
    }
    let data = app.data(&mara, "reflect", json!({})).await.unwrap();
    assert_eq!((&data["learned_total"], &data["episodes_total"]), (&json!(12), &json!(0)));
    assert_eq!(data["learned"].as_array().unwrap().len(), 8);
    assert!(data["synthesis"].as_str().unwrap().contains("12 things remembered"), "{data}");
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
async fn the_same_said_again_renews_and_a_changed_value_takes_the_old_ones_place() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    let first = save(&app, &mara, "User prefers reports in CSV").await;
    let again = save(&app, &mara, "The user prefers reports in CSV.").await;
    assert_eq!((&again["merged"], &again["key"]), (&json!(true), &first["key"]));
    assert_ne!(again["updated_at"], first["updated_at"]);
    save(&app, &mara, "The rent is 1200").await;
    let changed = save(&app, &mara, "The rent is 1300").await;
    let told = (&changed["merged"], &changed["replaced"], &changed["key"]);
    assert_eq!(told, (&json!(false), &json!("The rent is 1200"), &json!("the-rent-is-1300")));
    assert_eq!(contents(&app, &mara, "recall_memories", json!({"query": "rent"})).await, ["The rent is 1300"]);
    let whole = app.data(&mara, "memory_get", json!({"key": "the-rent-is-1200"})).await.unwrap();
    assert_eq!(whole["history"][0]["content"], json!("The rent is 1200"));
    let merged = app.data(&mara, "memory_get", json!({"key": first["key"]})).await.unwrap();
    assert_eq!(merged["merged_from"][0]["content"], json!("User prefers reports in CSV"));
}

#[tokio::test]
async fn what_is_said_of_one_layer_is_not_merged_into_another() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    let both = json!({"gists": ["Planned the trip to Lisbon"], "facts": ["Planned the trip to Lisbon"]});
    let saved = app.data(&mara, "memorize", both).await.unwrap();
    let layers: Vec<&str> =
        saved["memories"].as_array().unwrap().iter().map(|m| m["layer"].as_str().unwrap()).collect();
    assert_eq!(layers, ["gist", "fact"]);
    app.data(&mara, "memorize", json!({"facts": [{"key": "trip", "value": "Lisbon"}]})).await.unwrap();
    let gist = json!({"content": "Lisbon was lovely", "layer": "gist", "key": "trip"});
    let error = app.data(&mara, "save_memory", gist).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Conflict, "{error}");
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
async fn a_full_layer_lets_its_weakest_go_and_says_so() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    let own = app.satchel.app.stores.memories.own(mara.user);
    let clock = &app.satchel.app.clock;
    let most = Layer::Gist.most();
    let all = (0..most).map(|n| NewMemory::new(&format!("n{n}"), Layer::Gist).unwrap()).collect();
    own.save(all, None, clock.now()).await.unwrap();
    clock.advance(Duration::from_secs(9 * 86_400));
    app.data(&mara, "memory_get", json!({"key": "n0"})).await.unwrap();
    let saved = app.data(&mara, "memorize", json!({"gists": ["one more"]})).await.unwrap();
    assert_eq!(saved["memories"][0]["forgotten"], json!([{"key": "n1", "layer": "gist", "content": "n1"}]));
    assert_eq!(own.get("n1", clock.now()).await.unwrap_err().kind(), Kind::NotFound);
    assert_eq!(own.recent(vec![Layer::Gist], usize::MAX, clock.now()).await.unwrap().len(), most);
    let fact = app.data(&mara, "save_memory", json!({"content": "A fact has its own room"})).await.unwrap();
    assert_eq!(fact.get("forgotten"), None);
}

#[tokio::test]
async fn a_memory_fades_with_age_and_firms_up_when_it_is_called_back() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    app.data(&mara, "memorize", json!({"gists": ["Talked about Lisbon"]})).await.unwrap();
    let own = app.satchel.app.stores.memories.own(mara.user);
    let clock = &app.satchel.app.clock;
    let held = async || {
        let memory = own.get("talked-about-lisbon", clock.now()).await.unwrap();
        (memory.strength, memory.recalls)
    };
    assert_eq!(held().await, (1.0, 0));
    clock.advance(Duration::from_secs(30 * 86_400));
    assert_eq!(held().await, (0.9, 0));
    contents(&app, &mara, "recall", json!({"query": "Lisbon"})).await;
    assert_eq!(held().await, (1.0, 1));
    clock.advance(Duration::from_secs(60 * 86_400));
    assert_eq!(held().await.0, 0.9);
}

#[tokio::test]
async fn a_paraphrase_is_found_by_its_meaning_and_merged_into_what_it_repeats() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    assert!(app.satchel.app.search.embedder.model().is_some(), "no model of meaning is built in: run `make model`");
    for content in ["Allergic to peanuts", "Drives an old car", "Her sister lives in Porto"] {
        save(&app, &mara, content).await;
    }
    let found = contents(&app, &mara, "memory_search", json!({"query": "food allergies", "limit": 1}));
    assert_eq!(found.await, ["Allergic to peanuts"]);
    let again = save(&app, &mara, "Has an allergy to peanuts").await;
    assert_eq!((&again["merged"], &again["key"]), (&json!(true), &json!("allergic-to-peanuts")));
    let other = save(&app, &mara, "Allergic to cashews").await;
    assert_eq!(other["merged"], json!(false));
    let deaf = json!({"query": "food allergies", "threshold": 0.95});
    assert!(contents(&app, &mara, "memory_search", deaf).await.is_empty());
}

#[tokio::test]
async fn what_is_edited_is_found_by_what_it_means_now_and_what_is_deleted_leaves_nothing() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    let memory = Remembering::new(&app.satchel.app, mara.user);
    let key = save(&app, &mara, "The rent is 1200 euros").await["key"].as_str().unwrap().to_owned();
    save(&app, &mara, "The rent is 1300 euros").await;
    let id = memory.get(&key).await.unwrap().id;
    let change = MemoryChange { content: Some("Enjoys climbing mountains".to_owned()), ..MemoryChange::default() };
    memory.update(id, change).await.unwrap();
    let model = app.satchel.app.search.embedder.model().map(|model| model.id);
    if let Some(model) = &model {
        assert_eq!(
            contents(&app, &mara, "recall", json!({"query": "hiking in the Alps"})).await,
            ["Enjoys climbing mountains"]
        );
        let own = app.satchel.app.stores.memories.own(mara.user);
        assert!(own.unread(model.clone(), 10).await.unwrap().is_empty());
    }
    memory.delete(id).await.unwrap();
    let left = app.satchel.app.db.read(|tx| {
        let count = |table: &str| tx.one::<i64>(&format!("SELECT count(*) FROM {table}"), ());
        Ok((count("memories")?, count("memory_vectors")?, count("memory_versions")?))
    });
    assert_eq!(left.await.unwrap(), (0, 0, 0));
    assert_eq!(memory.get(&key).await.unwrap_err().kind(), Kind::NotFound);
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
    let memories = Remembering::new(&app.satchel.app, mara.user);
    let text = "Good morning! Could you draft the sales report for last week and tell me who it goes to?";
    let relevant = memories.relevant(text, 5, Reach::Own).await.unwrap();
    let contents: Vec<&str> = relevant.iter().map(|m| m.content.as_str()).collect();
    assert_eq!(contents, ["The sales report goes to Anna", "Prefers short answers"]);
    assert!(memories.relevant(text, 1, Reach::Own).await.unwrap().len() == 1);
}

#[tokio::test]
async fn a_turn_is_given_few_of_the_conversations_that_were_like_it() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    let memories = Remembering::new(&app.satchel.app, mara.user);
    for outcome in ["Anna got it", "the printer was empty", "the numbers were late", "nobody read it"] {
        let episode = format!("Asked: who gets the sales report. Outcome: {outcome}.");
        memories.save(vec![NewMemory::new(&episode, Layer::Episode).unwrap()], None).await.unwrap();
    }
    save(&app, &mara, "The sales report goes to Anna").await;
    let relevant = memories.relevant("Who gets the sales report?", 8, Reach::Own).await.unwrap();
    let layers: Vec<Layer> = relevant.iter().map(|m| m.layer).collect();
    assert_eq!(layers.iter().filter(|layer| **layer == Layer::Episode).count(), 2, "{relevant:?}");
    assert!(layers.contains(&Layer::Fact), "{relevant:?}");
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
