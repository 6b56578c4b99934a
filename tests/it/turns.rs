//! Turns that wait, are taken over, or cost too much room: over HTTP, with the real tools.

mod former;
mod large;
mod paged;
mod questions;
mod queued;
mod restarted;
mod titles;

use serde_json::{Value, json};

use super::support::{
    chat::{Chat, Event, Person, find, results, text},
    fake_llm::{Reply, call, refuse, say},
};

fn write(path: &str) -> Value {
    json!({"path": path, "content": "x"})
}

async fn writer(chat: &Chat) -> Person {
    chat.person(&["host:fs.write", "host:fs.read"]).await
}

/// The events of the rest of a parked turn.
async fn go_on(person: &Person, conversation: &str, parked: &[Event]) -> Vec<Event> {
    person.follow(conversation, Some(&parked.last().unwrap().id)).await.rest().await
}

#[tokio::test]
async fn a_long_result_is_cut_and_its_rest_is_read_by_handle() {
    let rows: Vec<Value> = (0..400).map(|n| json!({"name": format!("row {n}"), "n": n})).collect();
    let chat = Chat::start(vec![
        call(
            "transform_data",
            json!({"data": Value::from(rows).to_string(), "action": "sort", "field": "n", "order": "desc"}),
        ),
        say("It is long."),
    ])
    .await;
    let (conversation, _) = chat.owner.turn("Sort them.").await;
    let read = results(&chat.llm.body(1)).remove(0);
    assert!(read.chars().count() < 3_400, "{}", read.len());
    let handle = read.split('\'').nth(1).unwrap().to_owned();
    assert!(handle.starts_with("result:"), "{read}");
    chat.llm.then(vec![call("grep_result", json!({"data": handle, "pattern": "row 3\\b"})), say("There it is.")]);
    let events = chat.owner.say(&conversation, "Where is row 3?").await.rest().await;
    let found = &find(&events, "tool_end").data["output"]["data"];
    assert_eq!(*found, json!({"count": 1, "matches": ["    name: row 3"]}));
    chat.llm.then(vec![call("grep_result", json!({"data": handle, "pattern": "row 3\\b"})), say("Gone.")]);
    let (_, events) = chat.owner.turn("And from another conversation?").await;
    assert_eq!(find(&events, "tool_end").data["success"], false);
}

#[tokio::test]
async fn a_conversation_that_no_longer_fits_is_shortened_by_the_model() {
    let long = "word ".repeat(1_500);
    let chat = Chat::start(vec![say("One."), say("Two."), say("They counted."), say("Three.")]).await;
    chat.set(json!({"chat": {"context_tokens": 7_000, "exposure": "selected", "selected": ["calculator"]}})).await;
    let conversation = chat.owner.conversation().await;
    for _ in 0..3 {
        chat.owner.say(&conversation, &long).await.rest().await;
    }
    let summary = chat.llm.body(2);
    assert!(summary["messages"][0]["content"].as_str().unwrap().starts_with("You shorten conversations"));
    assert!(summary.get("tools").is_none());
    let asked = chat.llm.body(3);
    assert!(asked["messages"][0]["content"].as_str().unwrap().ends_with("[EARLIER]\nThey counted.\n[/EARLIER]"));
    assert_eq!(asked["messages"].as_array().unwrap().len(), 2);
    assert_eq!(chat.owner.view(&conversation).await["messages"].as_array().unwrap().len(), 6);
}

