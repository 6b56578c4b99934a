//! A job does what its owner may do at that moment, and no more.

use serde_json::{Value, json};

use super::desk::{Desk, role};
use crate::support::http::Request;

const MESSAGE: fn() -> Value = || json!({"message": "Tea"});

async fn change(desk: &Desk, change: &Value) {
    let users = desk.server.owner("GET", "/api/users", &Value::Null).await;
    let mara = users.as_array().unwrap().iter().find(|user| user["username"] == "mara").unwrap()["id"].clone();
    let path = format!("/api/users/{}", mara.as_str().unwrap());
    let method = if change.is_null() { "DELETE" } else { "PATCH" };
    desk.server.owner(method, &path, change).await;
}

/// The last run of everybody's jobs, as the owner of the server sees it.
async fn last(desk: &Desk) -> Value {
    desk.server.owner("GET", "/api/jobs?all=true", &Value::Null).await[0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_runs_for_somebody_who_is_disabled_or_may_have_no_jobs_any_more() {
    let desk = Desk::mara(&[]).await;
    desk.job(&json!({"when": {"every_seconds": 60}, "do": MESSAGE()})).await;
    role(&desk.server, "guest", &["knowledge:read"]).await;
    change(&desk, &json!({"role": "guest"})).await;
    desk.later(60).await;
    let run = last(&desk).await["last_run"].clone();
    let told =
        "mara, whose job this is, may have no jobs any more: that needs the permission 'jobs:manage'. Nothing ran.";
    assert_eq!((&run["state"], &run["error"]), (&json!("failed"), &json!(told)));
    change(&desk, &json!({"disabled": true})).await;
    desk.later(60).await;
    let told = "The account of mara, whose job this is, is disabled. Nothing ran.";
    assert_eq!(last(&desk).await["last_run"]["error"], json!(told));
    change(&desk, &json!({"disabled": false, "role": "clerk"})).await;
    desk.later(60).await;
    assert_eq!(last(&desk).await["last_run"]["state"], json!("done"));
    let audit = desk.server.owner("GET", "/api/audit?door=job", &Value::Null).await.to_string();
    assert!(audit.contains("refused") && audit.contains("is disabled"), "{audit}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_whose_owner_is_gone_says_so_and_is_paused() {
    let desk = Desk::mara(&[]).await;
    desk.job(&json!({"when": {"every_seconds": 60}, "do": MESSAGE()})).await;
    change(&desk, &Value::Null).await;
    assert_eq!(desk.later(60).await, 1);
    let job = last(&desk).await;
    let told = "The account of mara, whose job this is, was deleted. Nothing ran.";
    assert_eq!((&job["last_run"]["state"], &job["last_run"]["error"]), (&json!("failed"), &json!(told)));
    assert_eq!((&job["enabled"], &job["owner_name"]), (&json!(false), &json!("mara")), "{job}");
    assert_eq!(job["paused_because"], json!("The account of mara, whose job this is, was deleted."));
    assert_eq!(desk.later(600).await, 0);
    let path = format!("/api/jobs/{}", job["id"].as_str().unwrap());
    desk.server.owner("DELETE", &path, &Value::Null).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_its_owner_may_use_no_longer_is_not_run() {
    let desk = Desk::mara(&["index:write"]).await;
    let id = desk.asked(&json!({"tool": "index_put", "params": {"id": "a", "text": "A heron"}})).await;
    assert_eq!(desk.run_now(&id).await["state"], json!("done"));
    role(&desk.server, "guest", &["jobs:manage"]).await;
    change(&desk, &json!({"role": "guest"})).await;
    let run = desk.run_now(&id).await;
    assert_eq!(run["state"], json!("failed"), "{run}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_goes_with_the_key_that_made_it() {
    let desk = Desk::mara(&[]).await;
    let key = json!({"name": "robot", "permissions": ["jobs:manage"], "personal": true});
    let key = desk.ask("POST", "/api/keys", &key).await;
    let draft = json!({"when": {"every_seconds": 60}, "do": MESSAGE()});
    let made = Request::post("/api/jobs", &draft).bearer(key["key"].as_str().unwrap());
    let made = desk.server.send(made).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let id = made.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(desk.run_now(&id).await["state"], json!("done"));
    desk.ask("DELETE", &format!("/api/keys/{}", key["id"].as_str().unwrap()), &Value::Null).await;
    let run = desk.run_now(&id).await;
    let told = "The key that this job was written with, or that asked for this run, was revoked. Nothing ran: save the job in \
                the console to have it run as yourself.";
    assert_eq!((&run["state"], &run["error"]), (&json!("failed"), &json!(told)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_jobs_do_is_not_told() {
    let desk = Desk::mara(&[]).await;
    let id = desk.asked(&json!({"message": "heliotrope"})).await;
    let all = desk.server.owner("GET", "/api/jobs?all=true", &Value::Null).await;
    assert_eq!((&all[0]["do"], &all[0]["owner_name"]), (&json!({"message": ""}), &json!("mara")));
    assert_eq!(desk.server.owner("GET", "/api/jobs", &Value::Null).await, json!([]));
    assert_eq!(desk.send("GET", "/api/jobs?all=true", &Value::Null).await.status, 403);
    let owner = desk.server.sign_in("owner").await;
    for (method, path) in [("POST", "/run"), ("POST", "/resume"), ("GET", "/runs")] {
        let request = Request::new(method, &format!("/api/jobs/{id}{path}")).cookie(&owner);
        assert_eq!(desk.server.send(request).await.status, 404, "{path}");
    }
    desk.server.owner("POST", &format!("/api/jobs/{id}/pause"), &Value::Null).await;
    let audit = desk.server.owner("GET", "/api/audit", &Value::Null).await.to_string();
    assert!(audit.contains("job.pause"), "{audit}");
}
