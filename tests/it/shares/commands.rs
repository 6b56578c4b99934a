//! Turns at commands, and places for background processes.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

use std::{path::Path, sync::Arc, time::Duration};

use futures_util::future::join_all;
use satchel::model::{caller::Caller, error::Kind};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::app::TestApp;

async fn app() -> (Arc<TestApp>, Caller, Caller) {
    let app = TestApp::start().await;
    app.set(json!({"exec": {"mode": "sandboxed"}})).await;
    let (one, other) = (app.caller(&["*"]).await, app.caller(&["*"]).await);
    (Arc::new(app), one, other)
}

fn begun(workspace: &Path) -> usize {
    let entries = std::fs::read_dir(workspace).unwrap().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("begun-")).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn while_one_persons_commands_hold_their_turns_another_persons_runs() {
    let (app, one, other) = app().await;
    let files = app.satchel.app.files_of(one.user).unwrap();
    let held = tokio::spawn({
        let app = Arc::clone(&app);
        async move {
            let runs = (0..8).map(|number| {
                let line = format!("touch begun-{number}; while [ ! -e go ]; do sleep 0.02; done; echo done");
                let params = json!({"command": line, "timeout": 300});
                let (app, one) = (&app, &one);
                async move { app.data(one, "exec", params).await.unwrap()["stdout"].clone() }
            });
            join_all(runs).await
        }
    });
    while begun(files.workspace()) < 4 {
        assert!(!held.is_finished());
        sleep(Duration::from_millis(10)).await;
    }
    let said = app.data(&other, "exec", json!({"command": "echo hi"})).await.unwrap();
    assert_eq!(said["stdout"], "hi\n");
    assert_eq!(begun(files.workspace()), 4, "the others wait for a turn");
    std::fs::write(files.workspace().join("go"), "").unwrap();
    assert_eq!(held.await.unwrap(), vec![Value::from("done\n"); 8]);
}

#[tokio::test(flavor = "multi_thread")]
async fn while_one_persons_processes_hold_all_they_get_another_persons_starts() {
    let (app, one, other) = app().await;
    let start = async |who: &Caller| {
        let started = app.data(who, "process", json!({"action": "start", "command": "sleep 86318"})).await;
        started.map(|started| started["session_id"].clone())
    };
    let mut running = vec![start(&one).await.unwrap()];
    let refused = loop {
        match start(&one).await {
            Ok(id) => running.push(id),
            Err(refused) => break refused,
        }
        assert!(running.len() <= 16);
    };
    assert_eq!(refused.kind(), Kind::Exhausted);
    assert!(refused.message().contains("Stop one first."), "{refused}");
    let others = start(&other).await.unwrap();
    let stop = async |who: &Caller, id: &Value| {
        app.data(who, "process", json!({"action": "stop", "session_id": id})).await.unwrap();
    };
    stop(&one, &running.pop().unwrap()).await;
    running.push(start(&one).await.unwrap());
    for id in &running {
        stop(&one, id).await;
    }
    stop(&other, &others).await;
}