#[tokio::test]
async fn where_shortening_fails_the_past_is_cut_with_a_note() {
    let long = "word ".repeat(1_500);
    let refused = vec![refuse(400)];
    let chat = Chat::start([vec![say("One."), say("Two.")], refused, vec![say("Three.")]].concat()).await;
    chat.set(json!({"chat": {"context_tokens": 7_000, "exposure": "selected", "selected": ["calculator"]}})).await;
    let conversation = chat.owner.conversation().await;
    for _ in 0..3 {
        chat.owner.say(&conversation, &long).await.rest().await;
    }
    let system = chat.llm.body(3)["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(system.contains("earlier messages were left out to make room"), "{system}");
    let (status, problem) =
        chat.owner.ask("POST", &format!("{conversation}/messages"), json!({"content": "x".repeat(200_001)})).await;
    assert_eq!(status, 400, "{problem}");
    let events = chat.owner.say(&conversation, &"y".repeat(100_000)).await.rest().await;
    assert_eq!(find(&events, "error").data["kind"], "exhausted");
}

#[tokio::test]
async fn what_the_model_found_stays_for_the_conversation() {
    let chat = Chat::start(vec![
        call("find_tools", json!({"query": "filter rows of a table"})),
        say("Found."),
        say("Still there."),
        say("Not here."),
    ])
    .await;
    chat.set(json!({"chat": {"exposure": "discover"}})).await;
    let shown = |number: usize| -> Vec<String> {
        let body = chat.llm.body(number);
        body["tools"].as_array().unwrap().iter().map(|t| t["function"]["name"].as_str().unwrap().to_owned()).collect()
    };
    let (conversation, _) = chat.owner.turn("Filter.").await;
    chat.owner.say(&conversation, "Again.").await.rest().await;
    chat.owner.turn("Elsewhere.").await;
    let has = |number| shown(number).contains(&"filter_rows".to_owned());
    assert_eq!([has(0), has(1), has(2), has(3)], [false, true, true, false]);
    assert!(shown(3).contains(&"find_tools".to_owned()));
}

#[tokio::test]
async fn the_kill_switch_hides_and_stops_every_tool() {
    let chat = Chat::start(vec![call("calculator", json!({"expression": "1"})), say("None.")]).await;
    chat.set(json!({"tools_enabled": false})).await;
    chat.owner.turn("1?").await;
    assert!(chat.llm.body(0).get("tools").is_none());
    assert!(results(&chat.llm.body(1))[0].contains("Tools are disabled."));
}

#[tokio::test]
async fn conversations_are_renamed_filed_found_branched_repeated_exported_and_deleted() {
    let chat = Chat::start(vec![say("Blue."), say("Red."), say("Green.")]).await;
    let (conversation, _) = chat.owner.turn("Which colour?").await;
    let changed = chat.owner.do_it("PATCH", &conversation, json!({"title": "Colours", "folder": "Art"})).await;
    assert_eq!((&changed["title"], &changed["folder"]), (&json!("Colours"), &json!("Art")));
    assert_eq!(chat.owner.do_it("PATCH", &conversation, json!({"folder": null})).await["folder"], Value::Null);
    for (search, hits) in [("colour", 1), ("Blue", 1), ("100%", 0), ("_", 0)] {
        let found = chat.owner.do_it("GET", &format!("/api/conversations?search={search}"), Value::Null).await;
        assert_eq!(found.as_array().unwrap().len(), hits, "{search}");
        let snippet = found[0]["snippet"].as_str();
        assert_eq!(
            snippet,
            [("colour", "Which colour?"), ("Blue", "Blue.")].iter().find(|(s, _)| *s == search).map(|(_, l)| *l)
        );
    }
    let events = chat.owner.post(&format!("{conversation}/regenerate"), Value::Null).await.rest().await;
    assert_eq!(text(&events), "Red.");
    let messages = chat.owner.view(&conversation).await["messages"].clone();
    assert_eq!((messages.as_array().unwrap().len(), &messages[1]["text"]), (2, &json!("Red.")));
    let path = format!("{conversation}/branch");
    let branch = chat.owner.do_it("POST", &path, json!({"message_id": messages[0]["id"]})).await;
    let branch = format!("/api/conversations/{}", branch["id"].as_str().unwrap());
    assert_eq!(chat.owner.view(&branch).await["messages"].as_array().unwrap().len(), 1);
    let of = chat.owner.do_it("GET", &format!("{branch}/branches"), Value::Null).await;
    let back = chat.owner.do_it("GET", &format!("{conversation}/branches"), Value::Null).await;
    assert_eq!((&of[0]["title"], &of[0]["shared"]), (&json!("Colours"), &json!(1)));
    assert_eq!((&back[0]["title"], back.as_array().unwrap().len()), (&json!("Branch of Colours"), 1));
    let first = chat.owner.view(&branch).await["messages"][0]["id"].clone();
    let again = chat.owner.do_it("POST", &format!("{branch}/branch"), json!({"message_id": first})).await;
    assert_eq!(again["title"], "Branch 2 of Colours");
    chat.owner.say(&branch, "Another?").await.rest().await;
    assert_eq!(chat.owner.view(&conversation).await["messages"].as_array().unwrap().len(), 2);
    let export = chat.owner.do_it("GET", &format!("{conversation}/export"), Value::Null).await;
    assert!(export.as_str().unwrap().starts_with("# Colours\n") && export.as_str().unwrap().contains("\n> Red.\n"));
    chat.owner.do_it("DELETE", &conversation, Value::Null).await;
    assert_eq!(chat.owner.ask("GET", &conversation, Value::Null).await.0, 404);
    assert_eq!(chat.owner.view(&branch).await["messages"].as_array().unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn so_many_answers_are_written_for_one_person_at_once_and_no_more() {
    let chat = Chat::start((0..16).map(|_| Reply::Silence).collect()).await;
    let mut open = Vec::new();
    for _ in 0..16 {
        let conversation = chat.owner.conversation().await;
        open.push((chat.owner.say(&conversation, "Are you there?").await, conversation));
    }
    // Whoever asks its model later would have the answer of another.
    while chat.llm.asked() < 16 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let further = format!("{}/messages", chat.owner.conversation().await);
    let (status, told) = chat.owner.ask("POST", &further, json!({"content": "And you?"})).await;
    assert!(status == 409 && told["detail"].as_str().unwrap().contains("16 answers are being written"), "{told}");
    let other = chat.person(&[]).await;
    chat.llm.then(vec![say("I am."), say("So am I.")]);
    assert_eq!(text(&other.turn("Are you there?").await.1), "I am.");
    let (events, conversation) = open.pop().unwrap();
    assert_eq!(chat.owner.ask("POST", &format!("{conversation}/stop"), Value::Null).await.0, 204);
    events.rest().await;
    let events = chat.owner.post(&further, json!({"content": "And you?"})).await.rest().await;
    assert_eq!(text(&events), "So am I.");
}
