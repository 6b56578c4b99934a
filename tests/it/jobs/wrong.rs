//! Faults of a job are said when it is made, in a sentence.

use serde_json::{Value, json};

use super::desk::Desk;

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_is_wrong_is_refused_in_a_sentence() {
    let desk = Desk::mara(&[]).await;
    let tea = json!({"message": "Tea"});
    let daily = json!({"cron": "0 9 * * *"});
    for (when, deed, wanted) in [
        (json!({"cron": "0 0 31 2 *"}), &tea, "The cron expression '0 0 31 2 *' never fires: no month has that day."),
        (
            json!({"cron": "0 9 * * *", "time_zone": "Europe/Berln"}),
            &tea,
            "'Europe/Berln' is no time zone: name one as",
        ),
        (json!({"cron": "every day"}), &tea, "'every day' is no cron expression: "),
        (json!({"at": "2026-01-01T00:00:00Z"}), &tea, "2026-01-01T00:00:00.000Z is over: name a moment that is still"),
        (
            json!({"at": "2099-01-01T09:00", "recurrence": "FREQ=DAILY"}),
            &tea,
            "The RRULE 'FREQ=DAILY' has no end: add COUNT",
        ),
        (json!({"at": "2099-01-01T09:00", "recurrence": "yearly"}), &tea, "'yearly' is no recurrence that jobs take"),
        (json!({"every_seconds": 59}), &tea, "'every_seconds' is a number from 60 on."),
        (json!({}), &tea, "'when' has exactly one kind: "),
        (json!({"webhook": {}, "every_seconds": 60}), &tea, "'when' has exactly one kind: "),
        (daily.clone(), &json!({}), "'do' has exactly one kind: "),
        (daily.clone(), &json!({"message": "a", "backup": {}}), "'do' has exactly one kind: "),
        (daily.clone(), &json!({"message": " "}), "'message' is a text of 1 to 4000 characters."),
        (daily.clone(), &json!({"tool": "list", "params": {"action": "dance"}}), ""),
        (
            daily.clone(),
            &json!({"tool": "list", "params": {"item": {"$webhook": ""}}}),
            "'$webhook' in the params takes a",
        ),
    ] {
        let told = desk.refusal(&json!({"when": when, "do": deed})).await;
        assert!(told.starts_with(wanted), "{when} {deed}: {told}");
    }
    for (deed, status) in [
        (json!({"tool": "no_such_tool"}), 404),
        (json!({"tool": "exec", "params": {"command": "ls"}}), 404),
        (json!({"backup": {}}), 403),
    ] {
        let answer = desk.send("POST", "/api/jobs", &json!({"when": daily, "do": deed})).await;
        assert_eq!(answer.status, status, "{deed}: {}", answer.text());
    }
    assert_eq!(desk.ask("GET", "/api/jobs", &Value::Null).await, json!([]), "nothing of it was kept");
}
