//! `schedule` and `cron`, as a model calls them.

use serde_json::json;

use crate::support::app::TestApp;

#[tokio::test(flavor = "multi_thread")]
async fn a_model_makes_lists_pauses_resumes_and_deletes_jobs_of_its_person() {
    let app = TestApp::start().await;
    let (mara, other) = (app.caller(&["jobs:manage"]).await, app.caller(&["jobs:manage"]).await);
    let new = json!({"action": "create", "message": "Tea", "due_at": "2099-01-05T16:00", "recurrence": "weekly",
                     "time_zone": "Europe/Berlin"});
    let made = app.data(&mara, "schedule", new).await.unwrap();
    assert_eq!(made["job"]["next_at"], json!("2099-01-05T15:00:00.000Z"), "{made}");
    assert_eq!(made["job"]["when"], json!("weekly from 5 January 2099 16:00, Europe/Berlin"));
    let by_id = |action: &str| json!({"action": action, "job_id": made["job_id"]});
    assert_eq!(app.data(&mara, "cron", json!({"action": "list"})).await.unwrap()["count"], json!(1));
    assert_eq!(app.data(&other, "cron", json!({"action": "list"})).await.unwrap()["count"], json!(0));
    assert!(app.data(&other, "cron", by_id("delete")).await.is_err());
    assert_eq!(app.data(&mara, "cron", by_id("pause")).await.unwrap()["job"]["enabled"], json!(false));
    assert_eq!(app.data(&mara, "schedule", by_id("resume")).await.unwrap()["job"]["enabled"], json!(true));
    let cron = json!({"action": "create", "schedule": "0 9 * * *", "task": "Sum up the day."});
    let task = app.data(&mara, "cron", cron).await.unwrap();
    assert_eq!((&task["job"]["name"], &task["job"]["when"]), (&json!("Sum up the day."), &json!("at 09:00, UTC")));
    assert_eq!(app.data(&mara, "cron", by_id("delete")).await.unwrap()["message"], json!("delete: Tea."));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_or_over_is_said() {
    let app = TestApp::start().await;
    let mara = app.caller(&["jobs:manage"]).await;
    for (arguments, wanted) in [
        (json!({"action": "create", "message": "Tea"}), "Say when: either 'schedule', a cron expression, or 'due_at'"),
        (json!({"action": "create", "schedule": "0 9 * * *"}), "Say what: either 'task', for an agent, or 'message'"),
        (
            json!({"action": "create", "message": "Tea", "due_at": "2020-01-01T00:00"}),
            "2020-01-01T00:00:00.000Z is over",
        ),
        (
            json!({"action": "create", "message": "Tea", "schedule": "0 0 30 2 *"}),
            "The cron expression '0 0 30 2 *' never",
        ),
        (json!({"action": "pause"}), "'job_id' is missing"),
    ] {
        let told = app.data(&mara, "schedule", arguments.clone()).await.unwrap_err();
        assert!(told.message().starts_with(wanted), "{arguments}: {told}");
    }
}
