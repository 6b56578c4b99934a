//! Jobs run at their moments, once each, and what is made up for.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::desk::Desk;

fn message(text: &str) -> Value {
    json!({"message": text})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_in_the_inbox_when_it_is_due_and_once() {
    let desk = Desk::mara(&[]).await;
    let id = desk.job(&json!({"name": "Tea", "when": {"every_seconds": 60}, "do": message("Tea is ready")})).await;
    assert_eq!(desk.settle().await, 0, "it is not due yet");
    assert_eq!(desk.later(60).await, 1);
    assert_eq!(desk.settle().await, 0, "it was due once");
    let notices = desk.notices().await;
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!((&notices[0]["text"], &notices[0]["job"]["name"]), (&json!("Tea is ready"), &json!("Tea")));
    let run = &desk.runs(&id).await[0];
    assert_eq!((&run["state"], &run["cause"], &run["attempt"]), (&json!("done"), &json!("time"), &json!(1)), "{run}");
    assert_eq!(run["log"][0]["text"], json!("It is in the inbox."));
    let desk = desk.restart().await;
    assert_eq!(desk.settle().await, 0, "a start does not run it again");
    let path = format!("/api/notices/{}", notices[0]["id"].as_str().unwrap());
    desk.ask("DELETE", &path, &Value::Null).await;
    assert_eq!(desk.notices().await, Vec::<Value>::new());
    let audit = desk.server.owner("GET", "/api/audit?door=job", &Value::Null).await.to_string();
    assert!(audit.contains("job.run") && !audit.contains("Tea is ready"), "{audit}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_missed_is_made_up_for_as_each_job_says() {
    let desk = Desk::mara(&[]).await;
    let job = async |catch_up: &str| {
        desk.job(&json!({"when": {"every_seconds": 3600}, "do": message(catch_up), "catch_up": catch_up})).await
    };
    let (none, last, all) = (job("none").await, job("last").await, job("all").await);
    assert_eq!(desk.later(4 * 3_600 + 600).await, 1 + 4);
    assert_eq!(desk.states(&none).await, ["cancelled"]);
    let told = desk.runs(&none).await[0]["error"].clone();
    assert_eq!(told, json!("4 runs were missed and are not made up for, as the job has it."));
    assert_eq!(desk.states(&last).await, ["cancelled", "done"]);
    assert_eq!(desk.states(&all).await, ["done", "done", "done", "done"]);
    // From then on each is due at its own hour.
    assert_eq!(desk.later(3_000).await, 3);
    assert_eq!(desk.states(&none).await, ["cancelled", "done"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_paused_goes_on_is_changed_and_ends() {
    let desk = Desk::mara(&[]).await;
    let id = desk.job(&json!({"when": {"every_seconds": 60}, "do": message("Tea")})).await;
    let path = |deed: &str| format!("/api/jobs/{id}{deed}");
    let paused = desk.ask("POST", &path("/pause"), &Value::Null).await;
    assert_eq!((&paused["enabled"], &paused["next_at"]), (&json!(false), &Value::Null));
    assert_eq!(desk.later(600).await, 0);
    assert_eq!(desk.run_now(&id).await["cause"], json!("asked"), "somebody may run it all the same");
    let resumed = desk.ask("POST", &path("/resume"), &Value::Null).await;
    assert!(resumed["next_at"].is_string(), "{resumed}");
    assert_eq!(desk.later(60).await, 1, "what was due while it was paused is not made up for");
    let change =
        json!({"name": "Supper", "when": {"cron": "0 19 * * *", "time_zone": "Europe/Berlin"}, "do": message("Eat")});
    let changed = desk.ask("PUT", &path(""), &change).await;
    assert_eq!((&changed["name"], &changed["when_words"]), (&json!("Supper"), &json!("at 19:00, Europe/Berlin")));
    assert_eq!(changed["webhook"], Value::Null);
    assert_eq!(desk.ask("GET", "/api/jobs", &Value::Null).await[0]["last_run"]["state"], json!("done"));
    assert_eq!(desk.send("DELETE", &path(""), &Value::Null).await.status, 204);
    assert_eq!(desk.send("GET", &path(""), &Value::Null).await.status, 404);
    assert_eq!(desk.later(2 * 86_400).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_due_once_is_over_then() {
    let desk = Desk::mara(&[]).await;
    let at = desk.server.app.satchel.app.clock.now().after(Duration::from_secs(3_600)).to_string();
    let id = desk.job(&json!({"when": {"at": at}, "do": message("Tea")})).await;
    assert_eq!(desk.later(3_601).await, 1);
    assert_eq!(desk.ask("GET", &format!("/api/jobs/{id}"), &Value::Null).await["next_at"], Value::Null);
    let over = desk.send("POST", &format!("/api/jobs/{id}/resume"), &Value::Null).await;
    assert_eq!((over.status, over.problem()), (409, "Its moments are over: change when it runs.".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_shows_the_next_five_times_in_their_zone() {
    let desk = Desk::mara(&[]).await;
    let when = json!({"when": {"cron": "30 2 * * *", "time_zone": "Europe/Berlin"}});
    let shown = desk.ask("POST", "/api/jobs/preview", &when).await;
    assert_eq!(shown["times"].as_array().unwrap().len(), 5, "{shown}");
    assert_eq!(shown["words"], json!("at 02:30, Europe/Berlin"));
    let once = desk.ask("POST", "/api/jobs/preview", &json!({"when": {"webhook": {}}})).await;
    assert_eq!(once, json!({"times": [], "words": "when its address is called"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_wakes_for_what_is_due_and_for_what_is_asked() {
    let desk = Desk::mara(&[]).await;
    let id = desk.job(&json!({"when": {"every_seconds": 3600}, "do": message("Tea")})).await;
    desk.jobs().follow_clock();
    let states = async |number: usize| {
        let wait = async {
            while desk.states(&id).await.iter().filter(|state| *state == "done").count() < number {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(60), wait).await.expect("it never ran");
    };
    desk.server.app.satchel.app.clock.advance(Duration::from_secs(3_600));
    states(1).await;
    desk.ask("POST", &format!("/api/jobs/{id}/run"), &Value::Null).await;
    states(2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_never_do_the_same_run() {
    let desk = Desk::mara(&[]).await;
    for number in 0..50 {
        desk.job(&json!({"name": number.to_string(), "when": {"every_seconds": 60}, "do": message("Tea")})).await;
    }
    let app = &desk.server.app.satchel.app;
    app.clock.advance(Duration::from_secs(60));
    let (now, jobs) = (app.clock.now(), &app.stores.jobs);
    let (one, other) = tokio::join!(jobs.take_due(now), jobs.take_due(now));
    assert_eq!(one.unwrap().len() + other.unwrap().len(), 50);
}
