//! Turns that wait for a person: approved, changed, refused, given up.

use std::sync::Arc;

use satchel::{
    host::files::Parents,
    model::{
        call::{Approved, Edit, TicketId},
        output::Output,
    },
    store::tickets::Verdict,
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::{go_on, write, writer};
use crate::support::{
    chat::{Chat, Event, Person, find, names, results, text},
    fake_llm::{call, calls, say},
    library::pause,
};

/// Puts a file among somebody's own.
async fn put(chat: &Chat, person: &Person, path: &str, bytes: &[u8]) {
    let name = person.do_it("GET", "/api/auth/me", Value::Null).await["username"].as_str().unwrap().to_owned();
    let app = &chat.app.satchel.app;
    let user =
        app.stores.people.users().await.unwrap().into_iter().find(|user| user.username.as_str() == name).unwrap().id;
    let files = app.files_of(user).unwrap();
    files.write(path, bytes.to_vec(), Parents::Must).await.unwrap();
}

#[tokio::test]
async fn a_question_parks_the_turn_and_approving_goes_on_with_the_result() {
    let chat = Chat::start(vec![call("write", write("a.txt")), say("Written.")]).await;
    let mara = writer(&chat).await;
    let (conversation, parked) = mara.turn("Write a.txt.").await;
    assert_eq!(find(&parked, "done").data["state"], "waiting");
    let view = mara.view(&conversation).await;
    assert_eq!((&view["state"], &view["turn"]["state"]), (&json!("waiting"), &json!("waiting")));
    let step = &view["messages"][1]["steps"][0];
    assert_eq!((&step["state"], &step["ticket"]["state"]), (&json!("waiting"), &json!("pending")));
    assert_eq!(chat.llm.seen().len(), 1);
    let decided = mara.decide(find(&parked, "confirmation"), json!({"decision": "approve"})).await;
    assert_eq!(decided["result"]["success"], true);
    let events = go_on(&mara, &conversation, &parked).await;
    assert_eq!(names(&events), ["ticket_decided", "tool_end", "context", "token", "usage", "done"]);
    assert_eq!(find(&events, "tool_end").data["success"], true);
    assert!(results(&chat.llm.body(1))[0].starts_with("[TOOL:write]\n"));
    assert_eq!(mara.view(&conversation).await["state"], "idle");
}

#[tokio::test]
async fn the_model_is_told_what_was_executed_where_the_person_changed_the_arguments() {
    let chat = Chat::start(vec![call("write", write("a.txt")), say("In b.txt, then.")]).await;
    let mara = writer(&chat).await;
    let name = mara.do_it("GET", "/api/auth/me", Value::Null).await["username"].as_str().unwrap().to_owned();
    let (conversation, parked) = mara.turn("Write a.txt.").await;
    let body = json!({"decision": "approve", "params": write("b.txt")});
    let decided = mara.decide(find(&parked, "confirmation"), body).await;
    let edited = json!([{"name": "path", "from": "a.txt", "to": "b.txt"}]);
    let meta = &decided["result"]["meta"];
    assert_eq!((&meta["executed_arguments"], &meta["edited"]), (&write("b.txt"), &edited));
    let ended = go_on(&mara, &conversation, &parked).await;
    let told = results(&chat.llm.body(1)).remove(0);
    let start = format!(
        "[TOOL:write]\nThe person changed the arguments before approving. What ran is not what you asked for, but:\n  \
         path: b.txt\n  content: x\nChanged by {name}:\n  path, was \"a.txt\", now \"b.txt\"\nResult:\n"
    );
    assert!(told.starts_with(&start), "{told}");
    let step = mara.view(&conversation).await["messages"][1]["steps"][0].clone();
    let shown = ["arguments", "asked_arguments", "approved_by", "edited"].map(|field| step[field].clone());
    assert_eq!(shown, [write("b.txt"), write("a.txt"), json!(name), edited.clone()]);
    let event = &find(&ended, "tool_end").data;
    assert_eq!((&event["arguments"], &event["edited"], &event["approved_by"]), (&shown[0], &edited, &json!(name)));
    assert_eq!((&step["state"], &step["output"]["meta"]["executed_arguments"]), (&json!("done"), &write("b.txt")));
    let kept = String::from_utf8(mara.bytes(&format!("{conversation}/export")).await).unwrap();
    assert!(kept.contains(&format!("worked, edited and approved by {name}.")), "{kept}");
    let read = chat.owner.do_it("GET", "/api/audit?tool=builtin:write&outcome=success", Value::Null).await;
    let [row] = read["entries"].as_array().unwrap().as_slice() else { panic!("one row tells the run: {read}") };
    let told = ["arguments", "approved_by", "edited", "call_id"].map(|field| row[field].clone());
    let masked = json!({"path": "b.txt", "content": "***"});
    assert_eq!(told, [masked, json!(name), edited, step["call_id"].clone()]);
}

#[tokio::test]
async fn the_model_is_told_of_changed_arguments_that_failed_and_not_of_ones_that_come_to_the_same() {
    let edit = |old: &str| json!({"path": "a.txt", "old_text": old, "new_text": "pear"});
    let twice = vec![call("edit", edit("apple")), say("No."), call("edit", edit("apple")), say("Yes.")];
    let chat = Chat::start(twice).await;
    // Who may not read is not told beforehand that the text does not occur.
    let mara = chat.person(&["host:fs.write"]).await;
    put(&chat, &mara, "a.txt", b"apple").await;
    let (conversation, parked) = mara.turn("Change a.txt.").await;
    let body = json!({"decision": "approve", "params": edit("banana")});
    let decided = mara.decide(find(&parked, "confirmation"), body).await;
    assert_eq!(decided["result"]["meta"]["executed_arguments"], edit("banana"));
    go_on(&mara, &conversation, &parked).await;
    let told = results(&chat.llm.body(1)).remove(0);
    let start =
        "[TOOL:edit]\nThe person changed the arguments before approving. What ran is not what you asked for, but:\n";
    let changed = "\n  old_text, was \"apple\", now \"banana\"\nResult:\nerror: ";
    assert!(told.starts_with(start) && told.contains(changed), "{told}");
    let parked = mara.say(&conversation, "Again.").await.rest().await;
    let same = json!({"new_text": "pear", "old_text": "apple", "path": "a.txt"});
    let decided = mara.decide(find(&parked, "confirmation"), json!({"decision": "approve", "params": same})).await;
    assert_eq!(
        (&decided["result"]["success"], &decided["result"]["meta"]["executed_arguments"]),
        (&json!(true), &Value::Null)
    );
    go_on(&mara, &conversation, &parked).await;
    assert!(!results(&chat.llm.body(3)).last().unwrap().contains("changed the arguments"));
}

#[tokio::test]
async fn refusing_tells_the_model_why() {
    let chat = Chat::start(vec![call("write", write("a.txt")), say("As you wish.")]).await;
    let mara = writer(&chat).await;
    let (conversation, parked) = mara.turn("Write a.txt.").await;
    let body = json!({"decision": "deny", "reason": "Wrong folder."});
    assert_eq!(mara.decide(find(&parked, "confirmation"), body).await["result"], Value::Null);
    let events = go_on(&mara, &conversation, &parked).await;
    assert_eq!(text(&events), "As you wish.");
    assert!(results(&chat.llm.body(1))[0].contains("refused this call. Nothing was run. Their reason: Wrong folder."));
    let read = chat.owner.do_it("GET", "/api/audit?tool=builtin:write&outcome=success", Value::Null).await;
    assert_eq!(read["entries"], json!([]));
}

#[tokio::test]
async fn several_questions_of_one_message_are_all_decided_before_the_model_is_asked() {
    let wanted = calls(vec![("write", write("a")), ("calculator", json!({"expression": "1"})), ("write", write("b"))]);
    let chat = Chat::start(vec![wanted, say("Both decided.")]).await;
    let mara = writer(&chat).await;
    let (conversation, parked) = mara.turn("Write a and b.").await;
    let questions: Vec<&Event> = parked.iter().filter(|event| event.name == "confirmation").collect();
    assert_eq!(questions.len(), 2);
    mara.decide(questions[1], json!({"decision": "approve"})).await;
    let first = go_on(&mara, &conversation, &parked).await;
    assert_eq!(find(&first, "done").data["state"], "waiting");
    assert_eq!(chat.llm.seen().len(), 1);
    mara.decide(questions[0], json!({"decision": "deny"})).await;
    let second = go_on(&mara, &conversation, &first).await;
    assert_eq!(text(&second), "Both decided.");
    let read = results(&chat.llm.body(1));
    assert!(read[0].contains("refused") && read[1].contains("1") && !read[2].contains("error"), "{read:?}");
}

#[tokio::test]
async fn a_decision_after_a_restart_resumes_the_turn() {
    let chat = Chat::start(vec![call("write", write("a.txt")), say("Written.")]).await;
    let (username, parked, conversation) = {
        let mara = writer(&chat).await;
        let (conversation, parked) = mara.turn("Write a.txt.").await;
        (mara, parked, conversation)
    };
    let chat = chat.restart().await;
    let mara = username.again(&chat.app.satchel.url);
    assert_eq!(mara.view(&conversation).await["state"], "waiting");
    mara.decide(find(&parked, "confirmation"), json!({"decision": "approve"})).await;
    let events = mara.follow(&conversation, Some(&parked.last().unwrap().id)).await.rest().await;
    assert_eq!(names(&events)[0], "reset");
    assert_eq!(text(&events), "Written.");
    assert_eq!(mara.view(&conversation).await["messages"][1]["steps"][0]["success"], true);
}

#[tokio::test]
async fn approving_for_the_conversation_asks_no_more_in_it() {
    let turn = |path: &str| vec![call("write", write(path)), say("Written.")];
    let chat = Chat::start([turn("a"), turn("b"), turn("c")].concat()).await;
    let mara = writer(&chat).await;
    let (conversation, parked) = mara.turn("Write a.").await;
    let body = json!({"decision": "approve", "for_conversation": true});
    mara.decide(find(&parked, "confirmation"), body).await;
    go_on(&mara, &conversation, &parked).await;
    let events = mara.say(&conversation, "Write b.").await.rest().await;
    assert!(!names(&events).contains(&"confirmation"));
    assert_eq!(find(&events, "tool_end").data["success"], true);
    let (_, elsewhere) = mara.turn("Write c.").await;
    assert!(names(&elsewhere).contains(&"confirmation"));
}

#[tokio::test]
async fn going_on_without_deciding_gives_the_question_up() {
    let chat = Chat::start(vec![call("write", write("a")), say("Then not.")]).await;
    let mara = writer(&chat).await;
    let (conversation, parked) = mara.turn("Write a.").await;
    assert_eq!(text(&mara.say(&conversation, "Never mind.").await.rest().await), "Then not.");
    assert!(results(&chat.llm.body(1))[0].contains("went on without deciding"));
    let id = find(&parked, "confirmation").data["ticket"]["id"].as_str().unwrap().to_owned();
    let (status, _) = mara.ask("POST", &format!("/api/tickets/{id}"), json!({"decision": "approve"})).await;
    assert_eq!(status, 409);
}

/// A command that runs until there is a file `go`.
fn until_go(said: &str) -> Value {
    json!({"command": format!("until [ -e go ]; do sleep 0.05; done; echo {said}")})
}

/// A conversation whose command was approved in changed words, and runs; with what becomes of the decision.
async fn approved_and_running(chat: &Chat) -> (Arc<Person>, String, JoinHandle<Value>) {
    chat.set(json!({"exec": {"mode": "sandboxed", "ask": "always"}})).await;
    let mara = Arc::new(chat.person(&["host:exec"]).await);
    let (conversation, parked) = mara.turn("Run it.").await;
    let asked = find(&parked, "confirmation").clone();
    let ticket = format!("/api/tickets/{}", asked.data["ticket"]["id"].as_str().unwrap());
    let approving = tokio::spawn({
        let mara = Arc::clone(&mara);
        async move { mara.decide(&asked, json!({"decision": "approve", "params": until_go("it ran")})).await }
    });
    while mara.do_it("GET", &ticket, Value::Null).await["state"] != "running" {
        pause().await;
    }
    (mara, conversation, approving)
}

/// The first call of a conversation.
async fn step(person: &Person, conversation: &str) -> Value {
    person.view(conversation).await["messages"][1]["steps"][0].clone()
}

/// Returns where a call stands as it is shown, and what runs in place of what.
fn shown(step: &Value) -> [Value; 4] {
    ["state", "success", "arguments", "asked_arguments"].map(|field| step[field].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_approved_and_still_runs_when_its_conversation_goes_on_is_never_said_not_to_have_run() {
    let chat = Chat::start(vec![call("exec", until_go("as asked")), say("Four.")]).await;
    let (mara, conversation, approving) = approved_and_running(&chat).await;
    let running = [json!("running"), Value::Null, until_go("it ran"), until_go("as asked")];
    let found = step(&mara, &conversation).await;
    assert_eq!(shown(&found), running, "what runs is shown while it does, not a question that is answered");
    assert!(found["approved_by"].is_string(), "{found}");
    mara.say(&conversation, "Never mind. How much is two and two?").await.rest().await;
    assert_eq!(shown(&step(&mara, &conversation).await), running, "also once the conversation has gone on");
    let read = results(&chat.llm.body(1)).remove(0);
    assert!(read.contains("it may or may not have taken effect") && read.contains("echo it ran"), "{read}");

    put(&chat, &mara, "go", b"").await;
    assert_eq!(approving.await.unwrap()["result"]["success"], true);
    let ended = step(&mara, &conversation).await;
    assert_eq!(shown(&ended), [json!("done"), json!(true), until_go("it ran"), until_go("as asked")]);
    assert!(ended["approved_by"].is_string(), "{ended}");
    assert!(ended["model_text"].as_str().unwrap().contains("it ran"), "{ended}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_its_person_stops_after_the_conversation_went_on_is_said_to_be_stopped() {
    let chat = Chat::start(vec![call("exec", until_go("as asked")), say("Four.")]).await;
    let (mara, conversation, approving) = approved_and_running(&chat).await;
    mara.say(&conversation, "Never mind.").await.rest().await;
    mara.do_it("POST", &format!("{conversation}/stop"), Value::Null).await;
    assert_eq!(approving.await.unwrap()["result"]["problem"]["kind"], "cancelled");
    let ended = step(&mara, &conversation).await;
    assert_eq!(shown(&ended), [json!("cancelled"), json!(false), until_go("it ran"), until_go("as asked")]);
    let read = chat.owner.do_it("GET", "/api/audit?tool=builtin:exec&outcome=stopped", Value::Null).await;
    assert_eq!(read["entries"][0]["arguments"], until_go("it ran"), "{read}");
}

/// Approves the question of a parked turn with another path, as a decision does whose server dies while the call runs.
async fn approve_and_die(chat: &Chat, parked: &[Event], path: &str) -> TicketId {
    let app = &chat.app.satchel.app;
    let asked = &find(parked, "confirmation").data["ticket"];
    let (ticket, user) =
        (asked["id"].as_str().unwrap().parse().unwrap(), asked["user"].as_str().unwrap().parse().unwrap());
    let approved = Approved {
        approved_by: Some("mara".to_owned()),
        executed: Some(write(path)),
        edited: Edit::between(&asked["arguments"], &write(path)),
        ..Approved::default()
    };
    app.stores.tickets.take(ticket, user, approved, app.clock.now()).await.unwrap();
    ticket
}

#[tokio::test]
async fn a_restart_tells_what_came_of_calls_that_ran_when_the_server_died() {
    let asks = |path: &str| call("write", write(path));
    let script = vec![asks("died.txt"), say("On."), asks("ended.txt"), say("On."), asks("parked.txt"), say("Noted.")];
    let chat = Chat::start(script).await;
    let mara = writer(&chat).await;

    let (died, parked) = mara.turn("Write died.txt.").await;
    approve_and_die(&chat, &parked, "other.txt").await;
    mara.say(&died, "Never mind.").await.rest().await;

    // It ended, but its conversation was not told any more.
    let (ended, parked) = mara.turn("Write ended.txt.").await;
    let ticket = approve_and_die(&chat, &parked, "other.txt").await;
    mara.say(&ended, "Never mind.").await.rest().await;
    let approved = Approved { executed: Some(write("other.txt")), ..Approved::default() };
    let verdict = Verdict::Ran { output: Output::text("it ran"), duration_ms: 7, approved, handle: None };
    chat.app.satchel.app.stores.tickets.finish(ticket, verdict).await.unwrap();

    let (waits, parked) = mara.turn("Write parked.txt.").await;
    approve_and_die(&chat, &parked, "other.txt").await;

    let chat = chat.restart().await;
    let mara = mara.again(&chat.app.satchel.url);
    let uncertain = |asked: &str| [json!("uncertain"), Value::Null, write("other.txt"), write(asked)];
    let told = "The server stopped while this ran: it may or may not have taken effect.";

    let found = step(&mara, &died).await;
    assert_eq!(shown(&found), uncertain("died.txt"));
    assert!(found["model_text"].as_str().unwrap().contains(told), "{found}");
    assert_eq!((&found["approved_by"], &found["edited"][0]["from"]), (&json!("mara"), &json!("died.txt")));

    let found = step(&mara, &ended).await;
    assert_eq!(shown(&found), [json!("done"), json!(true), write("other.txt"), write("ended.txt")]);
    assert!(found["model_text"].as_str().unwrap().contains("it ran"), "{found}");

    assert_eq!(text(&mara.follow(&waits, None).await.rest().await), "Noted.");
    assert_eq!(shown(&step(&mara, &waits).await), uncertain("parked.txt"));
    assert!(results(&chat.llm.body(5))[0].contains(told), "{}", chat.llm.body(5));
}
