//! The tools of files, through the whole pipeline.

use std::path::Path;

use satchel::model::error::Kind;
use serde_json::{Value, json};

use crate::support::app::TestApp;

async fn error(app: &TestApp, tool: &str, arguments: Value) -> (Kind, String) {
    let owner = app.caller(&["*"]).await;
    let error = app.data(&owner, tool, arguments.clone()).await.unwrap_err();
    (error.kind(), error.message().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn each_name_gives_back_its_own_keys() {
    let app = TestApp::start().await;
    let owner = app.caller(&["*"]).await;
    let written = json!({"ok": true, "bytesWritten": 3});
    for tool in ["write", "fs-write"] {
        let data = app.data(&owner, tool, json!({"path": "a", "content": "é\n"})).await.unwrap();
        assert_eq!(data, written, "{tool}");
    }
    for tool in ["read", "fs-read"] {
        assert_eq!(app.data(&owner, tool, json!({"path": "a"})).await.unwrap(), json!({"content": "é\n"}), "{tool}");
    }
    let absolute = app.satchel.app.files_of(owner.user).unwrap().workspace().join("a");
    let data = app.data(&owner, "fs-read", json!({"path": absolute})).await.unwrap();
    assert_eq!(data, json!({"content": "é\n"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_arguments_and_files_are_named() {
    let app = TestApp::start().await;
    for (tool, arguments, kind, word) in [
        ("read", json!({"path": "none"}), Kind::NotFound, "none"),
        ("read", json!({"path": ""}), Kind::Invalid, "path"),
        ("read", json!({"path": "a", "encoding": "klingon"}), Kind::Invalid, "klingon"),
        ("read", json!({"path": "a", "offset": -1}), Kind::Invalid, "offset"),
        ("fs-read", json!({"path": "a", "encoding": "utf-8"}), Kind::Invalid, "encoding"),
        ("write", json!({"path": "a/b", "content": "x"}), Kind::NotFound, "create_dirs"),
        ("write", json!({"path": "a", "content": 1}), Kind::Invalid, "content"),
        ("write", json!({"path": "a", "content": "日", "encoding": "latin-1"}), Kind::Invalid, "日"),
        ("fs-write", json!({"path": "a/b", "content": "x"}), Kind::NotFound, "directory"),
        ("write", json!({"path": "folder/", "content": "x"}), Kind::Invalid, "is a directory"),
        ("edit", json!({"path": "a", "old_text": "x", "new_text": "y", "occurrence": 0}), Kind::Invalid, "occurrence"),
        ("apply_patch", json!({"path": "a", "patch": "x"}), Kind::Invalid, "@@"),
    ] {
        let (got, message) = error(&app, tool, arguments.clone()).await;
        assert_eq!(got, kind, "{tool} {arguments}: {message}");
        assert!(message.contains(word), "{tool} {arguments}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_text_is_an_error_and_another_encoding_reads_it() {
    let app = TestApp::start().await;
    let owner = app.caller(&["*"]).await;
    let text = json!({"path": "a", "content": "Zoë", "encoding": "iso-8859-1"});
    assert_eq!(app.data(&owner, "write", text).await.unwrap()["bytesWritten"], json!(3));
    let error = app.data(&owner, "read", json!({"path": "a"})).await.unwrap_err();
    assert!(error.message().contains("not UTF-8 text: the byte at 2"), "{error}");
    let data = app.data(&owner, "read", json!({"path": "a", "encoding": "latin1"})).await.unwrap();
    assert_eq!(data, json!({"content": "Zoë"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_or_a_patch_that_does_not_fit_changes_nothing() {
    let app = TestApp::start().await;
    let owner = app.caller(&["*"]).await;
    app.data(&owner, "write", json!({"path": "a", "content": "one\ntwo\nthree\n"})).await.unwrap();
    let edit = json!({"path": "a", "old_text": "four", "new_text": "x"});
    assert_eq!(app.data(&owner, "edit", edit).await.unwrap_err().kind(), Kind::Invalid);
    let patch = json!({"path": "a", "patch": "@@ -1 +1 @@\n-one\n+1\n@@ -3 +3 @@\n-drei\n+3\n"});
    let error = app.data(&owner, "apply_patch", patch).await.unwrap_err();
    assert!(error.message().starts_with("Hunk 2 of 2"), "{error}");
    let try_only = json!({"path": "a", "patch": "@@ -1 +1 @@\n-one\n+1\n", "dry_run": true});
    assert_eq!(app.data(&owner, "apply_patch", try_only).await.unwrap()["ok"], json!(true));
    assert_eq!(app.data(&owner, "read", json!({"path": "a"})).await.unwrap(), json!({"content": "one\ntwo\nthree\n"}));
    let new = json!({"path": "b", "patch": "--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+hello\n"});
    assert_eq!(app.data(&owner, "apply_patch", new.clone()).await.unwrap()["added"], json!(1));
    assert_eq!(app.data(&owner, "apply_patch", new).await.unwrap_err().kind(), Kind::Conflict);
    assert_eq!(app.data(&owner, "read", json!({"path": "b"})).await.unwrap(), json!({"content": "hello\n"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn users_have_workspaces_of_their_own() {
    let app = TestApp::start().await;
    let (one, two) = (app.caller(&["*"]).await, app.caller(&["*"]).await);
    app.data(&one, "write", json!({"path": "a", "content": "mine"})).await.unwrap();
    assert_eq!(app.data(&two, "read", json!({"path": "a"})).await.unwrap_err().kind(), Kind::NotFound);
    let theirs = Path::new("..").join(one.user.to_string()).join("a");
    assert_eq!(app.data(&two, "read", json!({"path": theirs})).await.unwrap_err().kind(), Kind::Denied);
}
