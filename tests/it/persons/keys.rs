//! Keys: their makers, what they open, and what no key does.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{
    migrations::made,
    support::{
        http::{PASSWORD, Request, TestServer},
        library::{Library, titles},
    },
};

/// A key with a list of permissions, personal or not.
async fn key(server: &TestServer, cookie: &str, body: Value) -> String {
    let made = server.send(Request::post("/api/keys", &body).cookie(cookie)).await;
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()["key"].as_str().unwrap().to_owned()
}

async fn invoke(server: &TestServer, key: &str, tool: &str, body: Value) -> (u16, Value) {
    let answer = server.send(Request::post(&format!("/api/tools/{tool}/invoke"), &body).bearer(key)).await;
    (answer.status, answer.json())
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_person_makes_their_keys_and_a_manager_lists_and_revokes_them() {
    let server = TestServer::start().await;
    let ada = server.add("ada", "viewer").await;
    let ada_cookie = server.sign_in("ada").await;
    let own = server.key(&ada_cookie, None).await;
    let owner = server.sign_in("owner").await;
    let for_ada = json!({"name": "imp", "user": ada});
    let refused = server.send(Request::post("/api/keys", &for_ada).cookie(&owner)).await;
    assert_eq!(refused.status, 403, "an administrator mints none for Ada either: {}", refused.text());
    assert!(refused.problem().contains("only they make it"), "{}", refused.problem());
    for made_by in [&own, &server.key(&owner, None).await] {
        let refused = server.send(Request::post("/api/keys", &json!({"name": "x"})).bearer(made_by)).await;
        assert_eq!(refused.status, 403, "no key makes a key");
    }
    let listed = server.owner("GET", &format!("/api/keys?user={ada}"), &Value::Null).await;
    let [one] = listed.as_array().unwrap().as_slice() else { panic!("{listed}") };
    assert_eq!(one["personal"], true);
    server.owner("DELETE", &format!("/api/keys/{}", one["id"].as_str().unwrap()), &Value::Null).await;
    assert_eq!(server.status(&Request::get("/api/auth/me").bearer(&own)).await, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_becomes_a_person() {
    let server = TestServer::start().await;
    let ada = server.add("ada", "viewer").await;
    let cookie = server.sign_in("owner").await;
    let key = key(&server, &cookie, json!({"name": "all", "permissions": ["*"], "personal": true})).await;
    let owner = server.app.owner().await.caller.user;
    for (method, path, body) in [
        ("PATCH", format!("/api/users/{owner}"), json!({"password": "a fresh passphrase 99!"})),
        ("PATCH", format!("/api/users/{ada}"), json!({"role": "administrator"})),
        ("PATCH", format!("/api/users/{ada}"), json!({"password": "a fresh passphrase 99!"})),
        ("POST", "/api/users".to_owned(), json!({"username": "eve", "password": PASSWORD, "role": "administrator"})),
        ("DELETE", format!("/api/users/{ada}"), json!({})),
        ("POST", "/api/roles".to_owned(), json!({"name": "all", "permissions": ["*"]})),
        ("POST", "/api/auth/password".to_owned(), json!({"current": PASSWORD, "new": "a fresh passphrase 99!"})),
    ] {
        let refused = server.send(Request::new(method, &path).json(&body).bearer(&key)).await;
        assert_eq!(refused.status, 403, "{method} {path} {body}: {}", refused.text());
        assert!(refused.problem().contains("Only a person can do this"), "{}", refused.problem());
    }
    let own = json!({"password": "a fresh passphrase 99!"});
    let request = Request::new("PATCH", &format!("/api/users/{owner}")).json(&own).cookie(&cookie);
    let refused = server.send(request).await;
    assert_eq!(refused.status, 403, "nor is one's own set without the current one");
    assert!(refused.problem().contains("/api/auth/password"), "{}", refused.problem());
    assert_eq!(server.app.satchel.app.stores.people.users().await.unwrap().len(), 2);
    server.sign_in("owner").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_a_manager_resets_ends_sessions_and_keys() {
    let server = TestServer::start().await;
    let ada = server.add("ada", "viewer").await;
    let cookie = server.sign_in("ada").await;
    let key = server.key(&cookie, None).await;
    server.owner("PATCH", &format!("/api/users/{ada}"), &json!({"password": "a very new password"})).await;
    let me = || Request::get("/api/auth/me");
    assert_eq!((server.status(&me().cookie(&cookie)).await, server.status(&me().bearer(&key)).await), (401, 401));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_tells_its_first_call() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    let shown = key(&server, &cookie, json!({"name": "a client"})).await;
    let told = async || server.owner("GET", "/api/keys", &Value::Null).await[0].clone();
    assert_eq!(server.status(&Request::get("/api/tools").bearer(&shown)).await, 200);
    let before = told().await;
    assert_eq!(before["first_call"], Value::Null, "to look at the list is no call");
    assert!(before["last_used_at"].is_string(), "{before}");
    let inner = json!({"recipient_name": "calculator", "parameters": {"expression": "1"}});
    assert_eq!(invoke(&server, &shown, "parallel", json!({"params": {"tool_uses": [inner]}})).await.0, 200);
    let first = told().await["first_call"].clone();
    assert_eq!(first["name"], "parallel", "neither a call within it nor one after it: {first}");
    assert_eq!(invoke(&server, &shown, "calculator", json!({"params": {"expression": "1"}})).await.0, 200);
    assert_eq!(told().await["first_call"], first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_opens_what_belongs_to_its_owner_only_where_they_said_so() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    let saved = json!({"params": {"content": "The owner likes herons."}});
    let answer = server.send(Request::post("/api/tools/save_memory/invoke", &saved).cookie(&cookie)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let talk = server.owner("POST", "/api/conversations", &json!({"title": "Herons and storks"})).await;
    server.owner("PUT", "/api/settings", &json!({"exec": {"mode": "sandboxed"}})).await;
    let own = json!(["knowledge:read", "index:read", "host:*"]);
    let narrow = key(&server, &cookie, json!({"name": "n", "permissions": own})).await;
    let said_no = key(&server, &cookie, json!({"name": "n", "personal": false})).await;
    let said_yes = key(&server, &cookie, json!({"name": "y", "permissions": own, "personal": true})).await;
    for (shown, is_open) in [(&narrow, false), (&said_no, false), (&said_yes, true)] {
        for path in ["/api/memories", "/api/conversations", "/api/tickets", "/api/memories/export"] {
            let status = server.status(&Request::get(path).bearer(shown)).await;
            assert_eq!(status, if is_open { 200 } else { 403 }, "{path}");
        }
        let listed = server.send(Request::get("/api/tools").bearer(shown)).await.text();
        let memories = ["recall_memories", "list", "clipboard_read", "document_read"];
        let files = ["read", "write", "edit", "apply_patch", "exec", "process"];
        for tool in memories.into_iter().chain(files) {
            assert_eq!(listed.contains(&format!("\"builtin:{tool}\"")), is_open, "{tool}");
        }
        let recall = json!({"params": {"query": "herons"}});
        let (status, answer) = invoke(&server, shown, "recall_memories", recall.clone()).await;
        assert_eq!(status, if is_open { 200 } else { 404 }, "{answer}");
        assert_eq!(answer.to_string().contains("likes herons"), is_open);
        let inner = json!({"recipient_name": "recall_memories", "parameters": {"query": "herons"}});
        let (_, answer) = invoke(&server, shown, "parallel", json!({"params": {"tool_uses": [inner]}})).await;
        assert_eq!(answer.to_string().contains("likes herons"), is_open, "{answer}");
        // A conversation's handles, taint and citations are its person's.
        let within = json!({"params": {"expression": "1"}, "topic": talk["id"]});
        assert_eq!(invoke(&server, shown, "calculator", within).await.0, if is_open { 200 } else { 403 });
        let found = server.send(Request::get("/api/search?q=herons").bearer(shown)).await.text();
        assert_eq!(found.contains("Herons and storks"), is_open, "{found}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_sees_the_collections_that_it_may_itself() {
    let library = Library::open().await;
    let board = json!({"name": "Board", "roles": ["operator"]});
    let board = library.do_it("POST", "/collections", board).await;
    let secret = json!({"title": "Minutes", "text": "The merger is planned for spring.", "collection": board["id"]});
    let id = library.do_it("POST", "/documents", secret).await["id"].as_str().unwrap().to_owned();
    library.ready(&id).await;
    let server = &library.server;
    server.add("otto", "operator").await;
    let (owner, otto) = (server.sign_in("owner").await, server.sign_in("otto").await);
    let narrow = json!({"name": "n", "permissions": ["knowledge:read"]});
    let personal = json!({"name": "p", "permissions": ["knowledge:read"], "personal": true});
    let whole = json!({"name": "all"});
    let question = json!({"query": "when is the merger planned"});
    for (cookie, body, sees) in [
        (&owner, &narrow, false),
        (&owner, &personal, false),
        (&otto, &narrow, false),
        (&otto, &personal, true),
        (&owner, &whole, true),
    ] {
        let key = key(server, cookie, body.clone()).await;
        let hits = library.search_as(&key, question.clone()).await;
        assert_eq!(titles(&hits) == ["Minutes"], sees, "{body}: {hits:?}");
        let status = library.ask(&key, "GET", &format!("/documents/{id}"), Value::Null).await.status;
        assert_eq!(status, if sees { 200 } else { 404 }, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collection_is_opened_by_who_manages_people_and_a_hidden_one_is_not_told_of() {
    let library = Library::open().await;
    let server = &library.server;
    let role = json!({"name": "keepers", "permissions": ["knowledge:read", "knowledge:write"]});
    server.owner("POST", "/api/roles", &role).await;
    let keeper = library.reader("kim", "keepers").await;
    let hidden = json!({"name": "Board", "roles": ["operator"]});
    library.do_it("POST", "/collections", hidden).await;
    let put = async |id: &Value, body: Value| {
        library.ask(&keeper, "PUT", &format!("/collections/{}", id.as_str().unwrap()), body).await
    };
    let own = library.ask(&keeper, "POST", "/collections", json!({"name": "board", "roles": ["keepers"]})).await;
    assert_eq!(own.status, 201, "a name that a hidden one has is free: {}", own.text());
    let own = own.json();
    let twice = library.ask(&keeper, "POST", "/collections", json!({"name": "BOARD"})).await;
    assert_eq!(twice.status, 409, "one's own stands in the way");
    for wider in [json!({"name": "board"}), json!({"name": "board", "roles": ["keepers", "viewer"]})] {
        let refused = put(&own["id"], wider).await;
        assert!(refused.status == 403 && refused.problem().contains("users:manage"), "{}", refused.text());
    }
    let renamed = put(&own["id"], json!({"name": "Shelf", "roles": ["keepers"]})).await;
    assert_eq!(renamed.status, 200, "{}", renamed.text());
    let named = json!({"query": "spring", "collections": ["shelf"]});
    assert_eq!(library.ask(&keeper, "POST", "/search", named).await.status, 200);
    let path = format!("/collections/{}", own["id"].as_str().unwrap());
    library.do_it("PUT", &path, json!({"name": "Shelf"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_one_may_not_use_is_answered_as_one_that_is_not_there() {
    let server = TestServer::start().await;
    server.add("vera", "viewer").await;
    let key = server.key(&server.sign_in("vera").await, None).await;
    // The second name is nobody's; it is as long as the first, so that nothing differs but the name.
    let (forbidden, missing) = ("exec", "exet");
    let told = async |name: &str| {
        let call = |name: &str| json!({"recipient_name": name, "parameters": {"command": "true"}});
        let uses = json!({"params": {"tool_uses": [call(name)]}});
        let mut told = Vec::new();
        for request in [
            Request::get(&format!("/api/tools/{name}")),
            Request::get(&format!("/api/tools/{name}/stats")),
            Request::get(&format!("/api/tools/{name}/history")),
            Request::get(&format!("/api/tools/{name}/learning")),
            Request::post(&format!("/api/tools/{name}/invoke"), &json!({"params": {"command": "true"}})),
            Request::post(&format!("/api/tools/{name}/invoke"), &json!({"params": {"wrong": 1}})),
            Request::post(&format!("/api/tools/{name}/invoke"), &json!({"dry_run": true})),
            Request::post(&format!("/api/tools/builtin:{name}/invoke"), &json!({})),
            Request::post(&format!("/api/tools/functions.{name}/invoke"), &json!({})),
            Request::post("/api/tools/parallel/invoke", &uses),
            Request::post("/api/search/used", &json!({"type": "tool", "id": name})),
        ] {
            let answer = server.send(request.bearer(&key)).await;
            let mut body = answer.json();
            body.as_object_mut().unwrap().remove("meta");
            told.push((answer.status, body.to_string().replace(name, "NAME")));
        }
        told
    };
    let (known, unknown) = (told(forbidden).await, told(missing).await);
    assert_eq!(known, unknown);
    assert!(known.iter().filter(|(status, _)| *status == 404).count() >= 10, "{known:?}");
    // The audit knows better.
    let rows = server.owner("GET", "/api/audit?tool=builtin:exec&outcome=refused", &Value::Null).await;
    assert!(rows["entries"].to_string().contains("host:exec"), "{rows}");
}

#[test]
fn an_upgrade_lets_a_key_open_what_is_its_persons_only_where_they_made_it() {
    const MARA: &str = "01900000-0000-7000-8000-00000000000a";
    const MANAGER: &str = "01900000-0000-7000-8000-00000000000f";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("satchel.db");
    made(&path, 29);
    let c = Connection::open(path).unwrap();
    let insert = |id: &str, permissions: &str| {
        let sql = "INSERT INTO api_keys (id, hash, user, name, permissions, created_at)
                   VALUES (?1, CAST(?1 AS BLOB), ?2, 'k', ?3, 1)";
        c.execute(sql, (id, MARA, permissions)).unwrap();
    };
    for (id, permissions, by, door) in [
        ("own", "[\"*\"]", MARA, "api"),
        ("local", "[\"*\"]", MANAGER, "cli"),
        ("imposed", "[\"*\"]", MANAGER, "api"),
        ("listed", "[\"audit:read\"]", MARA, "api"),
    ] {
        insert(id, permissions);
        let sql =
            "INSERT INTO audit (time, event_type, user_id, user, door, action, arguments, outcome, prev_hash, hash)
                   VALUES (1, 'admin_action', ?1, 'x', ?2, 'key.create', ?3, 'success', x'00', x'00')";
        c.execute(sql, (by, door, json!({"key": id, "name": "k"}).to_string())).unwrap();
    }
    insert("untold", "[\"*\"]");
    for upgrade in [
        include_str!("../../../migrations/30-persons/up.sql"),
        // Its first part is of keys.
        include_str!("../../../migrations/33-own-keys-and-lasting-trees/up.sql").split("\n\n").next().unwrap(),
    ] {
        c.execute_batch(upgrade).unwrap();
    }
    let mut personal = c.prepare("SELECT id FROM api_keys WHERE personal = 1 ORDER BY id").unwrap();
    let personal: Vec<String> = personal.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(personal, ["local", "own"]);
}
