//! `satchel runs`.

use serde_json::json;

use super::told::{either_way, failed};

#[tokio::test]
async fn runs_are_listed_and_one_that_is_not_there_is_not_stopped() {
    either_way(async |home| {
        assert_eq!(
            home.json(&["runs", "--state", "uncertain", "--kind", "job", "--agent", "assistant"]).await,
            json!([])
        );
        let told = home.run(&["runs", "--state", "gone"]).await;
        assert!(told.code == 1 && told.err.contains("write one of queued, running"), "{told:?}");
        let none = "01900000-0000-7000-8000-000000000001";
        let told = home.run(&["runs", "stop", none]).await;
        assert_eq!(told, failed(&format!("There is no run '{none}'.")));
    })
    .await;
}
