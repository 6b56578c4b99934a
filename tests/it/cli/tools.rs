//! `satchel tools`, `satchel find` and `satchel call`.

use serde_json::{Value, json};

use super::told::{done, either_way, failed};
use crate::support::{
    chat::Person,
    program::{Home, Told},
};

/// Every command is asked about, and runs in the sandbox.
async fn ask_always(home: &Home) {
    let server = home.serve(&[]).await;
    let owner = Person::sign_in(&server.url, "owner").await;
    owner.do_it("PUT", "/api/settings", json!({"exec": {"mode": "sandboxed", "ask": "always"}})).await;
    server.stop().await;
}

fn parsed(told: &Told) -> Value {
    serde_json::from_str(&told.out).unwrap_or_else(|e| panic!("{e}: {told:?}"))
}

#[tokio::test]
async fn the_tools_are_listed_and_found() {
    either_way(async |home| {
        let tools = home.json(&["tools"]).await;
        let names: Vec<&str> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert!(names.contains(&"calculator") && names.contains(&"exec"), "{names:?}");
        let table = home.run(&["tools"]).await;
        assert_eq!((table.code, table.out.lines().count()), (0, names.len() + 1));
        assert!(table.out.starts_with("name "), "{}", table.out);
        let found = home.run(&["find", "work out what 3 times 4 is", "--limit", "2"]).await;
        // Its last line may say that the tools are still being embedded.
        let rows = found.out.lines().filter(|line| !line.is_empty() && !line.starts_with("The tools")).count();
        assert_eq!((found.code, rows), (0, 3), "{found:?}");
        let found = home.json(&["find", "evaluate a mathematical expression"]).await;
        assert_eq!(found["results"][0]["name"], "calculator");
        assert_eq!(home.run(&["find"]).await.code, 2);
    })
    .await;
}

#[tokio::test]
async fn a_call_takes_json_or_pairs_and_prints_the_result() {
    either_way(async |home| {
        let json_call = home.run(&["call", "calculator", r#"{"expression": "6 * 7"}"#]).await;
        assert_eq!(json_call, done("42\n"));
        assert_eq!(home.run(&["call", "calculator", "expression=6 * 7"]).await, json_call);
        let whole = home.json(&["call", "calculator", "expression=6 * 7"]).await;
        assert_eq!([&whole["success"], &whole["data"], &whole["error"]], [&json!(true), &json!(42), &Value::Null]);
        let rows = r#"data=[{"a": 1}, {"a": 2}]"#;
        let filtered = home.run(&["call", "filter_rows", rows, "field=a", "operator=gt", "value=1"]).await;
        assert_eq!(parsed(&filtered), json!({"count": 1, "matches": [{"a": 2}]}));
        let rehearsed = home.json(&["call", "calculator", "expression=1", "--dry-run"]).await;
        assert_eq!(rehearsed["data"]["dry_run"], true);
    })
    .await;
}

#[tokio::test]
async fn a_call_that_fails_says_why_and_exits_with_one() {
    either_way(async |home| {
        let failure = home.run(&["call", "memory_get", "key=nothing"]).await;
        assert_eq!((failure.code, failure.err.as_str()), (1, ""), "{failure:?}");
        assert!(failure.out.starts_with("Failed: "), "{failure:?}");
        let whole = home.run(&["call", "memory_get", "key=nothing", "--json"]).await;
        assert_eq!((whole.code, &parsed(&whole)["success"]), (1, &json!(false)));
        let wrong = home.run(&["call", "calculator", "expresion=1"]).await;
        assert!(wrong.code == 1 && wrong.err.contains("unknown parameter 'expresion'"), "{wrong:?}");
        let unknown = home.run(&["call", "no_such_tool"]).await;
        assert!(unknown.code == 1 && unknown.err.contains("no_such_tool"), "{unknown:?}");
    })
    .await;
}

#[tokio::test]
async fn a_line_that_cannot_be_meant_exits_with_two() {
    let home = Home::new().await;
    for words in [
        &["call"] as &[&str],
        &["call", "calculator", "stray"],
        &["call", "calculator", "{oops"],
        &["call", "calculator", "--surely"],
        &["fly"],
        &[],
        &["tools", "extra"],
    ] {
        let told = home.run(words).await;
        assert_eq!((told.code, told.out.as_str(), told.err.is_empty()), (2, "", false), "{words:?}: {told:?}");
    }
    assert_eq!(home.run(&["--help"]).await.code, 0);
    assert_eq!(home.run(&["--version"]).await.out, format!("satchel {}\n", env!("CARGO_PKG_VERSION")));
}

#[tokio::test]
async fn without_a_terminal_a_question_exits_with_three_and_yes_answers_it() {
    let home = Home::new().await;
    ask_always(&home).await;
    let call = ["call", "exec", "command=echo hello"];
    let try_it = async || {
        let asked = home.run(&call).await;
        assert_eq!((asked.code, asked.err.as_str()), (3, ""), "{asked:?}");
        let start = "Run “echo hello”? Needs confirmation: The settings ask about every command. Ticket ";
        assert!(asked.out.starts_with(start), "{asked:?}");
        let whole = home.run(&[&call as &[&str], &["--json"]].concat()).await;
        let ticket = parsed(&whole);
        assert_eq!((whole.code, &ticket["arguments"]), (3, &json!({"command": "echo hello"})));
        let id = ticket["ticket"].as_str().unwrap();
        let waits = home.run(&[&call as &[&str], &["--ticket", id]].concat()).await;
        assert_eq!(waits.code, 3, "nobody has decided: {waits:?}");
        let yes = home.run(&[&call as &[&str], &["--yes"]].concat()).await;
        assert_eq!((yes.code, &parsed(&yes)["stdout"]), (0, &json!("hello\n")), "{yes:?}");
    };
    try_it().await;
    let server = home.serve(&[]).await;
    try_it().await;
    server.stop().await;
}

#[tokio::test]
async fn at_a_terminal_the_person_is_asked() {
    let home = Home::new().await;
    ask_always(&home).await;
    let call = ["call", "exec", "command=echo \u{202e}hello"];
    let yes = home.run_at_terminal(&call, "y\n").await;
    assert!(
        yes.code == 0 && yes.out.contains("Run “echo \\u{202e}hello”? [y/N]") && yes.out.contains("\"stdout\""),
        "{yes:?}"
    );
    assert!(yes.out.contains("Note: command holds characters that cannot be seen."), "and it is said: {yes:?}");
    for answer in ["n\n", "\n", "yep\n"] {
        let no = home.run_at_terminal(&call, answer).await;
        assert!(no.code == 1 && no.out.contains("Refused: nothing was run."), "{answer:?}: {no:?}");
    }
}

#[tokio::test]
async fn a_tool_that_is_switched_off_is_an_error_here_too() {
    let home = Home::new().await;
    let server = home.serve(&[]).await;
    let owner = Person::sign_in(&server.url, "owner").await;
    owner.do_it("PUT", "/api/settings", json!({"tools_enabled": false})).await;
    assert_eq!(home.run(&["call", "calculator", "expression=1"]).await, failed("Tools are disabled."));
    server.stop().await;
    assert_eq!(home.run(&["call", "calculator", "expression=1"]).await, failed("Tools are disabled."));
}

#[tokio::test]
async fn what_is_kept_for_a_person_is_refused_before_there_is_one() {
    let home = Home::empty();
    home.serve(&[]).await.stop().await;
    let told = home.run(&["call", "clipboard_write", "text=x"]).await;
    assert!(told.code == 1 && told.out.contains("Before there is an owner, open the link"), "{told:?}");
}
