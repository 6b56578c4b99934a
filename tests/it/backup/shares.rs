//! Folders of backups that others use, too, or that are not there.

#![expect(clippy::disallowed_methods, reason = "damages files")]

use std::{fs, time::Duration};

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{http::until, made::tree};
use crate::support::http::TestServer;

const DAY: Duration = Duration::from_secs(86_400);

/// Names of the scheduled backups that both see, once they are as wanted.
async fn scheduled(server: &TestServer, wanted: impl Fn(&[String]) -> bool) -> Vec<String> {
    let found = timeout(Duration::from_secs(240), async {
        loop {
            let list = server.owner("GET", "/api/backups", &Value::Null).await;
            let done =
                list.as_array().unwrap().iter().filter(|one| one["reason"] == "schedule" && one["state"] == "done");
            let ids: Vec<String> = done.map(|one| one["id"].as_str().unwrap().to_owned()).collect();
            if wanted(&ids) {
                return ids;
            }
            sleep(Duration::from_millis(50)).await;
        }
    });
    found.await.expect("never as wanted")
}

#[tokio::test(flavor = "multi_thread")]
async fn each_makes_its_own_and_removes_none_of_the_others() {
    let shared = tempfile::tempdir().unwrap();
    let plan = json!({"backups": {"schedule": "daily", "keep": 1, "folder": shared.path()}});
    let (a, b) = (TestServer::start().await, TestServer::start().await);
    a.owner("PUT", "/api/settings", &plan).await;
    a.app.satchel.services.backups.follow_schedule();
    let first = scheduled(&a, |ids| ids.len() == 1).await.remove(0);
    // That one is there does not count for the other.
    b.owner("PUT", "/api/settings", &plan).await;
    b.app.satchel.services.backups.follow_schedule();
    let both = scheduled(&b, |ids| ids.len() == 2).await;
    let second = both.into_iter().find(|id| *id != first).unwrap();
    // Its next one takes the place of its own last.
    b.app.satchel.app.clock.advance(DAY);
    let after = scheduled(&b, |ids| ids.len() == 2 && !ids.contains(&second)).await;
    assert!(after.contains(&first), "{after:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scheduled_backup_that_cannot_begin_is_told_in_the_list_the_audit_and_by_the_doctor() {
    let (server, shared) = (TestServer::start().await, tempfile::tempdir().unwrap());
    let plan = json!({"backups": {"schedule": "daily", "folder": shared.path().join("mount")}});
    server.owner("PUT", "/api/settings", &plan).await;
    let doctor = async || {
        let report = server.owner("GET", "/api/doctor", &Value::Null).await;
        let checks = report["checks"].as_array().unwrap();
        checks.iter().find(|check| check["name"] == "backups").unwrap().clone()
    };
    server.app.satchel.services.backups.follow_schedule();
    let list = until(&server, "/api/backups", |list| list[0]["state"] == "failed").await;
    assert_eq!((list.as_array().unwrap().len(), &list[0]["reason"]), (1, &json!("schedule")), "{list}");
    assert!(list[0]["problem"].as_str().unwrap().contains("Mount the disk"), "{list}");
    let audit = server.owner("GET", "/api/audit?limit=200", &Value::Null).await;
    let row = audit["entries"].as_array().unwrap().iter().find(|row| row["action"] == "backup.create").unwrap().clone();
    assert_eq!((&row["user"], &row["outcome"]), (&json!("schedule"), &json!("failure")), "{row}");
    let found = doctor().await;
    assert!(found["ok"] == false && found["message"].as_str().unwrap().contains("is missing"), "{found}");
    // Its disk is there again, and an hour has gone by.
    fs::create_dir(shared.path().join("mount")).unwrap();
    let found = doctor().await;
    assert!(found["ok"] == false && found["message"].as_str().unwrap().contains("was not made"), "{found}");
    server.app.satchel.app.clock.advance(Duration::from_secs(3_600));
    until(&server, "/api/backups", |list| list[0]["state"] == "done").await;
    assert_eq!(doctor().await["ok"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn for_a_scheduled_backup_that_cannot_be_relied_on_no_older_one_goes() {
    let server = TestServer::start().await;
    server.owner("PUT", "/api/settings", &json!({"backups": {"schedule": "daily", "keep": 1}})).await;
    server.app.satchel.services.backups.follow_schedule();
    let verified = async |number: usize| {
        until(&server, "/api/backups", |list| {
            let all = list.as_array().unwrap();
            all.len() == number && all.iter().all(|one| !one["verified"].is_null() && one["progress"].is_null())
        })
        .await
    };
    assert_eq!(verified(1).await[0]["verified"]["ok"], true);
    let letter = json!({"title": "Letter", "text": "The heron stands at the weir."});
    server.owner("POST", "/api/knowledge/documents", &letter).await;
    let contents: Vec<_> =
        tree(&server.app.dir.path().join("files")).into_keys().filter(|path| path.is_file()).collect();
    assert!(!contents.is_empty());
    for content in contents {
        fs::write(content, "damaged by the disk").unwrap();
    }
    server.app.satchel.app.clock.advance(DAY);
    let list = verified(2).await;
    assert_eq!((&list[0]["verified"]["ok"], &list[1]["verified"]["ok"]), (&json!(false), &json!(true)), "{list}");
    // The next one begins after whatever went for this one has gone.
    server.app.satchel.app.clock.advance(DAY);
    verified(3).await;
    let report = server.owner("GET", "/api/doctor", &Value::Null).await;
    let found = report["checks"].as_array().unwrap().iter().find(|check| check["name"] == "backups").unwrap();
    assert!(found["message"].as_str().unwrap().contains("cannot be relied on"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_set_and_not_there_is_said() {
    let (server, shared) = (TestServer::start().await, tempfile::tempdir().unwrap());
    let folder = shared.path().join("mount");
    server.owner("PUT", "/api/settings", &json!({"backups": {"folder": folder}})).await;
    let cookie = server.sign_in("owner").await;
    let request = crate::support::http::Request::post("/api/backups", &json!({})).cookie(&cookie);
    let answer = server.send(request).await;
    assert!(answer.status == 409 && answer.problem().contains("Mount the disk"), "{}", answer.text());
    assert!(!folder.exists());
}
