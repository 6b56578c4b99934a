//! A session that is waited for: its answer, its place in the tree, its questions.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::stage::{lift, path, run_in, runs, spawn, told};
use crate::support::{
    chat::{Chat, Person, find, text},
    fake_llm::{Piece, Reply, call, say},
    library::pause,
};

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_of_a_session_is_the_result_of_the_call() {
    let chat = Chat::start(vec![spawn("Count the herons."), say("There are seven.")]).await;
    chat.llm.when("Count the herons.", vec![say("Seven.")]);
    let (conversation, events) = chat.owner.turn("How many herons are there?").await;
    assert_eq!(text(&events), "There are seven.");
    let read = told(&chat, "How many herons");
    assert!(read.starts_with("[TOOL:sessions_spawn]") && read.contains("Seven."), "{read}");
    let [parent, child] = runs(&chat.owner).await.try_into().unwrap();
    assert_eq!((&child["kind"], &child["parent"], &child["state"]), (&json!("sub"), &parent["id"], &json!("done")));
    assert_eq!(child["usage"], json!({"input_tokens": 10, "output_tokens": 5}));
    let view = chat.owner.view(&conversation).await;
    let step = &view["messages"][1]["steps"][0];
    let key = format!("agent:assistant:sub:{}", child["conversation"].as_str().unwrap());
    assert_eq!(
        step["output"]["data"],
        json!({"session_key": key, "run": child["id"], "state": "done", "output": "Seven."})
    );
    let session =
        json!({"run": child["id"], "conversation": child["conversation"], "agent": "assistant", "state": "done"});
    assert_eq!(step["session"], session);
    let began = find(&events, "session");
    assert_eq!((&began.data["call_id"], &began.data["session"]["run"]), (&step["call_id"], &child["id"]));
    // It is found through its parent, and in no list.
    let listed = chat.owner.do_it("GET", "/api/conversations", Value::Null).await;
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    let session = chat.owner.view(&path(&child)).await;
    assert_eq!((&session["depth"], &session["parent"]), (&json!(1), &parent["conversation"]));
    assert_eq!(session["messages"][0]["text"], "Count the herons.");
    let (status, refused) =
        chat.owner.ask("POST", &format!("{}/messages", path(&child)), json!({"content": "Hi."})).await;
    assert!(
        status == 409 && refused["detail"].as_str().unwrap().starts_with("An agent leads this session"),
        "{refused}"
    );
    // With the conversation go the sessions that were begun in it.
    chat.owner.do_it("DELETE", &conversation, Value::Null).await;
    assert_eq!(chat.owner.ask("GET", &path(&child), Value::Null).await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_told_what_it_is_and_remembers_nothing_of_the_person() {
    let chat = Chat::start(vec![spawn("Where does the heron stand?"), say("There.")]).await;
    chat.llm.when("Where does the heron", vec![say("At the weir.")]);
    let memory = json!({"params": {"content": "The heron stands at the weir", "category": "general"}});
    chat.owner.do_it("POST", "/api/tools/save_memory/invoke", memory).await;
    chat.owner.turn("Ask somebody.").await;
    let request = chat.llm.bodies("Where does the heron")[0].to_string();
    assert!(request.contains("You are in a session") && !request.contains("stands at the weir"), "{request}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_may_not_begin_another_unless_the_policy_lifts_that_and_a_fourth_never() {
    let chat = Chat::start(vec![spawn("Level 1."), say("Over.")]).await;
    chat.llm.when("Level 1.", vec![spawn("Level 2."), say("One."), spawn("Level 2."), say("One.")]);
    chat.llm.when("Level 2.", vec![spawn("Level 3."), say("Two.")]);
    chat.llm.when("Level 3.", vec![spawn("Level 4."), say("Three.")]);
    chat.owner.turn("Begin.").await;
    assert!(told(&chat, "Level 1.").contains("The policy layer 'subagent' denies sessions_spawn"));
    lift(&chat).await;
    chat.llm.then(vec![spawn("Level 1."), say("Over.")]);
    chat.owner.turn("Begin again.").await;
    assert!(told(&chat, "Level 3.").contains("Sessions go 3 deep"), "{}", told(&chat, "Level 3."));
    assert!(chat.llm.bodies("Level 4.").is_empty());
    let depths: Vec<Value> = {
        let mut depths = Vec::new();
        for run in runs(&chat.owner).await.iter().skip(2) {
            depths.push(chat.owner.view(&path(run)).await["depth"].clone());
        }
        depths
    };
    assert_eq!(depths, [0, 1, 2, 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_question_of_a_session_reaches_the_person_and_the_parent_waits_for_their_answer() {
    let chat = Chat::start(vec![spawn("Write the note."), say("It is written.")]).await;
    let write = json!({"path": "a.txt", "content": "x"});
    chat.llm.when("Write the note.", vec![call("write", write), say("Written.")]);
    let caller = chat.app.caller(&["host:fs.write", "agents:run"]).await;
    let mara = Person::sign_in(&chat.app.satchel.url, &caller.username).await;
    let conversation = mara.conversation().await;
    let stream = mara.say(&conversation, "Have it written.").await;
    let waiting = run_in(&mara, "sub", "waiting").await;
    let tickets = mara.do_it("GET", "/api/tickets", Value::Null).await;
    assert_eq!(tickets[0]["topic"], waiting["conversation"]);
    assert_eq!(mara.view(&conversation).await["state"], "running", "it waits for its session");
    mara.do_it("POST", &format!("/api/tickets/{}", tickets[0]["id"].as_str().unwrap()), json!({"decision": "approve"}))
        .await;
    assert_eq!(text(&stream.rest().await), "It is written.");
    assert!(told(&chat, "Have it written.").contains("Written."));
}

#[tokio::test(flavor = "multi_thread")]
async fn as_many_trees_as_a_person_may_have_turns_do_not_wait_for_each_others_places() {
    let chat = Chat::start(Vec::new()).await;
    let go_on = Arc::new(Notify::new());
    for n in 10..26 {
        chat.llm.when(&format!("Lead {n}"), vec![spawn(&format!("Help {n}")), say("Led.")]);
        let held = vec![Piece::Text("Helped.".to_owned()), Piece::Hold(Arc::clone(&go_on))];
        chat.llm.when(&format!("Help {n}"), vec![Reply::Answer(held)]);
    }
    let mut streams = Vec::new();
    for n in 10..26 {
        let conversation = chat.owner.conversation().await;
        streams.push(chat.owner.say(&conversation, &format!("Lead {n}")).await);
    }
    while chat.llm.asked() < 32 {
        pause().await;
    }
    go_on.notify_waiters();
    for stream in streams {
        assert_eq!(text(&stream.rest().await), "Led.");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_waited_for_when_the_server_stopped_is_waited_for_again_and_begun_once() {
    let chat = Chat::start(vec![spawn("Take your time."), say("It is done.")]).await;
    let half = vec![Piece::Text("Half".to_owned()), Piece::Hold(Arc::new(Notify::new()))];
    chat.llm.when("Take your time.", vec![Reply::Answer(half), say("All.")]);
    let conversation = chat.owner.conversation().await;
    chat.owner.say(&conversation, "Do it.").await.until("session").await;
    while chat.llm.bodies("Take your time.").is_empty() {
        pause().await;
    }
    let chat = chat.restart().await;
    let events = chat.owner.follow(&conversation, None).await.rest().await;
    assert_eq!(text(&events), "It is done.");
    assert_eq!(runs(&chat.owner).await.len(), 2, "one of each");
    assert!(told(&chat, "Do it.").contains("All."));
}
