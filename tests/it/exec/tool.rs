//! The tools `exec`, `bash`, `shell-exec` and `run_cli` through the pipeline.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

use std::{fs, thread};

use satchel::model::{
    call::{Call, Outcome},
    error::{Error, Kind},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::bench::exists;
use crate::support::app::TestApp;

/// Seconds in which any machine starts a command.
const LONGEST: u64 = 60;

async fn app(exec: Value) -> TestApp {
    let app = TestApp::start().await;
    app.set(json!({"exec": exec})).await;
    app
}

async fn error(app: &TestApp, tool: &str, arguments: Value) -> Error {
    let owner = app.caller(&["*"]).await;
    match app.data(&owner, tool, arguments.clone()).await {
        Ok(data) => panic!("{tool} {arguments} gave {data}"),
        Err(error) => error,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_are_off_until_an_administrator_enables_them() {
    let app = TestApp::start().await;
    for (tool, arguments) in [
        ("exec", json!({"command": "true"})),
        ("bash", json!({"command": "true"})),
        ("shell-exec", json!({"command": "true"})),
        ("run_cli", json!({"command": "true", "args": []})),
        ("process", json!({"action": "list"})),
    ] {
        let error = error(&app, tool, arguments).await;
        assert_eq!(error.kind(), Kind::Disabled, "{tool}");
        assert!(error.message().contains("exec.mode"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_name_gives_back_its_own_keys() {
    let app = app(json!({"mode": "sandboxed"})).await;
    let owner = app.caller(&["*"]).await;
    let whole = json!({"stdout": "a\n", "stderr": "", "exit_code": 0});
    assert_eq!(app.data(&owner, "exec", json!({"command": "echo a"})).await.unwrap(), whole);
    assert_eq!(app.data(&owner, "bash", json!({"command": "echo a"})).await.unwrap(), whole);
    assert_eq!(app.data(&owner, "run_cli", json!({"command": "echo", "args": ["a"]})).await.unwrap(), whole);
    let killed = json!({"command": "sh", "args": ["-c", "kill -9 $$"]});
    let data = app.data(&owner, "shell-exec", killed).await.unwrap();
    assert_eq!(data, json!({"stdout": "", "stderr": "", "exitCode": null}));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_arguments_are_named() {
    let app = app(json!({"mode": "sandboxed"})).await;
    for (tool, arguments, word) in [
        ("exec", json!({}), "command"),
        ("exec", json!({"command": "true", "timeout": 5, "timeout_seconds": 6}), "timeout"),
        ("exec", json!({"command": "true", "timeout": 0}), "timeout"),
        ("exec", json!({"command": "true", "timeout": 601}), "timeout"),
        ("exec", json!({"command": "true", "cwd": "/etc"}), "outside"),
        ("exec", json!({"command": "true", "cwd": "missing"}), "no directory"),
        ("exec", json!({"command": "true", "security": "full"}), "security"),
        ("bash", json!({"command": "true", "args": []}), "args"),
        ("shell-exec", json!({"command": "echo", "args": [1]}), "args"),
        ("shell-exec", json!({"command": "echo a"}), "echo a"),
        ("run_cli", json!({"command": "true"}), "args"),
        ("run_cli", json!({"command": "echo a", "args": []}), "bare"),
        ("run_cli", json!({"command": "/bin/echo", "args": []}), "bare"),
        ("run_cli", json!({"command": "./x", "args": []}), "bare"),
        ("run_cli", json!({"command": "cat", "args": ["/etc/passwd"]}), "outside"),
        ("run_cli", json!({"command": "cat", "args": ["../../vault.key"]}), "outside"),
        ("run_cli", json!({"command": "grep", "args": ["--file=/etc/passwd"]}), "outside"),
        ("run_cli", json!({"command": "cc", "args": ["-I/usr/include"]}), "outside"),
    ] {
        let error = error(&app, tool, arguments.clone()).await;
        assert!(matches!(error.kind(), Kind::Invalid | Kind::Denied | Kind::NotFound), "{arguments}: {error:?}");
        assert!(error.message().contains(word), "{arguments}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_within_the_workspace_pass_the_strict_check() {
    let app = app(json!({"mode": "sandboxed"})).await;
    let owner = app.caller(&["*"]).await;
    for args in
        [json!(["src/main.rs", "a/../b", "HEAD~1"]), json!(["-n", "--flag=x/y", "s/a/b/"]), json!(["https://x.org/y"])]
    {
        app.data(&owner, "run_cli", json!({"command": "echo", "args": args})).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_argument_that_only_begins_like_an_address_is_checked_as_a_path() {
    let app = app(json!({"mode": "sandboxed"})).await;
    let owner = app.caller(&["*"]).await;
    app.data(&owner, "exec", json!({"command": "ln -s /usr/lib httplib"})).await.unwrap();
    let named_like_one = "mkdir -p http: sub && ln -s /usr/lib sub/lib && ln -s /usr/lib a:b";
    app.data(&owner, "exec", json!({"command": named_like_one})).await.unwrap();
    for argument in
        ["httplib/os-release", "http:/../../../etc/passwd", "http://../../../../etc/os-release", "a:b/os-release"]
    {
        let refused = app.data(&owner, "run_cli", json!({"command": "cat", "args": [argument]})).await.unwrap_err();
        assert_eq!(refused.kind(), Kind::Denied, "{argument}: {refused}");
    }
    let below = json!({"command": "cat", "args": ["lib/os-release"], "cwd": "sub", "strict": true});
    assert_eq!(app.data(&owner, "exec", below).await.unwrap_err().kind(), Kind::Denied);
    let echoed = json!({"command": "echo", "args": ["http://x.org/usr/lib", "https://x.org/../y"]});
    app.data(&owner, "run_cli", echoed).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_is_a_failure_that_keeps_the_output() {
    let app = app(json!({"mode": "sandboxed"})).await;
    let mut seconds = 1;
    let error = loop {
        let error = error(&app, "exec", json!({"command": "echo so far; sleep 600", "timeout": seconds})).await;
        // Before its time was over, a busy machine may not even have started the command.
        if seconds > LONGEST || error.message().contains("so far") {
            break error;
        }
        seconds *= 2;
    };
    assert_eq!(error.kind(), Kind::Timeout);
    assert!(error.message().starts_with(&format!("timed out after {seconds}s")), "{error}");
    assert!(error.message().contains("so far"), "{error}");
    assert_eq!(error.details().unwrap()["stdout"], json!("so far\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_policy_decides_and_no_parameter_does() {
    let listed = app(json!({"mode": "sandboxed", "security": "allowlist", "allowlist": ["sort", "wc"]})).await;
    let owner = listed.caller(&["*"]).await;
    assert!(listed.data(&owner, "exec", json!({"command": "echo a | sort; wc -l < /dev/null"})).await.is_ok());
    for arguments in [
        json!({"command": "ls"}),
        json!({"command": "sort $(ls)"}),
        json!({"command": "sort", "env": {"LD_PRELOAD": "x"}}),
        json!({"command": "ls", "args": []}),
    ] {
        assert_eq!(error(&listed, "exec", arguments.clone()).await.kind(), Kind::Denied, "{arguments}");
    }
    let denying = app(json!({"mode": "sandboxed", "security": "deny"})).await;
    assert_eq!(error(&denying, "exec", json!({"command": "true"})).await.kind(), Kind::Disabled);
    let blocking = app(json!({"mode": "sandboxed", "blocked": ["wc"]})).await;
    assert_eq!(error(&blocking, "run_cli", json!({"command": "wc", "args": []})).await.kind(), Kind::Denied);
}

#[tokio::test(flavor = "multi_thread")]
async fn asking_is_a_setting_and_holds_for_administrators_too() {
    let app = app(json!({"mode": "sandboxed", "ask": "on_miss", "allowlist": ["sort"]})).await;
    let owner = app.caller(&["*"]).await;
    let hit = app.call(&owner, "exec", json!({"command": "sort < /dev/null"})).await.unwrap();
    assert!(matches!(hit, Outcome::Done(_)), "{hit:?}");
    for (tool, arguments) in [
        ("exec", json!({"command": "ls"})),
        ("shell-exec", json!({"command": "ls"})),
        ("process", json!({"action": "start", "command": "ls"})),
    ] {
        let Outcome::Confirm(ticket) = app.call(&owner, tool, arguments).await.unwrap() else { panic!("{tool} ran") };
        assert!(ticket.reason.contains("'ls' is not on the list"), "{}", ticket.reason);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_permission_nothing_runs_and_without_every_permission_a_person_is_asked() {
    let app = app(json!({"mode": "sandboxed"})).await;
    let nobody = app.caller(&["host:fs.read"]).await;
    assert_eq!(app.call(&nobody, "bash", json!({"command": "true"})).await.unwrap_err().kind(), Kind::NotFound);
    let user = app.caller(&["host:exec"]).await;
    let outcome = app.call(&user, "bash", json!({"command": "true"})).await.unwrap();
    assert!(matches!(outcome, Outcome::Confirm(_)), "{outcome:?}");
}

/// Returns whether a process runs with this text in its command line.
fn runs(text: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.into_iter().any(|line| String::from_utf8_lossy(&line).contains(text))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_is_being_ended_counts_as_running_until_nothing_of_it_is_left() {
    const LONG: &str = "31536017";
    let app = app(json!({"mode": "sandboxed"})).await;
    let owner = app.caller(&["*"]).await;
    let (user, processes) = (owner.user, app.satchel.app.host.processes.clone());
    let (stop, invoker) = (CancellationToken::new(), app.satchel.invoker.clone());
    let call = Call::new(owner, "exec", json!({"command": format!("touch here; sleep {LONG}")}));
    let running = tokio::spawn({
        let stop = stop.clone();
        async move { invoker.invoke(call, stop).await }
    });
    exists(&app.satchel.app.files_of(user).unwrap().workspace().join("here")).await;
    // The first look of each round comes before the second: what is there then was there before.
    let looks = thread::spawn(move || {
        loop {
            let counts = processes.running().contains(&user);
            if !runs(LONG) {
                return true;
            }
            if !counts {
                return false;
            }
        }
    });
    stop.cancel();
    assert_eq!(running.await.unwrap().unwrap_err().kind(), Kind::Cancelled);
    assert!(looks.join().unwrap(), "it ran and did not count");
    while app.satchel.app.host.processes.running().contains(&user) {
        tokio::task::yield_now().await;
    }
}
