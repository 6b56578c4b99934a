//! Lists: what each action does, what is written down, and who sees it.

use satchel::model::{caller::Caller, error::Kind};
use serde_json::{Value, json};

use crate::support::app::TestApp;

async fn list(app: &TestApp, caller: &Caller, arguments: Value) -> Value {
    app.data(caller, "list", arguments.clone()).await.unwrap_or_else(|e| panic!("{arguments}: {e}"))
}

async fn refusal(app: &TestApp, caller: &Caller, arguments: Value) -> String {
    app.data(caller, "list", arguments).await.unwrap_err().message().to_owned()
}

fn open(texts: &[&str]) -> Value {
    texts.iter().map(|text| json!({"text": text, "done": false})).collect()
}

#[tokio::test]
async fn a_list_goes_through_its_life_and_its_history_tells() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    let made =
        list(&app, &mara, json!({"action": "create", "list": "Trip", "items": ["passport", "Passport ", "tickets"]}))
            .await;
    assert_eq!(made["items"], open(&["passport", "tickets"]));
    list(&app, &mara, json!({"action": "add", "list": "trip", "item": "socks"})).await;
    let checked = list(&app, &mara, json!({"action": "check", "list": "trip", "items": ["pass", "socks"]})).await;
    assert_eq!((&checked["open"], &checked["done"]), (&json!(1), &json!(2)));
    let again = list(&app, &mara, json!({"action": "check", "list": "trip", "item": "socks"})).await;
    assert_eq!(again["message"], json!("check: nothing to do, it is so already."));
    list(&app, &mara, json!({"action": "uncheck", "list": "trip", "item": "socks"})).await;
    list(&app, &mara, json!({"action": "remove", "list": "trip", "items": ["socks", "passport"]})).await;
    list(&app, &mara, json!({"action": "rename", "list": "trip", "new_name": "Lisbon"})).await;
    assert_eq!(list(&app, &mara, json!({"action": "view", "list": "lisbon"})).await["items"], open(&["tickets"]));
    list(&app, &mara, json!({"action": "clear", "list": "lisbon"})).await;
    list(&app, &mara, json!({"action": "delete", "list": "lisbon"})).await;
    assert_eq!(list(&app, &mara, json!({"action": "list_all"})).await["lists"], json!([]));
    let history = list(&app, &mara, json!({"action": "history", "list": "lisbon"})).await;
    let told: Vec<&str> = history["events"].as_array().unwrap().iter().map(|e| e["action"].as_str().unwrap()).collect();
    assert_eq!(told, ["delete", "clear", "rename to Lisbon", "remove", "uncheck", "check", "add", "create"]);
    assert_eq!(history["events"][1]["items"], open(&["tickets"]), "what was cleared can be read again");
}

#[tokio::test]
async fn adding_a_done_item_opens_it_and_an_open_one_stays_single() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    list(&app, &mara, json!({"action": "add", "list": "shopping", "items": ["milk", "eggs"]})).await;
    list(&app, &mara, json!({"action": "check", "list": "shopping", "item": "milk"})).await;
    let added = list(&app, &mara, json!({"action": "add", "list": "shopping", "items": ["Milk", "eggs"]})).await;
    assert_eq!((&added["items"], &added["message"]), (&open(&["milk", "eggs"]), &json!("add: milk.")));
}

#[tokio::test]
async fn a_mistake_is_named_and_changes_nothing() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    list(&app, &mara, json!({"action": "add", "list": "shopping", "items": ["red wine", "white wine"]})).await;
    for (arguments, wanted) in [
        (
            json!({"action": "check", "list": "shopping", "item": "wine"}),
            "'wine' fits several items: it has red wine, white wine. Nothing was changed.",
        ),
        (
            json!({"action": "remove", "list": "shopping", "items": ["red wine", "beer"]}),
            "'beer' is not on the list: it has red wine, white wine. Nothing was changed.",
        ),
        (json!({"action": "view", "list": "shoping"}), "There is no list 'shoping'. There are: shopping."),
        (json!({"action": "create", "list": "SHOPPING"}), "There is a list 'shopping' already: add to it."),
        (json!({"action": "add", "list": "shopping"}), "'item' is missing: add needs it."),
        (json!({"action": "rename", "list": "shopping"}), "'new_name' is missing: rename needs it."),
        (json!({"action": "clear"}), "'list' is missing: clear needs it."),
        (json!({"action": "add", "list": "shopping", "item": "a\nb"}), "An item is 1 to 500 characters on one line."),
        (json!({"action": "add", "list": " ", "item": "a"}), "The name of a list is 1 to 100 characters on one line."),
    ] {
        assert_eq!(refusal(&app, &mara, arguments).await, wanted);
    }
    assert_eq!(
        list(&app, &mara, json!({"action": "view", "list": "shopping"})).await["items"],
        open(&["red wine", "white wine"])
    );
}

#[tokio::test]
async fn lists_are_their_owners_alone() {
    let app = TestApp::start().await;
    let (mara, root) = (app.caller(&[]).await, app.caller(&["*"]).await);
    list(&app, &mara, json!({"action": "add", "list": "gifts", "item": "ring"})).await;
    assert_eq!(list(&app, &root, json!({"action": "list_all"})).await["lists"], json!([]));
    assert_eq!(list(&app, &root, json!({"action": "history"})).await["events"], json!([]));
    let error = app.data(&root, "list", json!({"action": "delete", "list": "gifts"})).await.unwrap_err();
    assert_eq!(error.kind(), Kind::NotFound);
    list(&app, &root, json!({"action": "add", "list": "gifts", "item": "book"})).await;
    assert_eq!(list(&app, &mara, json!({"action": "view", "list": "gifts"})).await["items"], open(&["ring"]));
}

#[tokio::test]
async fn a_list_has_room_for_a_thousand_items() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    for hundred in 0..10 {
        let items: Vec<String> = (0..100).map(|n| format!("item {hundred}-{n}")).collect();
        list(&app, &mara, json!({"action": "add", "list": "long", "items": items})).await;
    }
    let told = refusal(&app, &mara, json!({"action": "add", "list": "long", "item": "one more"})).await;
    assert!(told.contains("at most 1000 items"), "{told}");
    assert_eq!(list(&app, &mara, json!({"action": "view", "list": "long"})).await["open"], json!(1_000));
}
