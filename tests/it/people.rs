//! People over the wire: the first owner, signing in and out, users, roles, keys, sessions, and what the audit keeps.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::http::{Answer, PASSWORD, Request, TestServer};

const DAY: Duration = Duration::from_secs(24 * 3600);

fn login(username: &str, password: &str) -> Request {
    Request::post("/api/auth/login", &json!({"username": username, "password": password}))
}

async fn me(server: &TestServer, request: Request) -> Answer {
    server.send(request).await
}

fn ask_me() -> Request {
    Request::get("/api/auth/me")
}

/// The newest audit rows, as (event type, action, outcome, user).
async fn audit(server: &TestServer, count: u32) -> Vec<[String; 4]> {
    let entries = server.app.satchel.app.stores.audit.find(Default::default(), count).await.unwrap();
    entries.into_iter().map(|e| [e.event_type, e.action, e.outcome, e.user]).collect()
}

fn row(event_type: &str, action: &str, outcome: &str, user: &str) -> [String; 4] {
    [event_type, action, outcome, user].map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_link_makes_one_owner_and_signs_him_in() {
    let server = TestServer::empty().await;
    let needed = || async { server.send(Request::get("/api/setup")).await.json()["needed"].clone() };
    assert_eq!(needed().await, true);
    let wrong = json!({"token": "x", "username": "owner", "password": PASSWORD});
    assert_eq!(server.send(Request::post("/api/setup", &wrong)).await.status, 403);
    let made = server.set_up("owner").await;
    assert_eq!(made.status, 201, "{}", made.text());
    let cookie = made.header("set-cookie").unwrap().to_owned();
    for part in ["satchel_session=", "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=2592000"] {
        assert!(cookie.contains(part), "{part} is not in {cookie}");
    }
    assert!(!cookie.contains("Secure"), "{cookie}");
    let asked = me(&server, ask_me().cookie(&made.cookie().unwrap())).await.json();
    assert_eq!(asked, made.json());
    let wanted = json!({"username": "owner", "role": "administrator", "permissions": ["*"], "credential": "session"});
    for (key, value) in wanted.as_object().unwrap() {
        assert_eq!(&asked[key], value);
    }
    assert_eq!(needed().await, false);
    assert_eq!(server.set_up("second").await.status, 409);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_ten_owners_at_once_one_is_made() {
    let server = TestServer::empty().await;
    let app = &server.app.satchel.app;
    let token = app.stores.people.issue_link(app.clock.now());
    let tries = (0..10).map(|n| {
        let body = json!({"token": token.expose(), "username": format!("owner{n}"), "password": PASSWORD});
        server.send(Request::post("/api/setup", &body))
    });
    let mut statuses: Vec<u16> = futures_util::future::join_all(tries).await.iter().map(|a| a.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![201], vec![409; 9]].concat());
    assert_eq!(app.stores.people.users().await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lapsed_link_says_what_to_do() {
    let server = TestServer::empty().await;
    let app = &server.app.satchel.app;
    let token = app.stores.people.issue_link(app.clock.now());
    app.clock.advance(Duration::from_secs(15 * 60));
    let body = json!({"token": token.expose(), "username": "owner", "password": PASSWORD});
    let answer = server.send(Request::post("/api/setup", &body)).await;
    assert_eq!(answer.status, 403);
    assert!(answer.problem().contains("Restart Satchel"), "{}", answer.problem());
}

#[tokio::test(flavor = "multi_thread")]
async fn weak_passwords_and_odd_names_are_refused_by_name() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    let cases = [
        ("ada", "short", "too short"),
        ("ada", &"x".repeat(2000), "too long"),
        ("ada.lovelace", "Ada.Lovelace", "user name"),
        ("a b", PASSWORD, "user name is 1 to 64"),
        ("", PASSWORD, "user name is 1 to 64"),
        (&"x".repeat(65), PASSWORD, "user name is 1 to 64"),
    ];
    for (username, password, wanted) in cases {
        let body = json!({"username": username, "password": password, "role": "viewer"});
        let answer = server.send(Request::post("/api/users", &body).cookie(&cookie)).await;
        assert_eq!(answer.status, 400, "{username}");
        assert!(answer.problem().contains(wanted), "{username}: {}", answer.problem());
    }
    let body = json!({"username": "ada", "password": PASSWORD, "role": "emperor"});
    let answer = server.send(Request::post("/api/users", &body).cookie(&cookie)).await;
    assert_eq!((answer.status, answer.problem().as_str()), (404, "There is no role 'emperor'."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_an_unknown_name_and_a_disabled_user_answer_alike() {
    let server = TestServer::start().await;
    let id = server.add("ada", "viewer").await;
    server.owner("PATCH", &format!("/api/users/{id}"), &json!({"disabled": true})).await;
    let wrong = server.send(login("owner", "not the password")).await;
    let unknown = server.send(login("nobody", PASSWORD)).await;
    let disabled = server.send(login("ada", PASSWORD)).await;
    assert_eq!((wrong.status, wrong.cookie()), (401, None));
    assert_eq!((unknown.status, unknown.json()), (401, wrong.json()));
    assert_eq!((disabled.status, disabled.json()), (401, wrong.json()));
}

#[tokio::test(flavor = "multi_thread")]
async fn guessing_must_wait_longer_each_time_and_is_not_for_ever() {
    let server = TestServer::start().await;
    server.add("ada", "viewer").await;
    for _ in 0..5 {
        assert_eq!(server.send(login("ada", "not the password")).await.status, 401);
    }
    let clock = &server.app.satchel.app.clock;
    for wait in [1, 2, 4, 8] {
        let blocked = server.send(login("ada", PASSWORD)).await;
        assert_eq!((blocked.status, blocked.header("retry-after")), (429, Some(wait.to_string().as_str())));
        clock.advance(Duration::from_secs(wait));
        assert_eq!(server.send(login("ADA", "not the password")).await.status, 401);
    }
    assert_eq!(audit(&server, 1).await, [row("auth", "login", "failure", "ADA")]);
    clock.advance(Duration::from_secs(15 * 60));
    assert_eq!(server.send(login("ada", PASSWORD)).await.status, 200);
    assert_eq!(server.send(login("owner", PASSWORD)).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn hammering_at_a_closed_door_fills_no_audit() {
    let server = TestServer::start().await;
    for _ in 0..5 {
        server.send(login("ada", "not the password")).await;
    }
    for _ in 0..20 {
        assert_eq!(server.send(login("ada", "not the password")).await.status, 429);
    }
    let rows = audit(&server, 7).await;
    assert_eq!(rows[0], row("auth", "login", "refused", "ada"));
    assert_eq!(rows[1..6], [(); 5].map(|()| row("auth", "login", "failure", "ada")));
    assert_eq!(rows[6], row("auth", "login", "success", "owner"));
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_ends_the_session_and_takes_the_cookie_back() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    let out = server.send(Request::new("POST", "/api/auth/logout").cookie(&cookie)).await;
    assert_eq!((out.status, out.cookie().as_deref()), (204, Some("")));
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(me(&server, ask_me().cookie(&cookie)).await.status, 401);
    assert_eq!(
        audit(&server, 2).await,
        [row("auth", "logout", "success", "owner"), row("auth", "login", "success", "owner")]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_slides_for_seven_days_and_ends_after_thirty() {
    let server = TestServer::start().await;
    let clock = &server.app.satchel.app.clock;
    let cookie = server.sign_in("owner").await;
    for _ in 0..4 {
        clock.advance(DAY * 6);
        assert_eq!(me(&server, ask_me().cookie(&cookie)).await.status, 200);
    }
    clock.advance(DAY * 6);
    assert_eq!(me(&server, ask_me().cookie(&cookie)).await.status, 401);
    let idle = server.sign_in("owner").await;
    clock.advance(DAY * 7);
    assert_eq!(me(&server, ask_me().cookie(&idle)).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_listed_and_ended_one_by_one() {
    let server = TestServer::start().await;
    let (here, there) = (server.sign_in("owner").await, server.sign_in("owner").await);
    let list = server.send(Request::get("/api/sessions").cookie(&here)).await.json();
    let other =
        list.as_array().unwrap().iter().filter(|s| s["current"] == false).max_by_key(|s| s["created_at"].to_string());
    assert_eq!(list.as_array().unwrap().iter().filter(|s| s["current"] == true).count(), 1);
    assert!(!list.to_string().contains(&there));
    let path = format!("/api/sessions/{}", other.unwrap()["id"].as_str().unwrap());
    assert_eq!(server.send(Request::new("DELETE", &path).cookie(&here)).await.status, 204);
    assert_eq!(me(&server, ask_me().cookie(&there)).await.status, 401);
    assert_eq!(me(&server, ask_me().cookie(&here)).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn changing_ones_password_needs_the_old_one_and_ends_other_sessions() {
    let server = TestServer::start().await;
    let (here, there) = (server.sign_in("owner").await, server.sign_in("owner").await);
    let key = server.key(&here, None).await;
    let change = |current: &str, new: &str| {
        Request::post("/api/auth/password", &json!({"current": current, "new": new})).cookie(&here)
    };
    assert_eq!(server.send(change("not the password", "a new password")).await.status, 403);
    assert_eq!(server.send(change(PASSWORD, "short")).await.status, 400);
    assert_eq!(me(&server, ask_me().bearer(&key)).await.status, 200);
    assert_eq!(server.send(change(PASSWORD, "a new password")).await.status, 204);
    assert_eq!(me(&server, ask_me().cookie(&here)).await.status, 200);
    assert_eq!(me(&server, ask_me().cookie(&there)).await.status, 401);
    assert_eq!(me(&server, ask_me().bearer(&key)).await.status, 401);
    assert_eq!(server.send(login("owner", PASSWORD)).await.status, 401);
    assert_eq!(server.send(login("owner", "a new password")).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_role_counts_at_the_next_request() {
    let server = TestServer::start().await;
    let id = server.add("ada", "operator").await;
    let cookie = server.sign_in("ada").await;
    let audit = || Request::get("/api/audit").cookie(&cookie);
    assert_eq!(server.send(audit()).await.status, 200);
    server.owner("PATCH", &format!("/api/users/{id}"), &json!({"role": "viewer"})).await;
    assert_eq!(server.send(audit()).await.status, 403);
    server.owner("POST", "/api/roles", &json!({"name": "auditors", "permissions": ["audit:read"]})).await;
    server.owner("PATCH", &format!("/api/users/{id}"), &json!({"role": "auditors"})).await;
    assert_eq!(server.send(audit()).await.status, 200);
    server.owner("PUT", "/api/roles/auditors", &json!({"permissions": ["index:read"]})).await;
    assert_eq!(server.send(audit()).await.status, 403);
    server.owner("DELETE", &format!("/api/users/{id}"), &Value::Null).await;
    assert_eq!(server.send(audit()).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_shown_once_and_is_never_wider_than_its_owner() {
    let server = TestServer::start().await;
    let id = server.add("ada", "operator").await;
    let cookie = server.sign_in("ada").await;
    let body = json!({"name": "ci", "permissions": ["audit:read"]});
    let made = server.send(Request::post("/api/keys", &body).cookie(&cookie)).await.json();
    let key = made["key"].as_str().unwrap().to_owned();
    assert!(key.starts_with("sk_satchel_"), "{key}");
    let list = server.send(Request::get("/api/keys").cookie(&cookie)).await;
    assert!(!list.text().contains(&key));
    assert_eq!(list.json()[0]["permissions"], json!(["audit:read"]));
    let asked = me(&server, ask_me().bearer(&key)).await.json();
    assert_eq!((asked["credential"].clone(), asked["permissions"].clone()), (json!("key"), json!(["audit:read"])));
    let wider = json!({"name": "x", "permissions": ["host:exec"]});
    assert_eq!(server.send(Request::post("/api/keys", &wider).cookie(&cookie)).await.status, 403);
    let same = json!({"name": "x", "permissions": ["audit:read"]});
    assert_eq!(server.send(Request::post("/api/keys", &same).bearer(&key)).await.status, 403, "no key makes another");
    server.owner("PATCH", &format!("/api/users/{id}"), &json!({"role": "viewer"})).await;
    assert_eq!(me(&server, ask_me().bearer(&key)).await.json()["permissions"], json!([]));
    let path = format!("/api/keys/{}", made["id"].as_str().unwrap());
    assert_eq!(server.send(Request::new("DELETE", &path).cookie(&cookie)).await.status, 204);
    assert_eq!(me(&server, ask_me().bearer(&key)).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_users_things_are_not_there() {
    let server = TestServer::start().await;
    let ada = server.add("ada", "viewer").await;
    server.add("bob", "viewer").await;
    let (ada_cookie, bob) = (server.sign_in("ada").await, server.sign_in("bob").await);
    server.key(&ada_cookie, None).await;
    let key = server.send(Request::get("/api/keys").cookie(&ada_cookie)).await.json()[0]["id"].clone();
    let session = server.send(Request::get("/api/sessions").cookie(&ada_cookie)).await.json()[0]["id"].clone();
    let foreign = [
        ("DELETE", format!("/api/keys/{}", key.as_str().unwrap())),
        ("DELETE", format!("/api/sessions/{}", session.as_str().unwrap())),
        ("GET", format!("/api/keys?user={ada}")),
        ("GET", format!("/api/sessions?user={ada}")),
    ];
    for (method, path) in foreign {
        assert_eq!(server.send(Request::new(method, &path).cookie(&bob)).await.status, 404, "{method} {path}");
    }
    let body = json!({"name": "x", "user": ada});
    assert_eq!(server.send(Request::post("/api/keys", &body).cookie(&bob)).await.status, 404);
    assert_eq!(me(&server, ask_me().cookie(&ada_cookie)).await.status, 200);
    let own = server.owner("GET", &format!("/api/keys?user={ada}"), &Value::Null).await;
    assert_eq!(own.as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clerk_makes_no_administrator_and_takes_none_over() {
    let server = TestServer::start().await;
    let permissions = ["users:manage", "knowledge:read", "catalog:read", "processes:read", "index:read"];
    server.owner("POST", "/api/roles", &json!({"name": "clerks", "permissions": permissions})).await;
    server.add("clerk", "clerks").await;
    let clerk = server.sign_in("clerk").await;
    let send =
        |method: &str, path: &str, body: Value| server.send(Request::new(method, path).json(&body).cookie(&clerk));
    let evil = json!({"username": "evil", "password": PASSWORD, "role": "administrator"});
    assert_eq!(send("POST", "/api/users", evil).await.status, 403);
    assert_eq!(send("POST", "/api/roles", json!({"name": "all", "permissions": ["*"]})).await.status, 403);
    assert_eq!(send("PUT", "/api/roles/clerks", json!({"permissions": ["users:manage", "host:*"]})).await.status, 403);
    let owner = server.app.owner().await.caller.user;
    assert_eq!(send("PATCH", &format!("/api/users/{owner}"), json!({"password": "a new password"})).await.status, 403);
    assert_eq!(send("DELETE", &format!("/api/users/{owner}"), json!({})).await.status, 403);
    let own = send("PATCH", "/api/users/me", json!({"role": "administrator"})).await;
    assert_eq!(own.status, 404);
    let fine = json!({"username": "fine", "password": PASSWORD, "role": "viewer"});
    assert_eq!(send("POST", "/api/users", fine).await.status, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_done_to_people_is_in_the_audit_and_no_secret_with_it() {
    let server = TestServer::start().await;
    let id = server.add("ada", "viewer").await;
    let path = format!("/api/users/{id}");
    server.owner("PATCH", &path, &json!({"role": "operator", "password": "a very new password"})).await;
    server.owner("POST", "/api/roles", &json!({"name": "auditors", "permissions": ["audit:read"]})).await;
    server.owner("DELETE", "/api/roles/auditors", &Value::Null).await;
    let key = server.owner("POST", "/api/keys", &json!({"name": "ci"})).await["key"].as_str().unwrap().to_owned();
    server.owner("PUT", "/api/settings", &json!({"tools_enabled": false})).await;
    server.owner("POST", "/api/vault/rotate", &Value::Null).await;
    server.owner("DELETE", &path, &Value::Null).await;
    let entries = server.app.satchel.app.stores.audit.find(Default::default(), 100).await.unwrap();
    let done: Vec<&str> =
        entries.iter().filter(|e| e.event_type == "admin_action").map(|e| e.action.as_str()).rev().collect();
    let wanted = [
        "setup",
        "user.create",
        "user.change",
        "role.create",
        "role.delete",
        "key.create",
        "settings.update",
        "vault.rotate",
        "user.delete",
    ];
    assert_eq!(done, wanted);
    let text = serde_json::to_string(&entries).unwrap();
    for secret in [PASSWORD, "a very new password", &key, "argon2id"] {
        assert!(!text.contains(secret), "{secret} is in the audit");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_shows_a_password_hash() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    for path in ["/api/users", "/api/keys", "/api/sessions", "/api/auth/me", "/api/settings", "/api/doctor"] {
        let answer = server.send(Request::get(path).cookie(&cookie)).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(!answer.text().contains("argon2") && !answer.text().contains("hash"), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_finds_a_fresh_installation_well() {
    let server = TestServer::start().await;
    let report = server.owner("GET", "/api/doctor", &Value::Null).await;
    let checks = report["checks"].as_array().unwrap();
    let well = |name: &str| checks.iter().find(|check| check["name"] == name).unwrap()["ok"].clone();
    assert_eq!(["database", "vault", "owner"].map(well), [json!(true), json!(true), json!(true)]);
    for check in checks {
        assert_eq!(check["ok"] == true, check["fix"].is_null(), "{check}");
    }
}
