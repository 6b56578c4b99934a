//! Background processes through the pipeline.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

use std::time::{Duration, Instant};

use satchel::{
    model::{caller::Caller, error::Kind},
    store::users::UserChange,
};
use serde_json::{Value, json};

use crate::support::app::TestApp;

async fn app() -> (TestApp, Caller) {
    let app = TestApp::start().await;
    app.set(json!({"exec": {"mode": "sandboxed"}})).await;
    let owner = app.caller(&["*"]).await;
    (app, owner)
}

async fn start(app: &TestApp, owner: &Caller, command: &str) -> String {
    let data = app.data(owner, "process", json!({"action": "start", "command": command})).await.unwrap();
    data["session_id"].as_str().unwrap().to_owned()
}

/// The status once it fits, for a while.
async fn status_when(app: &TestApp, owner: &Caller, id: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        let status = app.data(owner, "process", json!({"action": "status", "session_id": id})).await.unwrap();
        if fits(&status) {
            return status;
        }
        assert!(Instant::now() < deadline, "still {status}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn left(mark: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let read = |path: std::path::PathBuf| std::fs::read(path.join("cmdline")).unwrap_or_default();
    entries.map(|entry| read(entry.path())).any(|line| String::from_utf8_lossy(&line).contains(mark))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_runs_on_is_seen_and_ends() {
    let (app, owner) = app().await;
    let id = start(&app, &owner, "echo first; read -t 1 < /dev/zero; echo last >&2; exit 4").await;
    assert!(id.starts_with("proc_"), "{id}");
    let status = status_when(&app, &owner, &id, |status| status["state"] == "exited").await;
    assert_eq!(status["exit_code"], json!(4));
    assert!(status["output"].as_str().unwrap().contains("first\n"), "{status}");
    assert!(status["output"].as_str().unwrap().contains("last\n"), "{status}");
    let list = app.data(&owner, "process", json!({"action": "list"})).await.unwrap();
    assert_eq!(list, json!({"processes": [status]}));
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_ends_all_that_was_started() {
    let (app, owner) = app().await;
    let mark = "86317";
    let line = format!("trap '' TERM; setsid sleep {mark} & echo up; while :; do sleep {mark}; done");
    let id = start(&app, &owner, &line).await;
    status_when(&app, &owner, &id, |status| status["output"] == "up\n").await;
    assert!(left(mark));
    let status = app.data(&owner, "process", json!({"action": "stop", "session_id": id})).await.unwrap();
    assert_eq!(
        (&status["state"], &status["exit_code"], &status["signal"]),
        (&json!("exited"), &json!(null), &json!(9))
    );
    assert!(!left(mark));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_may_end_gently_when_it_is_stopped() {
    let (app, owner) = app().await;
    let id = start(&app, &owner, "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done").await;
    status_when(&app, &owner, &id, |status| status["output"] == "up\n").await;
    let status = app.data(&owner, "process", json!({"action": "stop", "session_id": id})).await.unwrap();
    assert_eq!(status["exit_code"], json!(0), "{status}");
    // The shell may add a word on the `sleep` that was ended with it.
    assert!(status["output"].as_str().unwrap().contains("bye\n"), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_long_output_is_kept() {
    let (app, owner) = app().await;
    let id = start(&app, &owner, "seq 1 100000").await;
    let status = status_when(&app, &owner, &id, |status| status["state"] == "exited").await;
    let output = status["output"].as_str().unwrap();
    assert!(output.len() <= 65_536 && output.ends_with("99999\n100000\n"), "{}", output.len());
    assert_eq!(status["output_bytes"], json!(588_895));
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_are_their_users_alone_and_bounded() {
    let (app, owner) = app().await;
    let id = start(&app, &owner, "sleep 300").await;
    let other = app.caller(&["*"]).await;
    for action in ["status", "stop"] {
        let arguments = json!({"action": action, "session_id": id});
        assert_eq!(app.data(&other, "process", arguments).await.unwrap_err().kind(), Kind::NotFound, "{action}");
    }
    assert_eq!(app.data(&other, "process", json!({"action": "list"})).await.unwrap(), json!({"processes": []}));
    for _ in 1..16 {
        start(&app, &owner, "sleep 300").await;
    }
    let more = json!({"action": "start", "command": "sleep 300"});
    assert_eq!(app.data(&owner, "process", more).await.unwrap_err().kind(), Kind::Exhausted);
}

/// Waits until it holds, for a while.
async fn until(holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !holds() {
        assert!(Instant::now() < deadline, "it does not come to hold");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_ends_with_its_owners_right_to_run_it_and_files_go_with_their_owner() {
    let (app, _) = app().await;
    let people = &app.satchel.app.stores.people;
    let by = app.owner().await;
    for (mark, change) in [
        ("86331", Some(UserChange { disabled: Some(true), ..UserChange::default() })),
        ("86332", Some(UserChange { role: Some("viewer".to_owned()), ..UserChange::default() })),
        ("86333", None),
    ] {
        let mara = app.caller(&["*"]).await;
        let line = format!("echo here > own.txt; while :; do sleep {mark}; done");
        start(&app, &mara, &line).await;
        let workspace = app.dir.path().join("workspaces").join(mara.user.to_string());
        until(|| left(mark) && workspace.join("own.txt").exists()).await;
        let stays = change.is_some();
        match change {
            Some(change) => drop(people.change_user(&by, mara.user, change).await.unwrap()),
            None => people.delete_user(&by, mara.user).await.unwrap(),
        }
        until(|| !left(mark) && workspace.exists() == stays).await;
    }
    assert!(app.satchel.app.host.processes.owners().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_process_outlives_the_server() {
    let (app, owner) = app().await;
    let mark = "86423";
    start(&app, &owner, &format!("setsid sleep {mark} & sleep {mark}")).await;
    app.satchel.stop().await;
    assert!(!left(mark));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_action_needs_is_named() {
    let (app, owner) = app().await;
    for (arguments, word) in [
        (json!({}), "action"),
        (json!({"action": "restart"}), "action"),
        (json!({"action": "start"}), "command"),
        (json!({"action": "start", "command": " "}), "command"),
        (json!({"action": "stop"}), "session_id"),
        (json!({"action": "status"}), "session_id"),
    ] {
        let error = app.data(&owner, "process", arguments.clone()).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid, "{arguments}");
        assert!(error.message().contains(word), "{arguments}: {error}");
    }
    app.set(json!({"exec": {"blocked": ["sleep"]}})).await;
    let error = app.data(&owner, "process", json!({"action": "start", "command": "sleep 1"})).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Denied);
}
