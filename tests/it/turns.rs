//! Turns that wait, are taken over, or cost too much room: over HTTP, with the real tools.

use std::sync::Arc;

use satchel::{
    model::{
        call::CallId,
        conversation::{Message, MessageId, Role, Step, StepState},
        llm::Usage,
        spec::Risk,
    },
    store::turns::{NewTurn, OpenTurn, Question, Turns},
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::support::{
    chat::{Chat, Event, Person, find, names, results, text},
    fake_llm::{Piece, Reply, call, calls, refuse, say},
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
    let (conversation, parked) = mara.turn("Write a.txt.").await;
    let body = json!({"decision": "approve", "params": write("b.txt")});
    let decided = mara.decide(find(&parked, "confirmation"), body).await;
    assert_eq!(decided["result"]["meta"]["executed_arguments"], write("b.txt"));
    go_on(&mara, &conversation, &parked).await;
    let told = results(&chat.llm.body(1)).remove(0);
    let start = "[TOOL:write]\nThe person changed the arguments before approving. What ran is not what you asked for, \
                 but:\n  path: b.txt\n  content: x\nResult:\n";
    assert!(told.starts_with(start), "{told}");
    let step = mara.view(&conversation).await["messages"][1]["steps"][0].clone();
    assert_eq!((&step["arguments"], &step["state"]), (&write("a.txt"), &json!("done")));
    assert_eq!(step["output"]["meta"]["executed_arguments"], write("b.txt"));
}

#[tokio::test]
async fn the_model_is_told_of_changed_arguments_that_failed_and_not_of_ones_that_come_to_the_same() {
    let twice = vec![call("write", write("a.txt")), say("No."), call("write", write("a.txt")), say("Yes.")];
    let chat = Chat::start(twice).await;
    let mara = writer(&chat).await;
    let (conversation, parked) = mara.turn("Write a.txt.").await;
    let body = json!({"decision": "approve", "params": write("no/such/folder/a.txt")});
    let decided = mara.decide(find(&parked, "confirmation"), body).await;
    assert_eq!(decided["result"]["error"]["details"]["executed_arguments"], write("no/such/folder/a.txt"));
    go_on(&mara, &conversation, &parked).await;
    let told = results(&chat.llm.body(1)).remove(0);
    assert!(told.contains("The person had changed the arguments to") && told.contains("no/such/folder"), "{told}");
    let parked = mara.say(&conversation, "Again.").await.rest().await;
    let same = json!({"content": "x", "path": "a.txt", "create_dirs": null});
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

#[tokio::test]
async fn an_answer_the_stop_of_the_server_cut_off_is_asked_for_again() {
    let forever = Arc::new(Notify::new());
    let half = Reply::Answer(vec![Piece::Text("Half an".to_owned()), Piece::Hold(forever)]);
    let chat = Chat::start(vec![half, say("The whole answer.")]).await;
    let conversation = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&conversation, "Answer.").await;
    stream.until("token").await;
    let chat = chat.restart().await;
    let events = chat.owner.follow(&conversation, None).await.rest().await;
    assert_eq!(text(&events), "The whole answer.");
    let view = chat.owner.view(&conversation).await;
    assert_eq!(view["messages"].as_array().unwrap().len(), 2);
    assert_eq!(view["turn"]["state"], "done");
}

/// Leaves a turn as a crash in the middle of its calls leaves it.
async fn crash_amid(chat: &Chat, steps: Vec<(&str, Value, Risk, StepState)>) -> String {
    let app = &chat.app.satchel.app;
    let (turns, caller, now) = (Turns::of(&app.db), chat.app.owner().await.caller, app.clock.now());
    let made = chat.app.satchel.agent.conversations().create(caller.user, String::new(), now).await.unwrap();
    let new = NewTurn { conversation: made.id, caller, provider: None, now };
    let question = Question { text: "Do it.".to_owned(), attachments: Vec::new(), title: "Do it".to_owned() };
    let (turn, ..): (OpenTurn, _, _) = turns.begin(new, question).await.unwrap();
    let step = |(position, (tool, arguments, risk, state)): (usize, (&str, Value, Risk, StepState))| Step {
        call_id: CallId::new(),
        tool: format!("builtin:{tool}"),
        asked_as: tool.to_owned(),
        arguments,
        risk,
        state,
        success: None,
        output: None,
        model_text: None,
        ticket: None,
        duration_ms: None,
        started_at: now,
        ticket_id: None,
        provider_id: format!("call_{position}"),
        malformed: None,
    };
    let message = Message {
        id: MessageId::new(),
        turn_id: turn.id,
        role: Role::Assistant,
        text: String::new(),
        attachments: Vec::new(),
        citations: Vec::new(),
        steps: steps.into_iter().enumerate().map(step).collect(),
        created_at: now,
        model: None,
        usage: None,
        error: None,
    };
    turns.record(&turn, message, Usage::default(), 3).await.unwrap();
    format!("/api/conversations/{}", made.id)
}

#[tokio::test]
async fn a_restart_reads_again_and_never_replays_a_write() {
    let chat = Chat::start(vec![say("I looked and went on.")]).await;
    let add = |item: &str| json!({"action": "add", "list": "shopping", "item": item});
    let conversation = crash_amid(
        &chat,
        vec![
            ("calculator", json!({"expression": "6 * 7"}), Risk::Read, StepState::Running),
            ("list", add("milk"), Risk::LowWrite, StepState::Running),
            ("list", add("bread"), Risk::LowWrite, StepState::Pending),
        ],
    )
    .await;
    let chat = chat.restart().await;
    let events = chat.owner.follow(&conversation, None).await.rest().await;
    assert_eq!(text(&events), "I looked and went on.");
    let read = results(&chat.llm.body(0));
    assert_eq!(read[0], "[TOOL:calculator]\n42\n[/TOOL]");
    assert!(read[1].contains("may or may not have taken effect"), "{}", read[1]);
    let view = chat.owner.view(&conversation).await;
    let states: Vec<_> = view["messages"][1]["steps"].as_array().unwrap().iter().map(|s| s["state"].clone()).collect();
    assert_eq!(states, ["done", "uncertain", "done"]);
    let body = json!({"params": {"action": "view", "list": "shopping"}});
    let list = chat.owner.do_it("POST", "/api/tools/list/invoke", body).await;
    assert!(list.to_string().contains("bread") && !list.to_string().contains("milk"), "{list}");
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
    }
    let events = chat.owner.post(&format!("{conversation}/regenerate"), Value::Null).await.rest().await;
    assert_eq!(text(&events), "Red.");
    let messages = chat.owner.view(&conversation).await["messages"].clone();
    assert_eq!((messages.as_array().unwrap().len(), &messages[1]["text"]), (2, &json!("Red.")));
    let path = format!("{conversation}/branch");
    let branch = chat.owner.do_it("POST", &path, json!({"message_id": messages[0]["id"]})).await;
    let branch = format!("/api/conversations/{}", branch["id"].as_str().unwrap());
    assert_eq!(chat.owner.view(&branch).await["messages"].as_array().unwrap().len(), 1);
    chat.owner.say(&branch, "Another?").await.rest().await;
    assert_eq!(chat.owner.view(&conversation).await["messages"].as_array().unwrap().len(), 2);
    let export = chat.owner.do_it("GET", &format!("{conversation}/export"), Value::Null).await;
    assert!(export.as_str().unwrap().starts_with("# Colours\n") && export.as_str().unwrap().contains("\nRed.\n"));
    chat.owner.do_it("DELETE", &conversation, Value::Null).await;
    assert_eq!(chat.owner.ask("GET", &conversation, Value::Null).await.0, 404);
    assert_eq!(chat.owner.view(&branch).await["messages"].as_array().unwrap().len(), 3);
}
