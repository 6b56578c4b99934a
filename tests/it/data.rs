//! The data tools, through the pipeline.

use satchel::{
    model::error::Kind,
    store::results::{Results, StoredText},
};
use serde_json::{Value, json};

use crate::support::app::TestApp;

#[tokio::test]
async fn the_value_itself_may_be_given_where_its_json_text_is_asked_for() {
    let app = TestApp::start().await;
    let caller = app.caller(&[]).await;
    let rows = json!([{"a": 1}, {"a": 2}]);
    let arguments = |data: Value| json!({"data": data, "field": "a", "operator": "gt", "value": "1"});
    let wanted = json!({"matches": [{"a": 2}], "count": 1});
    assert_eq!(app.data(&caller, "filter_rows", arguments(rows.clone())).await.unwrap(), wanted);
    assert_eq!(app.data(&caller, "filter_rows", arguments(json!(rows.to_string()))).await.unwrap(), wanted);
}

#[tokio::test]
async fn what_is_missing_or_wrong_is_named() {
    let app = TestApp::start().await;
    let caller = app.caller(&[]).await;
    for (tool, arguments, wanted) in [
        ("transform_data", json!({"data": "[]", "action": "sort"}), "'field' is missing: sort needs it."),
        ("transform_data", json!({"data": "[]", "action": "pick", "fields": " "}), "'fields' is missing"),
        ("transform_data", json!({"data": "[]", "action": "shuffle"}), "'action'"),
        ("filter_rows", json!({"data": "{}", "field": "a", "operator": "eq", "value": "1"}), "must be a JSON array"),
        (
            "filter_rows",
            json!({"data": "[]", "field": "a", "operator": "eq", "value": 1}),
            "must be of type string, not number",
        ),
        ("grep_result", json!({"data": "x", "pattern": "["}), "unclosed character class"),
        ("parse_json", json!({"data": "{", "path": "a"}), "'data' is not JSON"),
        ("parse_json", json!({"data": 7}), "'data': must be of type string, not number"),
        ("calculator", json!({}), "'expression' is missing"),
    ] {
        let error = app.data(&caller, tool, arguments.clone()).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid, "{tool} {arguments}");
        assert!(error.message().contains(wanted), "{tool} {arguments}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_result_is_read_by_its_handle_and_by_nobody_else() {
    let app = TestApp::start().await;
    let (mara, noor) = (app.caller(&[]).await, app.caller(&["*"]).await);
    let now = app.satchel.app.clock.now();
    let rows: Vec<Value> = (0..20_000).map(|n| json!({"n": n, "even": n % 2 == 0})).collect();
    let text = json!(rows).to_string();
    let text = StoredText { text, origin: None };
    let handle = Results::new(&app.satchel.app.db, mara.user, None).put(text, now).await.unwrap();
    let count = json!({"data": handle, "action": "count"});
    assert_eq!(
        app.data(&mara, "transform_data", count.clone()).await.unwrap(),
        json!({"result": 20_000, "count": 20_000})
    );
    let grep = app.data(&mara, "grep_result", json!({"data": handle, "pattern": "\"n\":1999\\d"})).await.unwrap();
    assert_eq!(grep["count"], json!(10));
    assert_eq!(app.data(&noor, "transform_data", count.clone()).await.unwrap_err().kind(), Kind::NotFound);
    app.satchel.app.clock.advance(std::time::Duration::from_secs(8 * 24 * 3_600));
    assert_eq!(app.data(&mara, "transform_data", count).await.unwrap_err().kind(), Kind::NotFound);
}
