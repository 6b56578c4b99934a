//! The audit and status tools: what they show, and to whom.

use std::time::Duration;

use satchel::model::error::Kind;
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    http::{Request, TestServer},
};

#[tokio::test]
async fn the_audit_is_for_those_who_may_read_it() {
    let app = TestApp::start().await;
    let (mara, auditor) = (app.caller(&["knowledge:read"]).await, app.caller(&["audit:read"]).await);
    let error = app.data(&mara, "query_audit_log", json!({})).await.unwrap_err();
    assert_eq!(error.kind(), Kind::NotFound);
    assert!(error.message().contains("or you may not use it"), "{error}");
    let events = app.data(&auditor, "query_audit_log", json!({"limit": 1})).await.unwrap();
    let refused = &events["events"][0];
    let told = [&refused["tool"], &refused["outcome"], &refused["user"]];
    assert_eq!(told, [&json!("builtin:query_audit_log"), &json!("refused"), &json!(mara.username)]);
}

#[tokio::test]
async fn events_come_newest_first_by_type_and_to_the_limit() {
    let app = TestApp::start().await;
    let root = app.caller(&["*"]).await;
    for n in 0..25 {
        app.satchel.app.clock.advance(Duration::from_millis(5));
        app.data(&root, "calculator", json!({"expression": format!("{n}")})).await.unwrap();
    }
    let query = |arguments: Value| app.data(&root, "query_audit_log", arguments);
    let first = query(json!({"event_type": "tool_invocation"})).await.unwrap();
    assert_eq!(first["count"], json!(20), "20 unless told otherwise");
    assert_eq!(first["events"][0]["arguments"], json!({"expression": "24"}));
    let numbers: Vec<i64> = first["events"].as_array().unwrap().iter().map(|e| e["seq"].as_i64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|a, b| a > b), "{numbers:?}");
    assert_eq!(query(json!({"limit": 3})).await.unwrap()["count"], json!(3));
    assert_eq!(query(json!({"event_type": "chat_turn"})).await.unwrap(), json!({"events": [], "count": 0}));
    for wrong in [json!({"limit": 0}), json!({"limit": 201}), json!({"limit": 1.5}), json!({"event_type": "gossip"})] {
        assert_eq!(query(wrong).await.unwrap_err().kind(), Kind::Invalid);
    }
}

#[tokio::test]
async fn the_status_is_for_everybody_and_its_events_are_not() {
    let app = TestApp::start().await;
    let (nobody, auditor) = (app.caller(&[]).await, app.caller(&["audit:read"]).await);
    let status = app.data(&nobody, "get_platform_status", json!({})).await.unwrap();
    assert_eq!([&status["systems"], &status["endpoints"], &status["documents"]], [&json!(0), &json!(0), &json!(0)]);
    assert!(status.get("events").is_none(), "{status}");
    assert!(!status.to_string().contains(&auditor.username), "{status}");
    let told = app.data(&auditor, "get_platform_status", json!({})).await.unwrap();
    assert_eq!(told["events"][0]["tool"], json!("builtin:get_platform_status"));
    assert!(told["tools"]["available_to_you"].as_u64() > status["tools"]["available_to_you"].as_u64());
}

#[tokio::test]
async fn a_tool_that_is_switched_off_is_counted_as_such() {
    let app = TestApp::start().await;
    let nobody = app.caller(&[]).await;
    let before = app.data(&nobody, "get_platform_status", json!({})).await.unwrap()["tools"].clone();
    app.set(json!({"disabled_tools": ["calculator"]})).await;
    let after = app.data(&nobody, "get_platform_status", json!({})).await.unwrap()["tools"].clone();
    assert_eq!(after["disabled"], json!(1));
    assert_eq!(after["total"], before["total"]);
    assert_eq!(after["by_category"]["data"].as_u64().unwrap() + 1, before["by_category"]["data"].as_u64().unwrap());
}

#[tokio::test]
async fn a_tools_days_and_the_facets_count_what_was_called() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    for expression in ["1 + 1", "1 / 0", "2"] {
        let body = json!({"params": {"expression": expression}});
        server.send(Request::post("/api/tools/calculator/invoke", &body).cookie(&cookie)).await;
    }
    let days = server.owner("GET", "/api/tools/calculator/stats", &Value::Null).await;
    let days = days.as_array().unwrap();
    let today = server.app.satchel.app.clock.now().day();
    assert_eq!((days.len(), &days[6]["day"]), (7, &json!(today)));
    assert_eq!([&days[6]["calls"], &days[6]["failures"]], [&json!(3), &json!(1)]);
    assert!(days[6]["mean_ms"].is_number(), "{days:?}");
    let quiet = json!({"day": days[0]["day"], "calls": 0, "failures": 0, "mean_ms": null});
    assert_eq!(days[0], quiet);
    let facets = server.owner("GET", "/api/audit/facets", &Value::Null).await;
    assert_eq!(facets["facets"]["tool"], json!({"builtin:calculator": 3}));
    // A name that is no tool's is counted where it is asked for.
    let unknown = Request::post("/api/tools/no_such_tool/invoke", &json!({"params": {}}));
    assert_eq!(server.send(unknown.cookie(&cookie)).await.status, 404);
    let facets = server.owner("GET", "/api/audit/facets?event_type=tool_invocation", &Value::Null).await;
    assert_eq!((&facets["total"], &facets["facets"]["tool"]), (&json!(4), &json!({"builtin:calculator": 3})));
    let facets = server.owner("GET", "/api/audit/facets?tool=no_such_tool", &Value::Null).await;
    assert_eq!((&facets["total"], &facets["facets"]["outcome"]), (&json!(1), &json!({"failure": 1})));
    // The id of a call finds its row.
    let row = server.owner("GET", "/api/audit?tool=no_such_tool", &Value::Null).await["entries"][0].clone();
    let by_call = format!("q={}", row["call_id"].as_str().unwrap());
    let page = server.owner("GET", &format!("/api/audit?{by_call}"), &Value::Null).await;
    assert_eq!(page["entries"], json!([row]));
    let facets = server.owner("GET", &format!("/api/audit/facets?{by_call}"), &Value::Null).await;
    assert_eq!([&facets["total"], &facets["among"]], [&json!(1), &Value::Null]);
    // Through an alias it is the same tool; one that may not be used is none.
    let aliased = server.owner("GET", "/api/tools/builtin__calculator/stats", &Value::Null).await;
    assert_eq!(aliased.as_array().unwrap(), days);
    server.add("vera", "viewer").await;
    let vera = server.sign_in("vera").await;
    assert_eq!(server.send(Request::get("/api/tools/exec/stats").cookie(&vera)).await.status, 404);
}
