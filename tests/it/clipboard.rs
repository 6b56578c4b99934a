//! The clipboard of a server without a desktop: one for each user.

use satchel::model::error::Kind;
use serde_json::json;

use crate::support::app::TestApp;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_is_read_under_every_name_and_by_its_user_only() {
    let app = TestApp::start().await;
    let (one, two) = (app.caller(&[]).await, app.caller(&[]).await);
    for (write, read) in [("clipboard_write", "clipboard-read"), ("clipboard-write", "clipboard_read")] {
        assert_eq!(app.data(&one, write, json!({"text": write})).await.unwrap(), json!({"ok": true}));
        assert_eq!(app.data(&one, read, json!({})).await.unwrap(), json!({"text": write}));
        assert_eq!(app.data(&two, read, json!({})).await.unwrap(), json!({"text": ""}));
    }
    let app = app.restart().await;
    assert_eq!(app.data(&one, "clipboard_read", json!({})).await.unwrap(), json!({"text": "clipboard-write"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_missing_or_no_text_is_an_error_and_changes_nothing() {
    let app = TestApp::start().await;
    let user = app.caller(&[]).await;
    app.data(&user, "clipboard_write", json!({"text": "kept"})).await.unwrap();
    for arguments in [json!({}), json!({"text": null}), json!({"text": 1}), json!({"text": "x", "more": 1})] {
        let error = app.data(&user, "clipboard-write", arguments.clone()).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid, "{arguments}");
    }
    assert_eq!(app.data(&user, "clipboard_read", json!({"x": 1})).await.unwrap_err().kind(), Kind::Invalid);
    assert_eq!(app.data(&user, "clipboard_read", json!({})).await.unwrap(), json!({"text": "kept"}));
}
