//! The values tools take and leave out: metadata, thresholds, rows.

use satchel::model::{caller::Caller, error::Kind};
use serde_json::{Value, json};

use crate::support::app::TestApp;

async fn data(app: &TestApp, caller: &Caller, tool: &str, arguments: Value) -> Value {
    app.data(caller, tool, arguments.clone()).await.unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"))
}

#[tokio::test]
async fn vector_upsert_takes_any_json_scalar_as_metadata() {
    let app = TestApp::start().await;
    let mara = app.caller(&["index:read", "index:write"]).await;
    let metadata = json!({"lang": "en", "year": 2026, "share": 0.5, "draft": false, "by": null});
    data(&app, &mara, "vector_upsert", json!({"id": "a", "text": "a warm day", "metadata": metadata})).await;
    data(&app, &mara, "vector_upsert", json!({"id": "b", "text": "a cold day", "metadata": {"year": 2025}})).await;
    for filter in
        [json!({"year": 2026}), json!({"year": "2026"}), json!({"draft": false, "share": 0.5}), json!({"by": null})]
    {
        let found = data(&app, &mara, "index_query", json!({"query": "day", "filter": filter})).await;
        assert_eq!(found["results"].as_array().unwrap().len(), 1, "{filter}: {found}");
        assert_eq!(found["results"][0]["metadata"], metadata, "{filter}");
    }
    for wrong in [json!({"list": [1]}), json!({"map": {"a": 1}})] {
        let put = json!({"id": "c", "text": "x", "metadata": wrong});
        assert_eq!(app.data(&mara, "vector_upsert", put).await.unwrap_err().kind(), Kind::Invalid, "{wrong}");
    }
}

#[tokio::test]
async fn memory_search_with_threshold_0_returns_all_up_to_the_limit() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    for content in ["Prefers tea over coffee", "The report goes to Anna", "Allergic to peanuts"] {
        data(&app, &mara, "save_memory", json!({"content": content, "category": "fact"})).await;
    }
    let search = async |more: Value| {
        let mut query = json!({"query": "tea"});
        query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let found = data(&app, &mara, "memory_search", query).await;
        let results = found["results"].as_array().unwrap().clone();
        (results.len(), results[0]["content"].clone(), results.last().unwrap()["score"].clone())
    };
    let tea = json!("Prefers tea over coffee");
    assert_eq!(search(json!({"threshold": 0})).await, (3, tea.clone(), json!(0.0)));
    assert_eq!(search(json!({"threshold": 0, "limit": 2})).await, (2, tea.clone(), json!(0.0)));
    assert_eq!(search(json!({"threshold": 0.05})).await.0, 1);
    assert_eq!(search(json!({})).await.0, 1);
}

#[tokio::test]
async fn filter_rows_by_size_needs_a_number() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    for operator in ["gt", "gte", "lt", "lte"] {
        for value in ["many", "", "2026-01-01", "NaN"] {
            let filter = json!({"data": "[{\"n\": 1}]", "field": "n", "operator": operator, "value": value});
            let error = app.data(&mara, "filter_rows", filter).await.unwrap_err();
            assert!(error.kind() == Kind::Invalid && error.message().contains("must be a number"), "{error}");
        }
    }
}

#[tokio::test]
async fn pick_leaves_out_what_a_row_has_not() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    let rows = json!([{"id": 1, "city": "Bern"}, {"id": 2}, {"city": null}]).to_string();
    let picked =
        data(&app, &mara, "transform_data", json!({"data": rows, "action": "pick", "fields": "id,city"})).await;
    assert_eq!(picked["result"], json!([{"id": 1, "city": "Bern"}, {"id": 2}, {"city": null}]));
}
