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

/// A job as an earlier version may have written it.
#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_cannot_be_read_any_more_stops_no_other() {
    let desk = Desk::mara(&[]).await;
    let draft =
        |text: &str| json!({"when": {"cron": "0 9 * * *", "time_zone": "Europe/Berlin"}, "do": {"message": text}});
    let (zone, deed, good) =
        (desk.job(&draft("zone")).await, desk.job(&draft("deed")).await, desk.job(&draft("good")).await);
    let (ids, db) = ((zone.clone(), deed.clone()), &desk.server.app.satchel.app.db);
    db.write(move |tx| {
        let moments = "UPDATE jobs SET moments = replace(moments, 'Europe/Berlin', 'Mars/Base') WHERE id = ?1";
        tx.run(moments, [ids.0])?;
        tx.run("UPDATE jobs SET deed = '{}' WHERE id = ?1", [ids.1]).map(drop)
    })
    .await
    .unwrap();
    desk.later(86_400).await;
    assert_eq!(
        (desk.states(&good).await, desk.states(&deed).await),
        (vec!["done".to_owned()], vec!["failed".to_owned()])
    );
    assert!(desk.states(&zone).await.is_empty());
    let paused = desk.ask("GET", &format!("/api/jobs/{zone}"), &Value::Null).await;
    assert!(paused["paused_because"].as_str().unwrap().starts_with("'Mars/Base' is no time zone"), "{paused}");
    assert!(desk.runs(&deed).await[0]["error"].as_str().unwrap().starts_with("'do' has exactly one kind"));
    desk.ask("DELETE", &format!("/api/jobs/{zone}"), &Value::Null).await;
}
