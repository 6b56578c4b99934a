//! Sessions whose tree is stopped, whose call goes away or whose conversation is deleted: nothing is left behind, nothing lost.

use std::{sync::Arc, time::Duration};

use satchel::{
    agent::chat::NewMessage,
    model::{
        agent::session::Report,
        call::{Call, CallId},
        conversation::ConversationId,
        error::Kind,
        run::{Purpose, RunId, RunKind},
    },
    store::{
        agents::{
            Agents,
            sessions::{self, NewRun, Root},
        },
        conversations::NewConversation,
        turns::{NewTurn, Question},
    },
};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::stage::{begin, path, rests, run_in, runs};
use crate::support::{
    chat::Chat,
    fake_llm::{Piece, Reply, call, say},
    library::pause,
};

/// An answer that the test lets go on.
fn held(go_on: &Arc<Notify>) -> Reply {
    Reply::Answer(vec![Piece::Hold(Arc::clone(go_on)), Piece::Text("Counted.".to_owned()), Piece::Usage(10, 5)])
}

fn id(conversation: &str) -> ConversationId {
    conversation.rsplit('/').next().unwrap().parse().unwrap()
}

/// A session to be begun below a run, in a conversation.
async fn session(chat: &Chat, parent: Option<RunId>, conversation: ConversationId) -> NewRun {
    let caller = chat.app.owner().await.caller;
    let agent = Agents::new(&chat.app.satchel.app.db).list(&caller).await.unwrap().remove(0).at();
    let purpose = Purpose {
        kind: RunKind::Sub,
        parent,
        call: Some(CallId::new()),
        tells: Some((conversation, Report::Due)),
        ..Purpose::default()
    };
    let now = chat.app.satchel.app.clock.now();
    let turn = NewTurn { conversation: ConversationId::new(), caller, provider: None, agent, purpose, now };
    let question = Question { text: "Help.".to_owned(), attachments: Vec::new(), title: "Help".to_owned() };
    let session = Some(NewConversation { parent: Some(conversation), depth: 1, ..NewConversation::default() });
    NewRun { session, turn, question, origin: None }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_begins_below_a_run_that_was_stopped_or_in_a_conversation_that_is_gone() {
    let chat = Chat::start(vec![Reply::Silence]).await;
    let conversation = chat.owner.conversation().await;
    chat.owner.say(&conversation, "Wait.").await;
    let run: RunId = run_in(&chat.owner, "chat", "running").await["id"].as_str().unwrap().parse().unwrap();
    let db = &chat.app.satchel.app.db;
    assert_eq!(sessions::stop(db, Root::Run(run)).await.unwrap(), [id(&conversation)]);
    let below = session(&chat, Some(run), id(&conversation)).await;
    assert_eq!(sessions::begin(db, below).await.unwrap_err().kind(), Kind::Cancelled);
    chat.owner.do_it("DELETE", &conversation, Value::Null).await;
    let left = session(&chat, None, id(&conversation)).await;
    assert_eq!(sessions::begin(db, left).await.unwrap_err().kind(), Kind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_ends_the_sessions_that_earlier_turns_began_and_they_wake_nobody() {
    let chat = Chat::start(vec![begin("Wait."), say("Begun.")]).await;
    chat.llm.when("Wait.", vec![Reply::Silence]);
    let (conversation, _) = chat.owner.turn("Begin.").await;
    run_in(&chat.owner, "sub", "running").await;
    chat.owner.do_it("POST", &format!("{conversation}/stop"), Value::Null).await;
    let states: Vec<Value> = runs(&chat.owner).await.iter().map(|run| run["state"].clone()).collect();
    assert_eq!(states, ["done", "cancelled"]);
    let db = &chat.app.satchel.app.db;
    assert!(sessions::due(db, id(&conversation)).await.unwrap().is_empty(), "nobody is to be told");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_of_a_session_is_told_where_the_call_that_waits_goes_away() {
    let go_on = Arc::new(Notify::new());
    let chat = Chat::start(vec![say("I have heard.")]).await;
    chat.llm.when("Count.", vec![held(&go_on)]);
    let conversation = chat.owner.conversation().await;
    let caller = chat.app.owner().await.caller;
    let topic = Some(id(&conversation));
    let call = Call { topic, ..Call::new(caller, "sessions_spawn", json!({"task": "Count.", "blocking": true})) };
    let (invoker, stop) = (chat.app.satchel.invoker.clone(), CancellationToken::new());
    let token = stop.clone();
    let waits = tokio::spawn(async move { invoker.invoke(call, token).await });
    run_in(&chat.owner, "sub", "running").await;
    stop.cancel();
    waits.await.unwrap().unwrap_err();
    go_on.notify_one();
    let view = rests(&chat.owner, &conversation, 2).await;
    assert_eq!(view["messages"][0]["steps"][0]["output"]["data"]["output"], "Counted.");
    assert_eq!(view["messages"][1]["text"], "I have heard.");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_for_a_run_to_begin_may_go_away_at_any_moment() {
    let chat = Chat::start((0..60).map(|_| say("Here.")).collect()).await;
    let caller = chat.app.owner().await.caller;
    let agent = &chat.app.satchel.agent;
    for moment in 0..40 {
        let conversation = id(&chat.owner.conversation().await);
        let message = NewMessage { content: "Go.".to_owned(), ..NewMessage::default() };
        let begin = agent.begin(&caller, conversation, message, Purpose::default());
        drop(tokio::time::timeout(Duration::from_micros(250 * moment), begin).await);
    }
    for run in runs(&chat.owner).await {
        while chat.owner.do_it("GET", &format!("/api/runs/{}", run["id"].as_str().unwrap()), Value::Null).await["state"]
            != "done"
        {
            pause().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_led_from_inside_alone() {
    let go_on = Arc::new(Notify::new());
    let chat = Chat::start(vec![begin("Count."), say("Begun."), say("Told.")]).await;
    chat.llm.when("Count.", vec![held(&go_on)]);
    let (conversation, _) = chat.owner.turn("Have them counted.").await;
    go_on.notify_one();
    let child = run_in(&chat.owner, "sub", "done").await;
    rests(&chat.owner, &conversation, 5).await;
    for (tool, params) in [
        ("sessions_spawn", json!({"task": "Help."})),
        ("sessions_send", json!({"session_key": "agent:assistant:sub:1", "message": "Hi."})),
    ] {
        let body = json!({"params": params, "topic": child["conversation"]});
        let (status, told) = chat.owner.ask("POST", &format!("/api/tools/{tool}/invoke"), body).await;
        assert!(status == 200 && told["error"].as_str().unwrap().contains("An agent leads this session"), "{told}");
    }
    assert_eq!(runs(&chat.owner).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_being_deleted_does_not_fail_the_turn_that_was_to_hear_of_it() {
    let (child, parent) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let chat = Chat::start(vec![begin("Count."), held(&parent), say("Never.")]).await;
    chat.llm.when("Count.", vec![held(&child)]);
    let conversation = chat.owner.conversation().await;
    let stream = chat.owner.say(&conversation, "Go.").await;
    let run = run_in(&chat.owner, "sub", "running").await;
    while chat.llm.asked() < 3 {
        pause().await;
    }
    // Deleting begins by taking it away from its person.
    let disowned = run["conversation"].as_str().unwrap().to_owned();
    let sql = "UPDATE conversations SET person = NULL WHERE id = ?1";
    chat.app.satchel.app.db.write(move |tx| tx.run(sql, [disowned])).await.unwrap();
    child.notify_one();
    while runs(&chat.owner).await.iter().any(|one| one["id"] == run["id"] && one["state"] == "running") {
        pause().await;
    }
    parent.notify_one();
    stream.rest().await;
    assert_eq!(chat.owner.view(&conversation).await["turn"]["state"], "done");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_refused_leaves_the_question_of_its_session_open() {
    let chat = Chat::start(vec![begin("Write it."), say("Begun.")]).await;
    chat.llm.when("Write it.", vec![call("write", json!({"path": "a.txt", "content": "x"})), say("Written.")]);
    chat.llm.when("Wait.", (0..16).map(|_| Reply::Silence).collect());
    let mara = chat.person(&["host:fs.write", "agents:run", "tools:run"]).await;
    let (conversation, _) = mara.turn("Begin.").await;
    let child = run_in(&mara, "sub", "waiting").await;
    for _ in 0..16 {
        let other = mara.conversation().await;
        mara.say(&other, "Wait.").await;
    }
    let key = format!("agent:assistant:sub:{}", child["conversation"].as_str().unwrap());
    let params = json!({"session_key": key, "message": "Leave it."});
    let topic = conversation.rsplit('/').next().unwrap();
    let body = json!({"params": params, "topic": topic});
    let (status, told) = mara.ask("POST", "/api/tools/sessions_send/invoke", body).await;
    assert!(status == 200 && told["error"].as_str().unwrap().contains("16 answers are being written"), "{told}");
    assert_eq!(mara.view(&path(&child)).await["turn"]["state"], "waiting");
}
