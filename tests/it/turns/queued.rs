//! Messages that are sent while an answer is under way: sent once, in their order, and never lost.

use std::sync::Arc;

use reqwest::Method;
use satchel::{
    model::{
        agent::AgentId,
        conversation::{Moment, TurnState},
        run::Purpose,
    },
    store::{
        agents::Agents,
        turns::{NewQueued, NewTurn, Question, Turns},
    },
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::{
    agents::with_agent,
    support::{
        chat::{Chat, Person, find, names, text},
        fake_llm::{FakeLlm, PATIENCE, Piece, Reply, call, refuse, say},
        library::pause,
    },
};

/// An answer that begins and waits to go on.
fn held(go_on: &Arc<Notify>) -> Reply {
    Reply::Answer(vec![
        Piece::Text("Well, ".to_owned()),
        Piece::Hold(Arc::clone(go_on)),
        Piece::Text("yes.".to_owned()),
    ])
}

/// Queues a message and gives it.
async fn queue(person: &Person, conversation: &str, content: &str, when: &str) -> Value {
    let body = json!({"content": content, "when": when});
    let (status, queued) = person.ask("POST", &format!("{conversation}/messages"), body).await;
    assert_eq!(status, 202, "{queued}");
    queued
}

async fn waiting(person: &Person, conversation: &str) -> Vec<String> {
    let queued = person.do_it("GET", &format!("{conversation}/queue"), Value::Null).await;
    queued.as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
}

/// What was said, in order, once nothing is under way and as much was said.
async fn said(person: &Person, conversation: &str, many: usize) -> Vec<String> {
    let begun = std::time::Instant::now();
    loop {
        let view = person.view(conversation).await;
        let texts: Vec<_> =
            view["messages"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect();
        if texts.len() >= many && view["state"] == "idle" {
            return texts;
        }
        assert!(begun.elapsed() < PATIENCE, "{view}");
        pause().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_ahead_is_answered_in_its_order_after_the_answer() {
    let go_on = Arc::new(Notify::new());
    let chat = Chat::start(vec![held(&go_on), say("Two."), say("Three.")]).await;
    let conversation = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&conversation, "One?").await;
    stream.until("token").await;
    let path = format!("{conversation}/messages");
    assert_eq!(chat.owner.ask("POST", &path, json!({"content": "Now?"})).await.0, 409, "without a moment");
    let second = queue(&chat.owner, &conversation, "Two, roughly?", "next").await;
    queue(&chat.owner, &conversation, "Three?", "next").await;
    let third = queue(&chat.owner, &conversation, "Never sent?", "next").await;
    let place = |one: &Value| format!("{conversation}/queue/{}", one["id"].as_str().unwrap());
    let changed = chat.owner.do_it("PATCH", &place(&second), json!({"content": "Two?"})).await;
    assert_eq!((&changed["text"], &changed["when"]), (&json!("Two?"), &json!("next")));
    assert_eq!(chat.owner.ask("POST", &format!("{}/send", place(&second)), Value::Null).await.0, 409);
    chat.owner.do_it("DELETE", &place(&third), Value::Null).await;
    assert_eq!(chat.owner.ask("DELETE", &place(&third), Value::Null).await.0, 404);
    assert_eq!(waiting(&chat.owner, &conversation).await, ["Two?", "Three?"]);
    go_on.notify_one();
    let events = stream.rest().await;
    assert!(names(&events).contains(&"queue"), "{:?}", names(&events));
    let texts = said(&chat.owner, &conversation, 6).await;
    assert_eq!(texts, ["One?", "Well, yes.", "Two?", "Two.", "Three?", "Three."]);
    let view = chat.owner.view(&conversation).await;
    assert_eq!(view["messages"][2]["id"], second["id"], "it keeps its id");
    assert_eq!(waiting(&chat.owner, &conversation).await, Vec::<String>::new());
    assert_eq!(chat.owner.ask("PATCH", &place(&second), json!({"content": "x"})).await.0, 404);
}

/// A page that is opened between two answers would otherwise show messages as not sent, and hear of nothing.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_finds_a_conversation_at_rest_while_messages_wait_in_it() {
    let go_on = Arc::new(Notify::new());
    let answers = ["Two.", "Three.", "Four.", "Five.", "Six."];
    let chat = Chat::start([vec![held(&go_on)], answers.map(say).to_vec()].concat()).await;
    let conversation = chat.owner.conversation().await;
    chat.owner.say(&conversation, "One?").await.until("token").await;
    for question in answers {
        queue(&chat.owner, &conversation, question, "next").await;
    }
    go_on.notify_one();
    loop {
        let view = chat.owner.view(&conversation).await;
        if view["state"] == "idle" {
            assert_eq!(waiting(&chat.owner, &conversation).await, Vec::<String>::new());
            break;
        }
    }
    assert_eq!(said(&chat.owner, &conversation, 12).await.len(), 12);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_for_now_goes_into_the_next_step_of_the_turn() {
    let go_on = Arc::new(Notify::new());
    let first = Reply::Answer(vec![
        Piece::Hold(Arc::clone(&go_on)),
        Piece::Call("calculator", json!({"expression": "6 * 7"})),
        Piece::Usage(10, 5),
    ]);
    let chat = Chat::start(vec![first, say("In metres: 42.")]).await;
    let conversation = chat.owner.conversation().await;
    let stream = chat.owner.say(&conversation, "6 * 7?").await;
    chat.llm.until_asked(1).await;
    let steering = queue(&chat.owner, &conversation, "In metres, please.", "now").await;
    go_on.notify_one();
    let events = stream.rest().await;
    assert_eq!(find(&events, "steered").data["message"]["text"], "In metres, please.");
    assert_eq!(text(&events), "In metres: 42.");
    let view = chat.owner.view(&conversation).await;
    let messages = view["messages"].as_array().unwrap();
    assert_eq!((messages.len(), &messages[2]["id"]), (4, &steering["id"]));
    assert!(messages.iter().all(|one| one["turn_id"] == messages[0]["turn_id"]), "{view}");
    let told = chat.llm.body(1)["messages"].clone();
    assert_eq!(told.as_array().unwrap().last().unwrap()["content"], "In metres, please.");
    assert_eq!(chat.owner.do_it("GET", "/api/runs", Value::Null).await.as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_for_now_that_finds_no_further_step_is_the_next_question() {
    let go_on = Arc::new(Notify::new());
    let chat = Chat::start(vec![held(&go_on), say("Shorter.")]).await;
    let conversation = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&conversation, "One?").await;
    stream.until("token").await;
    queue(&chat.owner, &conversation, "Shorter, please.", "now").await;
    go_on.notify_one();
    stream.rest().await;
    assert_eq!(said(&chat.owner, &conversation, 4).await, ["One?", "Well, yes.", "Shorter, please.", "Shorter."]);
    assert_eq!(chat.owner.do_it("GET", "/api/runs", Value::Null).await.as_array().unwrap().len(), 2);
}

/// Its words would else be run with what the person may do.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_does_not_steer_a_turn_that_its_person_began() {
    let go_on = Arc::new(Notify::new());
    let first = Reply::Answer(vec![
        Piece::Hold(Arc::clone(&go_on)),
        Piece::Call("calculator", json!({"expression": "6 * 7"})),
        Piece::Usage(10, 5),
    ]);
    let chat = Chat::start(vec![first, say("42."), say("Hello, program.")]).await;
    let person = chat.person(&["keys:manage", "tools:run"]).await;
    let body = json!({"name": "k", "permissions": ["tools:run"], "personal": true});
    let key = person.do_it("POST", "/api/keys", body).await;
    let program = Person::bearer(&chat.app.satchel.url, key["key"].as_str().unwrap());
    let conversation = person.conversation().await;
    let stream = person.say(&conversation, "6 * 7?").await;
    chat.llm.until_asked(1).await;
    queue(&program, &conversation, "Do something else.", "now").await;
    // Words of its own in place of the person's are its own, too.
    let theirs = queue(&person, &conversation, "In metres.", "now").await;
    let place = format!("{conversation}/queue/{}", theirs["id"].as_str().unwrap());
    program.do_it("PATCH", &place, json!({"content": "Do something else again."})).await;
    go_on.notify_one();
    let events = stream.rest().await;
    assert!(!names(&events).contains(&"steered"), "{:?}", names(&events));
    // Its second message goes into the turn that its first one begins.
    let texts = said(&person, &conversation, 6).await;
    assert_eq!(texts[2..], ["42.", "Do something else.", "Do something else again.", "Hello, program."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_behind_an_answer_that_was_stopped_or_failed_waits_until_it_is_sent() {
    let forever = Arc::new(Notify::new());
    let chat = Chat::start(vec![held(&forever), refuse(400), say("Here.")]).await;
    let conversation = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&conversation, "One?").await;
    stream.until("token").await;
    let queued = queue(&chat.owner, &conversation, "Two?", "next").await;
    let later = queue(&chat.owner, &conversation, "Three?", "next").await;
    chat.owner.do_it("POST", &format!("{conversation}/stop"), Value::Null).await;
    stream.rest().await;
    assert_eq!(waiting(&chat.owner, &conversation).await, ["Two?", "Three?"]);
    let send = |one: &Value| format!("{conversation}/queue/{}/send", one["id"].as_str().unwrap());
    chat.owner.do_it("POST", &send(&queued), Value::Null).await;
    said(&chat.owner, &conversation, 3).await;
    assert_eq!(chat.owner.view(&conversation).await["turn"]["state"], "failed");
    assert_eq!(waiting(&chat.owner, &conversation).await, ["Three?"]);
    let chat = chat.restart().await;
    assert_eq!(waiting(&chat.owner, &conversation).await, ["Three?"], "a start does not send it either");
    chat.owner.do_it("POST", &send(&later), Value::Null).await;
    assert_eq!(said(&chat.owner, &conversation, 5).await, ["One?", "Well, ", "Two?", "Three?", "Here."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_could_not_be_sent_at_its_moment_is_sent_once_it_can_be() {
    let go_on = Arc::new(Notify::new());
    let (chat, llm) = (Chat::start(Vec::new()).await, FakeLlm::start(vec![held(&go_on), say("Two.")]).await);
    let url = format!("http://{}/v1", llm.address);
    let provider = json!({"kind": "openai", "name": "Acme", "model": "m-2", "base_url": url});
    let provider = chat.owner.do_it("POST", "/api/providers", provider).await;
    let path = format!("/api/providers/{}", provider["id"].as_str().unwrap());
    let switch = async |enabled: bool| chat.owner.do_it("PUT", &path, json!({"enabled": enabled})).await;
    chat.owner.do_it("POST", "/api/agents", json!({"name": "worker", "models": ["Acme:m-2"]})).await;
    let conversation = with_agent(&chat.owner, "worker").await;
    let mut stream = chat.owner.say(&conversation, "One?").await;
    stream.until("token").await;
    queue(&chat.owner, &conversation, "Two?", "next").await;
    switch(false).await;
    go_on.notify_one();
    stream.rest().await;
    let agent = &chat.app.satchel.agent;
    agent.take_left().await.unwrap();
    assert_eq!(waiting(&chat.owner, &conversation).await, ["Two?"], "there is no model");
    switch(true).await;
    agent.take_left().await.unwrap();
    assert_eq!(said(&chat.owner, &conversation, 4).await, ["One?", "Well, yes.", "Two?", "Two."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_survives_the_end_of_the_server() {
    let forever = Arc::new(Notify::new());
    let chat = Chat::start(vec![held(&forever), say("One."), say("Two.")]).await;
    let conversation = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&conversation, "One?").await;
    stream.until("token").await;
    queue(&chat.owner, &conversation, "Two?", "next").await;
    let chat = chat.restart().await;
    assert_eq!(said(&chat.owner, &conversation, 4).await, ["One?", "One.", "Two?", "Two."]);
}

/// As a kill leaves it between the end of one turn and the beginning of the next.
#[tokio::test(flavor = "multi_thread")]
async fn what_waits_behind_an_answer_that_is_there_is_sent_by_the_next_start() {
    let chat = Chat::start(vec![say("Two.")]).await;
    let app = &chat.app.satchel.app;
    let (turns, caller, now) = (Turns::new(&app.db), chat.app.owner().await.caller, app.clock.now());
    let agent = Agents::new(&app.db).current(&caller, AgentId::assistant()).await.unwrap();
    let id = chat.app.satchel.agent.conversations().create(caller.user, String::new(), now).await.unwrap().id;
    let purpose = Purpose::default();
    let new = NewTurn { conversation: id, caller: caller.clone(), provider: None, agent, purpose, now };
    let question = Question { text: "One?".to_owned(), attachments: Vec::new(), title: "One".to_owned() };
    let (turn, ..) = turns.begin(new, question).await.unwrap();
    let new = NewQueued {
        caller,
        conversation: id,
        text: "Two?".to_owned(),
        attachments: Vec::new(),
        provider: None,
        moment: Moment::Next,
        now,
    };
    turns.queue(new.clone()).await.unwrap().unwrap();
    turns.set_state(turn.claim(), TurnState::Done, None, (now, 1)).await.unwrap();
    assert!(turns.queue(new).await.unwrap().is_none(), "nothing is under way any more");
    let chat = chat.restart().await;
    assert_eq!(said(&chat.owner, &format!("/api/conversations/{id}"), 3).await, ["One?", "Two?", "Two."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_is_its_persons_alone_and_goes_with_the_conversation() {
    let go_on = Arc::new(Notify::new());
    let chat = Chat::start(vec![call("calculator", json!({"expression": "1"})), held(&go_on)]).await;
    let other = chat.person(&[]).await;
    let conversation = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&conversation, "One?").await;
    stream.until("token").await;
    let queued = queue(&chat.owner, &conversation, "Two?", "next").await;
    let place = format!("{conversation}/queue/{}", queued["id"].as_str().unwrap());
    for (method, path, body) in [
        (Method::GET, format!("{conversation}/queue"), Value::Null),
        (Method::PATCH, place.clone(), json!({"content": "x"})),
        (Method::DELETE, place.clone(), Value::Null),
        (Method::POST, format!("{place}/send"), Value::Null),
        (Method::POST, format!("{conversation}/messages"), json!({"content": "x", "when": "next"})),
    ] {
        assert_eq!(other.ask(method.as_str(), &path, body).await.0, 404, "{method} {path}");
    }
    for number in 1..20 {
        queue(&chat.owner, &conversation, &format!("More {number}"), "next").await;
    }
    let body = json!({"content": "Too much", "when": "next"});
    assert_eq!(chat.owner.ask("POST", &format!("{conversation}/messages"), body).await.0, 409);
    chat.owner.do_it("DELETE", &conversation, Value::Null).await;
    let db = &chat.app.satchel.app.db;
    let left: i64 = db.read(|tx| tx.one("SELECT count(*) FROM queued_messages", ())).await.unwrap();
    assert_eq!(left, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_key_writes_into_a_message_that_waits_is_the_keys() {
    let go_on = Arc::new(Notify::new());
    let chat = Chat::start(vec![held(&go_on), say("Two."), say("Three."), say("Four.")]).await;
    let person = chat.person(&["*"]).await;
    let key = person.do_it("POST", "/api/keys", json!({"name": "ci", "permissions": [], "personal": true})).await;
    let program = Person::bearer(&chat.app.satchel.url, key["key"].as_str().unwrap());
    let conversation = person.conversation().await;
    let mut stream = person.say(&conversation, "One?").await;
    stream.until("token").await;
    let own = queue(&person, &conversation, "Two?", "next").await;
    let theirs = queue(&person, &conversation, "Three?", "next").await;
    let place = |one: &Value| format!("{conversation}/queue/{}", one["id"].as_str().unwrap());
    program.do_it("PATCH", &place(&own), json!({"when": "next"})).await;
    program.do_it("PATCH", &place(&theirs), json!({"content": "Send it all away."})).await;
    go_on.notify_one();
    stream.rest().await;
    said(&person, &conversation, 6).await;
    let runs = person.do_it("GET", "/api/runs", Value::Null).await;
    assert_eq!(runs.as_array().unwrap().len(), 3, "{runs}");
    // Whatever a key has said in a conversation counts as content from outside for its person.
    person.say(&conversation, "And now?").await;
    assert_eq!(person.view(&conversation).await["tainted"], true);
}
