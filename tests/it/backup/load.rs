//! A backup while eight people write: everything that was acknowledged before it was asked for is in it.

use std::{
    collections::BTreeSet,
    fs,
    sync::{Arc, Mutex},
};

use rusqlite::Connection;
use satchel::store::dir;
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinSet};
use tokio_util::sync::CancellationToken;

use super::{http::until, made::opened};
use crate::support::{
    http::{Request, TestServer},
    program::Home,
};

const WRITERS: usize = 8;
/// The number of conversations each has begun when the backup is asked for.
const BEFORE: usize = 5;

type Written = Arc<Mutex<BTreeSet<String>>>;

/// Begins conversations, and adds documents that it removes for good again, until it is told to stop. Tells `begun` once
/// there are some.
async fn write(server: Arc<TestServer>, cookie: String, number: usize, written: Written, run: Run) {
    let send = async |method: &str, path: &str, body: &Value, status: u16| {
        let answer = server.send(Request::new(method, path).json(body).cookie(&cookie)).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
        if answer.body.is_empty() { Value::Null } else { answer.json() }
    };
    let mut document: Option<String> = None;
    for round in 0.. {
        let title = format!("writer {number} round {round}");
        send("POST", "/api/conversations", &json!({"title": title}), 201).await;
        written.lock().unwrap().insert(title);
        if let Some(id) = document.take() {
            send("DELETE", &format!("/api/knowledge/documents/{id}?forever=true"), &Value::Null, 204).await;
        }
        let body =
            json!({"title": format!("{number} {round}"), "text": format!("Of locks {number} and ferries {round}.")});
        document = send("POST", "/api/knowledge/documents", &body, 202).await["id"].as_str().map(str::to_owned);
        if round + 1 == BEFORE {
            run.begun.send(()).await.unwrap();
        }
        if run.stop.is_cancelled() {
            return;
        }
    }
}

struct Run {
    begun: mpsc::Sender<()>,
    stop: CancellationToken,
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_acknowledged_before_a_backup_is_in_it() {
    let (server, written) = (Arc::new(TestServer::start().await), Written::default());
    let (begun, mut ready) = mpsc::channel(WRITERS);
    let (stop, mut writers) = (CancellationToken::new(), JoinSet::new());
    let cookie = server.sign_in("owner").await;
    for number in 0..WRITERS {
        let run = Run { begun: begun.clone(), stop: stop.clone() };
        writers.spawn(write(Arc::clone(&server), cookie.clone(), number, Arc::clone(&written), run));
    }
    // A writer that failed says nothing: then there is an end to the waiting.
    drop(begun);
    for _ in 0..WRITERS {
        ready.recv().await.expect("a writer failed");
    }
    let before = written.lock().unwrap().clone();
    let id = server.owner("POST", "/api/backups", &json!({})).await["id"].as_str().unwrap().to_owned();
    let made = until(&server, &format!("/api/backups/{id}"), |one| one["state"] != "running").await;
    stop.cancel();
    while let Some(ended) = writers.join_next().await {
        ended.unwrap();
    }
    assert_eq!(made["state"], "done", "{made}");
    let (data, out) = (server.app.dir.path(), tempfile::tempdir().unwrap());
    let (file, key) = (data.join(format!("backups/{id}.age")), data.join("backup.key"));
    let manifest: Value = serde_json::from_slice(&opened(&file, &key)["manifest.json"]).unwrap();
    assert_eq!(manifest["missing"], json!([]), "contents of documents that were removed meanwhile are not in it");
    let target = out.path().join("restored");
    let home = Home::empty();
    let words =
        ["restore", file.to_str().unwrap(), "--identity", key.to_str().unwrap(), "--data", target.to_str().unwrap()];
    let restored = home.run(&words).await;
    assert_eq!(restored.code, 0, "{restored:?}");
    let c = Connection::open(dir::database(&target)).unwrap();
    let mut rows = c.prepare("SELECT title FROM conversations").unwrap();
    let there: BTreeSet<String> = rows.query_map((), |row| row.get(0)).unwrap().map(|row| row.unwrap()).collect();
    assert_eq!(before.difference(&there).collect::<Vec<_>>(), Vec::<&String>::new());
    let verified = home.run(&["audit", "verify", "--data", target.to_str().unwrap()]).await;
    assert!(verified.code == 0 && verified.out.starts_with("The chain stands"), "{verified:?}");
    assert!(!fs::exists(data.join("work/backup")).unwrap());
}
