//! Nodes and what they own: claimed by another once one is gone, followed and stopped by whoever is not at it.

use std::sync::Arc;

use satchel::{
    agent::{
        chat::{Agent, Bounds},
        log::Subscription,
    },
    model::{
        audit::{Event, EventType},
        call::CallId,
        caller::{Caller, Door},
        conversation::{ConversationId, TurnId, TurnState},
        error::Kind,
        spec::Risk,
        time::Time,
    },
    store::{
        db::{Commit, Db},
        nodes::{self, Recovered},
        turns::{Claim, Turns},
    },
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::{
    chat::Chat,
    fake_llm::{Piece, Reply, say},
    library::pause,
};

/// An answer that goes on once it is let.
fn held(go_on: &Arc<Notify>) -> Reply {
    let pieces = ["Half", " an answer."].map(|text| Piece::Text(text.to_owned()));
    let [first, second] = pieces;
    Reply::Answer(vec![first, Piece::Hold(Arc::clone(go_on)), second])
}

/// The same chat for somebody who holds none of its handles, as in another process.
fn elsewhere(chat: &Chat) -> Agent {
    let satchel = &chat.app.satchel;
    let learner = satchel.services.finder.learner().clone();
    Agent::new(Arc::clone(&satchel.app), satchel.invoker.clone(), learner, Bounds::default()).unwrap()
}

/// Another node on the same database.
async fn another_node(chat: &Chat) -> Db {
    let db = Db::open(&chat.app.dir.path().join("satchel.db"), Commit::Grouped).unwrap();
    assert!(!nodes::beat(&db).await.unwrap(), "nobody is gone");
    db
}

fn id(conversation: &str) -> ConversationId {
    conversation.rsplit('/').next().unwrap().parse().unwrap()
}

async fn owner(chat: &Chat) -> Caller {
    chat.app.owner().await.caller
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_of_a_node_that_is_gone_is_claimed_and_the_node_writes_nothing_of_it_any_more() {
    let go_on = Arc::new(Notify::new());
    let chat = Chat::start(vec![held(&go_on)]).await;
    let conversation = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&conversation, "Answer.").await;
    stream.until("token").await;

    let other = another_node(&chat).await;
    let now = chat.app.satchel.app.clock.now();
    assert_eq!(nodes::recover(&other, now).await.unwrap(), Recovered::default(), "its node is there");
    other.write(|tx| tx.run("UPDATE nodes SET seen_at = 0 WHERE version <> ''", ())).await.unwrap();
    assert!(nodes::beat(&other).await.unwrap(), "a node is gone");
    let left = nodes::recover(&other, now).await.unwrap();
    let turns = Turns::new(&other);
    let taken = turns.open_in(id(&conversation)).await.unwrap().unwrap();
    assert_eq!((&left.turns, taken.run), (&vec![taken.id], 2));
    assert_eq!(nodes::recover(&other, now).await.unwrap(), Recovered::default(), "it is claimed once");

    go_on.notify_one();
    let rest = stream.rest().await;
    assert!(rest.iter().all(|event| event.name != "done"), "{rest:?}");
    let view = chat.owner.view(&conversation).await;
    assert_eq!((&view["turn"]["state"], view["messages"].as_array().unwrap().len()), (&json!("running"), 1));

    // Whoever follows it now does so by its rows.
    let events = elsewhere(&chat).events(owner(&chat).await.user, id(&conversation), None).await.unwrap();
    let at = (now, taken.last_event + 1);
    turns.set_state(taken.claim(), TurnState::Cancelled, None, at).await.unwrap();
    assert_eq!(told(events).await.last().unwrap(), "done");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_node_that_was_taken_for_gone_still_ends_is_in_the_audit_once() {
    let chat = Chat::start(Vec::new()).await;
    let (app, caller) = (&chat.app.satchel.app, owner(&chat).await);
    let topic = chat.app.conversation(&caller).await;
    let event = under_way(&caller, topic, app.clock.now());
    app.stores.audit.open_call(event.call_id.unwrap(), event.clone()).await.unwrap();
    let other = another_node(&chat).await;
    other.write(|tx| tx.run("UPDATE nodes SET seen_at = 0 WHERE version <> ''", ())).await.unwrap();
    nodes::beat(&other).await.unwrap();
    assert_eq!(nodes::recover(&other, app.clock.now()).await.unwrap().calls, 1);
    app.stores.audit.close_call(event, None).await.unwrap();
    let rows = chat.owner.do_it("GET", "/api/audit?tool=builtin:exec", Value::Null).await;
    let outcomes: Vec<_> = rows["entries"].as_array().unwrap().iter().map(|row| row["outcome"].clone()).collect();
    assert_eq!(outcomes, ["failure"], "{rows}");
}

/// A call that changes something, as it is noted before it runs.
fn under_way(caller: &Caller, topic: ConversationId, time: Time) -> Event {
    Event {
        user_id: Some(caller.user),
        user: caller.username.clone(),
        topic: Some(topic),
        tool: Some("builtin:exec".to_owned()),
        risk: Some(Risk::HighWrite),
        call_id: Some(CallId::new()),
        ..Event::new(time, EventType::ToolInvocation, Door::Chat, "call")
    }
}

/// The names of the events of a stream, to its end.
async fn told(mut events: Subscription) -> Vec<String> {
    let mut names = Vec::new();
    while let Some(frame) = events.next().await {
        names.push(frame.event.to_owned());
    }
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_followed_by_its_rows_where_nobody_holds_its_handle() {
    let go_on = Arc::new(Notify::new());
    let chat = Chat::start(vec![held(&go_on)]).await;
    let conversation = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&conversation, "Answer.").await;
    stream.until("token").await;
    let user = owner(&chat).await.user;
    let mut events = elsewhere(&chat).events(user, id(&conversation), None).await.unwrap();
    let first = events.next().await.unwrap();
    assert_eq!(first.event, "reset");
    go_on.notify_one();
    let mut frames = Vec::new();
    while let Some(frame) = events.next().await {
        frames.push(frame);
    }
    let done = frames.pop().unwrap();
    assert!(done.event == "done" && frames.iter().all(|frame| frame.event == "reset"), "{frames:?}");
    let view = chat.owner.view(&conversation).await;
    let ended: Value = serde_json::from_str(&done.data).unwrap();
    assert_eq!(ended, json!({"message_id": view["messages"][1]["id"], "state": "done"}));
    assert_eq!(view["messages"][1]["text"], "Half an answer.");
    // Who comes back with that number has missed nothing.
    assert!(chat.owner.follow(&conversation, Some(&done.id)).await.rest().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_stopped_by_its_row_where_nobody_holds_its_handle() {
    let go_on = Arc::new(Notify::new());
    let chat = Chat::start(vec![held(&go_on), say("On.")]).await;
    let conversation = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&conversation, "Answer.").await;
    stream.until("token").await;
    elsewhere(&chat).stop(owner(&chat).await.user, id(&conversation)).await.unwrap();
    let view = chat.owner.view(&conversation).await;
    assert_eq!((&view["turn"]["state"], &view["messages"][1]["text"]), (&json!("cancelled"), &json!("Half")));
    assert_eq!(stream.rest().await.last().unwrap().data["state"], "cancelled");
}

#[tokio::test]
async fn a_start_enters_alone_and_says_that_it_is_alive() {
    let chat = Chat::start(Vec::new()).await;
    another_node(&chat).await;
    let chat = chat.restart().await;
    let db = &chat.app.satchel.app.db;
    let rows = || db.read(|tx| tx.all("SELECT id FROM nodes", (), |row| row.get::<String>("id")));
    assert_eq!(rows().await.unwrap(), [db.node().to_string()]);
    db.write(|tx| tx.run("DELETE FROM nodes", ())).await.unwrap();
    while rows().await.unwrap().is_empty() {
        pause().await;
    }
    let nobodys = Claim { turn: TurnId::new(), run: 1 };
    let lost = Turns::new(db).set_state(nobodys, TurnState::Done, None, (Time::from_millis(1), 1)).await;
    assert_eq!(lost.unwrap_err().kind(), Kind::Cancelled);
}
