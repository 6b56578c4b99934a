//! Documents in a conversation: passages given and found, citations, what counts as content from outside.

use serde_json::{Value, json};

use crate::support::{
    chat::{Chat, find, names, results},
    fake_llm::{call, say},
};

const ACH: &str =
    "A failed ACH transfer is retried once after two business days. After the second failure the customer is called.";

#[tokio::test(flavor = "multi_thread")]
async fn what_was_searched_is_cited_by_number() {
    let chat = Chat::start(vec![
        call("search_knowledge", json!({"query": "procedure for a failed transfer"})),
        say("It is retried once after two business days [1]. Nothing says [9]."),
    ])
    .await;
    chat.set(json!({"knowledge": {"in_chat": false}})).await;
    let id = chat.owner.add_text("Payments", ACH).await;
    let (conversation, events) = chat.owner.turn("What happens after a failed ACH transfer?").await;
    let told = &results(&chat.llm.body(1))[0];
    assert!(told.contains("[1] Payments") && told.contains("two business days"), "{told}");
    let cited = &find(&events, "citations").data["citations"];
    assert_eq!(cited.as_array().unwrap().len(), 1);
    let view = chat.owner.view(&conversation).await;
    let message = view["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(&message["citations"], cited);
    let one = &cited[0];
    assert_eq!((&one["number"], &one["document_id"], &one["title"]), (&json!(1), &json!(id), &json!("Payments")));
    assert_eq!(one["text"], ACH);
    assert_eq!(view["tainted"], false, "one's own text is not from outside");
    chat.owner.do_it("DELETE", &format!("/api/knowledge/documents/{id}"), Value::Null).await;
    let view = chat.owner.view(&conversation).await;
    assert_eq!(
        view["messages"].as_array().unwrap().last().unwrap()["citations"][0]["text"],
        "",
        "what was deleted is gone"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_given_what_bears_on_its_question_and_nothing_else() {
    let chat =
        Chat::start(vec![say("After two business days [1]."), say("Blue, I think."), say("I do not know.")]).await;
    chat.owner.add_text("Payments", ACH).await;
    let (conversation, events) = chat.owner.turn("When is a failed ACH transfer retried?").await;
    let system = chat.llm.body(0)["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(system.contains("[KNOWLEDGE]\n[1] Payments\nA failed ACH transfer"), "{system}");
    assert!(find(&events, "context").data["knowledge"].as_u64().unwrap() > 10);
    assert_eq!(find(&events, "knowledge").data["passages"][0]["number"], 1);
    assert_eq!(find(&events, "citations").data["citations"][0]["title"], "Payments");
    let events = chat.owner.say(&conversation, "What is your favourite colour?").await.rest().await;
    assert!(!names(&events).contains(&"knowledge"), "{:?}", names(&events));
    assert_eq!(find(&events, "context").data["knowledge"], 0);
    let stranger = chat.person(&["audit:read"]).await;
    let (_, events) = stranger.turn("When is a failed ACH transfer retried?").await;
    assert!(!names(&events).contains(&"knowledge"), "only who may read knowledge is given any");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_else_wrote_is_from_outside() {
    let chat = Chat::start(vec![say("After two business days [1].")]).await;
    chat.owner.add_text("Payments", ACH).await;
    let reader = chat.person(&["knowledge:read"]).await;
    let (conversation, _) = reader.turn("When is a failed ACH transfer retried?").await;
    let view = reader.view(&conversation).await;
    assert_eq!((&view["tainted"], &view["tainted_by"]), (&json!(true), &json!("document: Payments")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_keeps_its_citations_and_numbers_go_on() {
    let chat = Chat::start(vec![say("Two days [1]."), say("The reeds [2].")]).await;
    chat.owner.add_text("Payments", ACH).await;
    chat.owner.add_text("Bitterns", "The bittern hides in the reeds and booms at night.").await;
    let (conversation, _) = chat.owner.turn("When is a failed ACH transfer retried?").await;
    let events = chat.owner.say(&conversation, "Where does the bittern hide at night?").await.rest().await;
    assert_eq!(find(&events, "citations").data["citations"][0]["number"], 2);
    let last = chat.owner.view(&conversation).await["messages"].as_array().unwrap().last().unwrap()["id"].clone();
    let branch = chat.owner.do_it("POST", &format!("{conversation}/branch"), json!({"message_id": last})).await;
    let copy = chat.owner.view(&format!("/api/conversations/{}", branch["id"].as_str().unwrap())).await;
    let titles: Vec<&Value> =
        copy["messages"].as_array().unwrap().iter().map(|m| &m["citations"][0]["title"]).collect();
    assert_eq!(titles, [&Value::Null, &json!("Payments"), &Value::Null, &json!("Bitterns")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_handled_by_a_tool() {
    let chat = Chat::start(Vec::new()).await;
    let app = &chat.app;
    let id = chat.owner.add_text("Payments", ACH).await;
    let (root, reader) = (app.owner().await.caller, app.caller(&["knowledge:read"]).await);
    let found = app.data(&reader, "document", json!({"action": "search", "query": "failed transfer"})).await.unwrap();
    assert_eq!(found["documents"][0]["document_id"], json!(id));
    let listed = app.data(&reader, "document", json!({"action": "list"})).await.unwrap();
    assert_eq!((&listed["count"], &listed["documents"][0]["title"]), (&json!(1), &json!("Payments")));
    let second = chat.owner.add_text("Bitterns", "The bittern hides in the reeds and booms at night.").await;
    let mut pages = Vec::new();
    for offset in 0..3 {
        let one = json!({"action": "list", "limit": 1, "offset": offset});
        let page = app.data(&reader, "document", one).await.unwrap();
        pages.push(json!([page["documents"][0]["document_id"], page["total"], page["next_offset"]]));
    }
    assert_eq!(pages, [json!([second, 2, 1]), json!([id, 2, null]), json!([null, 2, null])]);
    let past = json!({"action": "search", "query": "failed transfer", "offset": 2});
    assert_eq!(app.data(&reader, "document", past).await.unwrap()["documents"], json!([]));
    chat.owner.do_it("DELETE", &format!("/api/knowledge/documents/{second}?forever=true"), Value::Null).await;
    let viewed = app.data(&reader, "document", json!({"action": "view", "document_id": id})).await.unwrap();
    assert_eq!((&viewed["text"], &viewed["next_offset"]), (&json!(ACH), &Value::Null));
    let status = app.data(&reader, "get_platform_status", json!({})).await.unwrap();
    assert_eq!(status["documents"], 1);
    let delete = json!({"action": "delete", "document_id": id});
    let Ok(satchel::model::call::Outcome::Confirm(_)) = app.call(&root, "document", delete).await else {
        panic!("deleting must ask whoever asks");
    };
    chat.owner.do_it("DELETE", &format!("/api/knowledge/documents/{id}"), Value::Null).await;
    let trash = app.data(&reader, "document", json!({"action": "list", "status": "deleted"})).await.unwrap();
    assert_eq!(trash["count"], 1);
    assert!(app.data(&reader, "document", json!({"action": "restore", "document_id": id})).await.is_err());
    let restored = app.data(&root, "document", json!({"action": "restore", "document_id": id})).await.unwrap();
    assert_eq!(restored["document"]["status"], "queued");
}
