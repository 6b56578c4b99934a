//! A call that asks parks its run until the owner answers; what the end of a server cuts is uncertain or done again.

use satchel::{
    model::{call::CallId, job::LogLine},
    store::jobs::Begun,
};
use serde_json::{Value, json};

use super::desk::Desk;

async fn desk() -> (Desk, String) {
    let desk = Desk::mara(&["host:fs.write", "host:fs.read"]).await;
    let deed = json!({"tool": "write", "params": {"path": "tea.txt", "content": "Tea"}});
    let id = desk.job(&json!({"name": "Note", "when": {"every_seconds": 3600}, "do": deed})).await;
    (desk, id)
}

async fn question(desk: &Desk) -> Value {
    let open = desk.ask("GET", "/api/tickets", &Value::Null).await;
    assert_eq!(open.as_array().unwrap().len(), 1, "{open}");
    open[0].clone()
}

async fn answer(desk: &Desk, ticket: &Value, decision: &str) {
    let path = format!("/api/tickets/{}", ticket["id"].as_str().unwrap());
    desk.ask("POST", &path, &json!({"decision": decision, "reason": "later"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_waits_for_its_owner_longer_than_other_questions_and_then_does_its_work() {
    let (desk, id) = desk().await;
    desk.later(3_600).await;
    let ticket = question(&desk).await;
    assert_eq!((&ticket["job"]["name"], &ticket["tool"]), (&json!("Note"), &json!("builtin:write")));
    let run = desk.runs(&id).await[0].clone();
    assert_eq!((&run["state"], &run["ticket"]), (&json!("waiting"), &ticket["id"]));
    // The next ones are skipped meanwhile, and say why.
    desk.later(86_400).await;
    assert_eq!(question(&desk).await["id"], ticket["id"], "it is asked once, and is still open a day later");
    let skipped = desk.runs(&id).await[0].clone();
    assert_eq!(skipped["error"], json!("It was skipped: the run before has not ended yet."), "{skipped}");
    let desk = desk.restart().await;
    assert_eq!(question(&desk).await["id"], ticket["id"], "a start does not lose it");
    answer(&desk, &ticket, "approve").await;
    let runs = desk.runs(&id).await;
    let run = runs.iter().find(|run| run["ticket"] == ticket["id"]).unwrap();
    assert_eq!((&run["state"], &run["error"]), (&json!("done"), &Value::Null), "{run}");
    let rows = desk.server.owner("GET", "/api/audit?door=job&tool=builtin:write", &Value::Null).await.to_string();
    assert!(rows.contains("\"approved_by\":\"mara\""), "{rows}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_no_ends_the_run_and_nothing_ran() {
    let (desk, id) = desk().await;
    desk.later(3_600).await;
    answer(&desk, &question(&desk).await, "deny").await;
    let run = desk.runs(&id).await[0].clone();
    let told = "Its question was answered with no. Nothing ran. The reason: later";
    assert_eq!((&run["state"], &run["error"]), (&json!("cancelled"), &json!(told)));
    // The next one asks anew.
    desk.later(3_600).await;
    question(&desk).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_question_of_a_job_that_is_deleted_lapses() {
    let (desk, id) = desk().await;
    desk.run_now(&id).await;
    let ticket = question(&desk).await;
    desk.ask("DELETE", &format!("/api/jobs/{id}"), &Value::Null).await;
    assert_eq!(desk.ask("GET", "/api/tickets", &Value::Null).await, json!([]));
    let path = format!("/api/tickets/{}", ticket["id"].as_str().unwrap());
    assert_eq!(desk.send("POST", &path, &json!({"decision": "approve"})).await.status, 409);
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_questions_of_jobs_leave_room_for_others() {
    let (desk, _) = desk().await;
    for number in 0..11 {
        let deed = json!({"tool": "write", "params": {"path": format!("{number}.txt"), "content": "Tea"}});
        let id = desk.asked(&deed).await;
        assert_eq!(desk.run_now(&id).await["state"], json!("waiting"));
    }
    let own = json!({"params": {"path": "own.txt", "content": "Tea"}});
    assert_eq!(desk.send("POST", "/api/tools/write/invoke", &own).await.status, 409);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_have_happened_when_the_server_ended_is_uncertain_and_not_done_again() {
    let desk = Desk::mara(&["index:write"]).await;
    let write = desk.asked(&json!({"tool": "index_put", "params": {"id": "a", "text": "A heron"}})).await;
    let read = desk.asked(&json!({"tool": "calculator", "params": {"expression": "1+1"}})).await;
    for id in [&write, &read] {
        desk.ask("POST", &format!("/api/jobs/{id}/run"), &Value::Null).await;
    }
    // A process that claims them, begins with their work, and is gone.
    let app = &desk.server.app.satchel.app;
    for run in app.stores.jobs.take_due(app.clock.now()).await.unwrap() {
        let line = LogLine { at: app.clock.now(), text: "begun".to_owned() };
        app.stores.jobs.note_begun(&run, Begun::Call(CallId::new()), line).await.unwrap();
    }
    let desk = desk.restart().await;
    desk.settle().await;
    let run = desk.runs(&write).await[0].clone();
    let told = "The server stopped while this ran: it may or may not have taken effect. Look, then run it.";
    assert_eq!((&run["state"], &run["error"]), (&json!("uncertain"), &json!(told)));
    assert_eq!(desk.states(&read).await, ["done"]);
    let notices = desk.notices().await;
    assert!(notices.len() == 1 && notices[0]["warns"] == true, "{notices:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_for_a_while_is_tried_again_and_then_told_once() {
    let desk = Desk::owner().await;
    // Nobody listens there.
    desk.server.owner("PUT", "/api/settings", &json!({"outbound": {"exceptions": ["127.0.0.1:9"]}})).await;
    let deed = json!({"tool": "web_fetch", "params": {"url": "http://127.0.0.1:9/"}});
    let id = desk.job(&json!({"when": {"every_seconds": 86_400}, "do": deed, "retries": 1})).await;
    let run = desk.run_now(&id).await;
    assert_eq!((&run["state"], &run["attempt"]), (&json!("queued"), &json!(2)), "{run}");
    assert!(run["retry_at"].is_string(), "{run}");
    assert_eq!(desk.later(29).await, 0);
    assert_eq!(desk.later(2).await, 1);
    let run = desk.runs(&id).await[0].clone();
    assert_eq!((&run["state"], &run["attempt"]), (&json!("failed"), &json!(2)), "{run}");
    let id_again = desk.job(&json!({"when": {"every_seconds": 60}, "do": {"message": "x"}})).await;
    assert_eq!(desk.run_now(&id_again).await["state"], json!("done"));
    desk.run_now(&id).await;
    desk.later(40).await;
    let warnings: Vec<Value> = desk.notices().await.into_iter().filter(|one| one["warns"] == true).collect();
    assert_eq!((warnings.len(), &warnings[0]["times"]), (1, &json!(2)), "{warnings:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_made_as_the_settings_have_it() {
    let desk = Desk::owner().await;
    let id = desk.asked(&json!({"backup": {}})).await;
    let run = desk.run_now(&id).await;
    assert_eq!(run["state"], json!("done"), "{run}");
    let backups = desk.ask("GET", "/api/backups", &Value::Null).await;
    assert_eq!((&backups[0]["state"], &backups[0]["reason"]), (&json!("done"), &json!("schedule")), "{backups}");
}
