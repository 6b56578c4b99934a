//! Backups over HTTP: made, verified, fetched and removed by administrators; by the schedule; restored at the first run.

#![expect(clippy::disallowed_methods, reason = "looks at data directories")]

use std::{fs, time::Duration};

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::made::lived_in;
use crate::support::{
    http::{Request, TestServer},
    program::Home,
    way::way_out,
};

const DAY: Duration = Duration::from_secs(86_400);
/// Longer than anything takes that comes.
const PATIENCE: Duration = Duration::from_secs(240);

/// Asks until the answer is as wanted.
pub async fn until(server: &TestServer, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let found = timeout(PATIENCE, async {
        loop {
            let answer = server.owner("GET", path, &Value::Null).await;
            if wanted(&answer) {
                return answer;
            }
            sleep(Duration::from_millis(30)).await;
        }
    });
    found.await.unwrap_or_else(|_| panic!("{path} is never as wanted"))
}

async fn made(server: &TestServer, wish: &Value) -> Value {
    let begun = server.owner("POST", "/api/backups", wish).await;
    let path = format!("/api/backups/{}", begun["id"].as_str().unwrap());
    until(server, &path, |one| one["state"] != "running").await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_administrator_makes_verifies_fetches_and_removes_one() {
    let server = TestServer::start().await;
    let one = made(&server, &json!({})).await;
    assert_eq!(
        (&one["state"], &one["sealed_to"], &one["vault_key"]),
        (&json!("done"), &json!("own_key"), &json!(false))
    );
    let id = one["id"].as_str().unwrap().to_owned();
    let list = server.owner("GET", "/api/backups", &Value::Null).await;
    assert_eq!((list.as_array().unwrap().len(), &list[0]["id"], &list[0]["verified"]), (1, &json!(id), &Value::Null));
    server.owner("POST", &format!("/api/backups/{id}/verify"), &json!({})).await;
    let verified = until(&server, &format!("/api/backups/{id}"), |one| !one["verified"].is_null()).await;
    assert_eq!(verified["verified"]["ok"], true, "{verified}");
    let cookie = server.sign_in("owner").await;
    let file = server.send(Request::get(&format!("/api/backups/{id}/file")).cookie(&cookie)).await;
    assert!(file.status == 200 && file.body.starts_with(b"age-encryption.org/v1"), "{}", file.status);
    let key = server.send(Request::get("/api/backups/own/key").cookie(&cookie)).await;
    assert!(key.status == 200 && key.text().contains("AGE-SECRET-KEY-1"), "{}", key.text());
    server.owner("DELETE", &format!("/api/backups/{id}"), &Value::Null).await;
    assert_eq!(server.owner("GET", "/api/backups", &Value::Null).await, json!([]));
    let audit = server.owner("GET", "/api/audit?limit=200", &Value::Null).await;
    let actions: Vec<&str> =
        audit["entries"].as_array().unwrap().iter().filter_map(|row| row["action"].as_str()).collect();
    for action in ["backup.create", "backup.verify", "backup.fetch", "backup.fetch_key", "backup.delete"] {
        assert!(actions.contains(&action), "{action}: {actions:?}");
    }
    assert!(!audit.to_string().contains("AGE-SECRET-KEY"), "a key is in the audit");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drill_does_not_doubt_documents_whose_words_say_little() {
    let server = TestServer::start().await;
    let letter =
        |number: u32| format!("Harbour office of the river authority, quay of the old mill, open daily.\n\n{number}");
    let texts = (0..12).map(letter).chain(["To be, or not to be.".to_owned(), "🎉🎉🎉".to_owned()]);
    for (number, text) in texts.enumerate() {
        let body = json!({"title": format!("Letter {number}"), "text": text});
        server.owner("POST", "/api/knowledge/documents", &body).await;
    }
    until(&server, "/api/knowledge/documents?limit=50", |list| {
        let all = list.as_array().unwrap();
        all.len() == 14 && all.iter().all(|one| one["status"] == "ready")
    })
    .await;
    let id = made(&server, &json!({})).await["id"].as_str().unwrap().to_owned();
    server.owner("POST", &format!("/api/backups/{id}/verify"), &json!({})).await;
    let verified = until(&server, &format!("/api/backups/{id}"), |one| !one["verified"].is_null()).await;
    assert_eq!(verified["verified"]["ok"], true, "{verified}");
    assert!(verified["verified"]["steps"].to_string().contains("search finds what was asked for"), "{verified}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_may_and_a_key_fetches_nothing() {
    let server = TestServer::start().await;
    let one = made(&server, &json!({})).await;
    let id = one["id"].as_str().unwrap();
    server.add("ada", "operator").await;
    let cookie = server.sign_in("ada").await;
    let paths = [
        ("GET", "/api/backups".to_owned()),
        ("POST", "/api/backups".to_owned()),
        ("GET", format!("/api/backups/{id}")),
        ("DELETE", format!("/api/backups/{id}")),
        ("POST", format!("/api/backups/{id}/verify")),
        ("GET", format!("/api/backups/{id}/file")),
        ("GET", "/api/backups/own/key".to_owned()),
    ];
    for (method, path) in &paths {
        let answer = server.send(Request::new(method, path).cookie(&cookie)).await;
        assert_eq!(answer.status, 403, "{method} {path}: {}", answer.text());
    }
    // Who manages settings reads no memories of others: neither from a backup nor with its key.
    server.owner("POST", "/api/roles", &json!({"name": "keeper", "permissions": ["settings:manage"]})).await;
    server.add("mara", "keeper").await;
    let keeper = server.sign_in("mara").await;
    let opened_by = json!({"recipient": "age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg"});
    for (method, path, body) in [
        ("GET", format!("/api/backups/{id}/file"), Value::Null),
        ("GET", "/api/backups/own/key".to_owned(), Value::Null),
        ("POST", "/api/backups".to_owned(), json!({"with_key": true})),
        ("POST", "/api/backups".to_owned(), opened_by.clone()),
        ("PUT", "/api/backups/own/passphrase".to_owned(), json!({"passphrase": "six words nobody knows"})),
        ("PUT", "/api/settings".to_owned(), json!({"backups": {"with_key": true}})),
        ("PUT", "/api/settings".to_owned(), json!({"backups": {"folder": "/tmp"}})),
    ] {
        let answer = server.send(Request::new(method, &path).json(&body).cookie(&keeper)).await;
        assert_eq!(answer.status, 403, "{method} {path} {body}: {}", answer.text());
    }
    assert_eq!(server.send(Request::get("/api/backups").cookie(&keeper)).await.status, 200);
    let own = server.sign_in("owner").await;
    let key = server.key(&own, Some(&["*"])).await;
    for path in [format!("/api/backups/{id}/file"), "/api/backups/own/key".to_owned()] {
        assert_eq!(server.send(Request::get(&path).bearer(&key)).await.status, 403, "{path}");
    }
    // Who can open backups and where they go, no key decides; that one is made, it may.
    for (method, path, body) in [
        ("POST", "/api/backups".to_owned(), json!({"with_key": true})),
        ("POST", "/api/backups".to_owned(), opened_by.clone()),
        ("POST", "/api/backups".to_owned(), json!({"passphrase": "six words nobody knows"})),
        ("PUT", "/api/backups/own/passphrase".to_owned(), json!({"passphrase": "six words nobody knows"})),
        ("PUT", "/api/settings".to_owned(), json!({"backups": {"folder": "/tmp"}})),
        ("PUT", "/api/settings".to_owned(), json!({"backups": opened_by})),
        ("DELETE", format!("/api/backups/{id}"), Value::Null),
    ] {
        let answer = server.send(Request::new(method, &path).json(&body).bearer(&key)).await;
        assert_eq!(answer.status, 403, "{method} {path} {body}: {}", answer.text());
    }
    let same = Request::new("PUT", "/api/settings").json(&json!({"backups": {"schedule": "off"}})).bearer(&key);
    assert_eq!(server.send(same).await.status, 200);
    let elsewhere = Request::post("/api/backups", &json!({"to": "/tmp/x.age"})).cookie(&own);
    assert_eq!(server.send(elsewhere).await.status, 403);
    for id in ["../satchel", "..", "no-such", "a%2fb"] {
        let answer = server.send(Request::get(&format!("/api/backups/{id}/file")).cookie(&own)).await;
        assert_eq!(answer.status, 404, "{id}: {}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_set_is_said() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    let data = server.app.dir.path().join("files");
    for (setting, value, said) in [
        ("at", json!("25:00"), "HH:MM"),
        ("at", json!("2:00"), "HH:MM"),
        ("recipient", json!("mara"), "age1"),
        ("folder", json!("backups"), "absolute"),
        ("folder", json!(data), "data directory"),
        ("keep", json!(0), "from 1"),
        ("schedule", json!("hourly"), "schedule"),
    ] {
        let body = json!({"backups": {setting: value}});
        let answer = server.send(Request::new("PUT", "/api/settings").json(&body).cookie(&cookie)).await;
        assert!(answer.status == 400 && answer.problem().contains(said), "{setting}: {}", answer.text());
    }
    let short =
        Request::new("PUT", "/api/backups/own/passphrase").json(&json!({"passphrase": "short"})).cookie(&cookie);
    assert!(server.send(short).await.problem().contains("12 characters"));
    server.owner("PUT", "/api/settings", &json!({"backups": {"sealed_to": "passphrase"}})).await;
    let failed = made(&server, &json!({})).await;
    assert!(failed["problem"].as_str().unwrap().contains("No passphrase is set"), "{failed}");
    server.owner("PUT", "/api/backups/own/passphrase", &json!({"passphrase": "correct horse battery"})).await;
    assert_eq!(made(&server, &json!({})).await["sealed_to"], "passphrase");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_schedule_makes_them_keeps_some_and_makes_up_for_one_that_was_missed() {
    let server = TestServer::start().await;
    let satchel = &server.app.satchel;
    let asked = made(&server, &json!({})).await["id"].clone();
    server.owner("PUT", "/api/settings", &json!({"backups": {"schedule": "daily", "keep": 1}})).await;
    let plan = server.owner("GET", "/api/backups/own/plan", &Value::Null).await;
    assert!(plan["next_at"].is_string(), "{plan}");
    satchel.services.backups.follow_schedule();
    let scheduled = |list: &Value| -> Vec<Value> {
        list.as_array()
            .unwrap()
            .iter()
            .filter(|one| one["reason"] == "schedule" && one["state"] == "done")
            .cloned()
            .collect()
    };
    let first = until(&server, "/api/backups", |list| scheduled(list).len() == 1).await;
    let first = scheduled(&first)[0]["id"].clone();
    let path = format!("/api/backups/{}", first.as_str().unwrap());
    let verified = until(&server, &path, |one| !one["verified"].is_null()).await;
    assert_eq!(verified["verified"]["ok"], true, "{verified}");
    satchel.app.clock.advance(DAY);
    // The first goes once the second is there.
    let second = until(&server, "/api/backups", |list| {
        let all = scheduled(list);
        all.len() == 1 && all[0]["id"] != first
    });
    let second = second.await;
    assert!(second.as_array().unwrap().iter().any(|one| one["id"] == asked), "one that was asked for is gone");
    // A start finds that nothing is missing, and after a day that something is.
    let TestServer { app, .. } = server;
    let app = app.restart().await;
    let address = app.satchel.url.socket_addrs(|| None).unwrap()[0];
    let server = TestServer { app, address };
    server.app.satchel.app.clock.advance(3 * DAY);
    server.app.satchel.services.backups.follow_schedule();
    let second = scheduled(&second)[0]["id"].clone();
    until(&server, "/api/backups", |list| {
        let all = scheduled(list);
        all.len() == 1 && all[0]["id"] != second
    })
    .await;
}

/// A form as a browser sends it.
fn form(fields: &[(&str, &str)], file: &[u8]) -> (String, Vec<u8>) {
    let mut body = Vec::new();
    for (name, text) in fields {
        body.extend(format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n").into_bytes());
    }
    body.extend(b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.age\"\r\n\r\n");
    body.extend(file);
    body.extend(b"\r\n--b--\r\n");
    ("multipart/form-data; boundary=b".to_owned(), body)
}

#[tokio::test]
async fn the_first_run_restores_a_backup_and_goes_on_with_it() {
    let old = lived_in().await;
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("x.age");
    assert_eq!(old.run(&["backup", file.to_str().unwrap()]).await.code, 0);
    let (bytes, key) = (fs::read(&file).unwrap(), fs::read_to_string(out.path().join("x.age.key")).unwrap());
    let new = Home::empty();
    let mut server = new.serve(&[]).await;
    let token = server.line().await.split("token=").nth(1).unwrap().to_owned();
    let http = way_out().allowing(satchel::net::guard::HostPort::from_url(&server.url).as_slice());
    let send = async |fields: &[(&str, &str)], file: &[u8]| {
        let (kind, body) = form(fields, file);
        let mut request =
            satchel::net::http::Request::new(http::Method::POST, server.url.join("/api/setup/restore").unwrap());
        request.headers.insert("content-type", kind.parse().unwrap());
        request.body = body.into();
        request.patience = PATIENCE;
        let answer = http.send(request).await.unwrap();
        let status = answer.status.as_u16();
        (status, serde_json::from_slice::<Value>(&answer.bytes(1 << 20).await.unwrap()).unwrap())
    };
    for (fields, file, status) in [
        (vec![("token", "wrong"), ("identity", key.as_str())], bytes.as_slice(), 403),
        (vec![("identity", key.as_str())], bytes.as_slice(), 403),
        (vec![("token", token.as_str()), ("passphrase", "not the way")], bytes.as_slice(), 400),
        (vec![("token", token.as_str()), ("identity", key.as_str())], &bytes[..bytes.len() / 2], 400),
        (vec![("token", token.as_str()), ("identity", key.as_str())], b"".as_slice(), 400),
    ] {
        let (answered, body) = send(&fields, file).await;
        assert_eq!(answered, status, "{body}");
    }
    let (status, body) = send(&[("token", token.as_str()), ("identity", key.as_str())], &bytes).await;
    assert_eq!(status, 200, "{body}");
    assert!(body["rows"]["memories"].as_i64().unwrap() >= 1, "{body}");
    // The same process comes back on the same address, on what was restored.
    let signed = timeout(PATIENCE, async {
        loop {
            let body = json!({"username": "owner", "password": crate::support::program::PASSWORD});
            let request = satchel::net::http::Request::post_json(server.url.join("/api/auth/login").unwrap(), &body);
            match http.send(request).await {
                Ok(answer) if answer.status.as_u16() == 200 => return,
                _ => sleep(Duration::from_millis(50)).await,
            }
        }
    });
    signed.await.expect("nobody can sign in");
    let told = new.json(&["call", "recall_memories", "query=mill"]).await;
    assert!(told.to_string().contains("opens at seven"), "{told}");
    assert_eq!(server.stop().await.code, 0);
    let c = rusqlite::Connection::open(satchel::store::dir::database(&new.path())).unwrap();
    let sql = "SELECT count(*) FROM audit WHERE action = 'backup.restore' AND person = 'set-up link'";
    assert_eq!(c.query_row(sql, (), |row| row.get::<_, i64>(0)).unwrap(), 1);
    let names: Vec<String> =
        fs::read_dir(new.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| !name.starts_with("restored") && name != "replaced"), "{names:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn with_an_owner_nothing_is_restored_over_the_web() {
    let server = TestServer::start().await;
    let (kind, body) = form(&[("token", "x"), ("identity", "y")], b"z");
    let answer = server.send(Request::new("POST", "/api/setup/restore").raw(&kind, body)).await;
    assert_eq!(answer.status, 409, "{}", answer.text());
}
