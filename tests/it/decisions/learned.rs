//! What calls teach of a tool.

use serde_json::json;

use satchel::store::outcomes::Outcomes;

use crate::support::{app::TestApp, remote::systems::open, system::TestSystem};

async fn weight(app: &TestApp, tool: &str) -> f64 {
    let tallies = Outcomes::new(&app.satchel.app.db).tallies().await.unwrap();
    (tallies[tool].weight * 1_000.0).round() / 1_000.0
}

#[tokio::test(flavor = "multi_thread")]
async fn r43_any_answer_of_another_system_is_an_outside_failure_404_included() {
    let app = TestApp::start().await;
    let server = TestSystem::start().await;
    open(&app, "crm", &server.url("")).await;
    let caller = app.caller(&["catalog:read"]).await;
    let call = json!({"system_id": "crm", "method": "GET", "path": "/customers/7"});
    let mut wanted = 1.0;
    for status in [404, 400, 401, 409, 429, 500] {
        server.plan(status, "content-type: application/json\r\n", "{}");
        app.data(&caller, "call_rest_endpoint", call.clone()).await.unwrap_err();
        wanted -= 0.05;
        let found = weight(&app, "builtin:call_rest_endpoint").await;
        assert!((found - wanted).abs() < 1e-9, "{status}: {found}, not {wanted}");
    }
    app.data(&caller, "read", json!({"path": "x"})).await.unwrap_err();
    let reader = app.caller(&["host:fs.read"]).await;
    app.data(&reader, "read", json!({"path": "none.txt"})).await.unwrap_err();
    assert_eq!(weight(&app, "builtin:read").await, 0.8, "a tool's own failure");
}
