//! The platform's settings over HTTP: who reads them, what is refused and where, and what others are told of them.

use serde_json::{Value, json};

use crate::support::http::{Request, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_in_the_settings_is_kept_by_its_own_name_and_must_be_there() {
    let server = TestServer::start().await;
    let off = server.owner("PUT", "/api/settings", &json!({"disabled_tools": ["Bash", "calculator"]})).await;
    assert_eq!(off["disabled_tools"], json!(["exec", "calculator"]));
    let shown = server.owner("PUT", "/api/settings", &json!({"chat": {"selected": ["Bash"]}})).await;
    assert_eq!(shown["chat"]["selected"], json!(["exec"]));
    let cookie = server.sign_in("owner").await;
    for wrong in [json!({"disabled_tools": ["calulator"]}), json!({"chat": {"selected": ["calulator"]}})] {
        let answer = server.send(Request::new("PUT", "/api/settings").json(&wrong).cookie(&cookie)).await;
        assert_eq!(answer.status, 400, "{wrong}");
        assert!(answer.problem().contains("There is no tool 'calulator'"), "{}", answer.problem());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_changed_in_part_and_an_unknown_key_is_named() {
    let server = TestServer::start().await;
    let before = server.owner("GET", "/api/settings", &Value::Null).await;
    let after = server.owner("PUT", "/api/settings", &json!({"chat": {"max_steps": 7}})).await;
    let mut wanted = before.clone();
    wanted["chat"]["max_steps"] = json!(7);
    assert_eq!(after, wanted);
    let cookie = server.sign_in("owner").await;
    for (patch, named) in [
        (json!({"colour": 1}), "colour"),
        (json!({"chat": {"max_steps": "x"}}), "expected u32"),
        (json!({"chat": {"steps": 1}}), "steps"),
        (json!({"chat": {"max_steps": 0}}), "from 1 to 200, not 0"),
        (json!({"backups": {"at": "+1:30"}}), "from 00:00 to 23:59"),
        (json!({"files": {"roots": ["workspace", "/no/such/directory"]}}), "'/no/such/directory'"),
    ] {
        let answer = server.send(Request::new("PUT", "/api/settings").json(&patch).cookie(&cookie)).await;
        assert_eq!(answer.status, 400);
        assert!(answer.problem().contains(named), "{}", answer.problem());
    }
    assert_eq!(server.owner("GET", "/api/settings", &Value::Null).await, wanted);
    let schema = server.owner("GET", "/api/settings/schema", &Value::Null).await;
    assert!(schema["properties"]["tools_enabled"]["description"].is_string(), "{schema}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said_of_the_very_entry() {
    let server = TestServer::start().await;
    let before = server.owner("GET", "/api/settings", &Value::Null).await;
    let cookie = server.sign_in("owner").await;
    let own = server.app.dir.path().join("scripts");
    // One of the catalogue.
    let fetched = "Xenova/bge-small-en-v1.5";
    let outbound = |exception: &str| json!({"outbound": {"exceptions": ["127.0.0.1:8080", exception]}});
    for (patch, field, reason) in [
        (outbound("not a host!!"), "outbound.exceptions[1]", "'not a host!!' is not a host and port"),
        (outbound("http://host/"), "outbound.exceptions[1]", "'http://host/' is not a host and port"),
        (outbound("host!!:80"), "outbound.exceptions[1]", "'host!!:80' is not a host and port"),
        (outbound("*:80"), "outbound.exceptions[1]", "'*:80' is not a host and port"),
        (outbound("host:0"), "outbound.exceptions[1]", "'host:0' is not a host and port"),
        (outbound("host?a:80"), "outbound.exceptions[1]", "'host?a:80' is not a host and port"),
        (json!({"outbound": {"exceptions": [8080]}}), "outbound.exceptions[0]", "expected a string"),
        (json!({"disabled_tools": ["read", "raed"]}), "disabled_tools[1]", "There is no tool 'raed'"),
        (json!({"disabled_tools": [5]}), "disabled_tools[0]", "expected a string"),
        (json!({"disabled_sources": ["elsewhere"]}), "disabled_sources[0]", "unknown variant `elsewhere`"),
        (json!({"files": {"roots": ["relative"]}}), "files.roots[0]", "'relative' is no directory"),
        (json!({"embeddings": {"catalogue": "nowhere"}}), "embeddings.catalogue", "'nowhere' is no address"),
        (json!({"embeddings": {"model": 5}}), "embeddings.model", "expected a string"),
        (json!({"embeddings": {"model": "nosuch"}}), "embeddings.model", "'nosuch'"),
        (json!({"embeddings": {"model": fetched}}), "embeddings.model", "Models may not be fetched"),
        (json!({"files": {"roots": ["workspace", own]}}), "files.roots[1]", "lies in the server's own data"),
    ] {
        let answer = server.send(Request::new("PUT", "/api/settings").json(&patch).cookie(&cookie)).await;
        let body = answer.json();
        assert_eq!((answer.status, &body["field"]), (400, &json!(field)), "{patch}: {body}");
        assert!(body["reason"].as_str().unwrap().contains(reason), "{patch}: {body}");
    }
    assert_eq!(server.owner("GET", "/api/settings", &Value::Null).await, before);
    // The change that allows fetching it may choose it; nobody answers there.
    let allowed = json!({"model": fetched, "downloads": true, "catalogue": "http://127.0.0.1:1/"});
    let kept = server.owner("PUT", "/api/settings", &json!({"embeddings": allowed})).await;
    assert_eq!(kept["embeddings"]["model"], fetched);
    let kept = server.owner("PUT", "/api/settings", &outbound("Crm.Example.org.:8443")).await;
    assert_eq!(kept["outbound"]["exceptions"], json!(["127.0.0.1:8080", "crm.example.org:8443"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_read_by_who_may_manage_them_and_others_learn_what_their_pages_need() {
    let server = TestServer::start().await;
    server.owner("PUT", "/api/settings", &json!({"tools_enabled": false})).await;
    for (role, status) in [("administrator", 200), ("operator", 403), ("viewer", 403)] {
        let name = format!("some{role}");
        server.add(&name, role).await;
        let cookie = server.sign_in(&name).await;
        let settings = server.send(Request::get("/api/settings").cookie(&cookie)).await;
        assert_eq!(settings.status, status, "{role}");
        assert_eq!(settings.text().contains("exceptions"), status == 200, "{role}");
        let health = server.send(Request::get("/healthz").cookie(&cookie)).await.json();
        assert_eq!(health["tools"], json!(false), "{role} is told that no tool runs");
    }
    assert_eq!(server.send(Request::get("/api/settings")).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_manages_settings_does_not_open_the_machine() {
    let server = TestServer::start().await;
    server.owner("POST", "/api/roles", &json!({"name": "keeper", "permissions": ["settings:manage"]})).await;
    server.add("mara", "keeper").await;
    let keeper = server.sign_in("mara").await;
    let change = async |patch: &Value| {
        let answer = server.send(Request::new("PUT", "/api/settings").json(patch).cookie(&keeper)).await;
        (answer.status, answer.text())
    };
    let now = server.owner("GET", "/api/settings", &Value::Null).await;
    for patch in [
        json!({"files": {"roots": ["workspace", "/etc"]}}),
        json!({"exec": {"mode": "sandboxed"}}),
        json!({"outbound": {"exceptions": ["169.254.169.254:80"]}}),
    ] {
        let (status, told) = change(&patch).await;
        assert!(status == 403 && told.contains("only an administrator"), "{patch}: {told}");
    }
    let folder = Request::post("/api/knowledge/folders", &json!({"path": "/etc"})).cookie(&keeper);
    assert_eq!(server.send(folder).await.status, 403);
    assert_eq!(server.owner("GET", "/api/settings", &Value::Null).await, now);
    // What stays as it is may stand in a form that is sent whole.
    let same = json!({"files": now["files"], "exec": now["exec"], "chat": {"max_steps": 7}});
    assert_eq!(change(&same).await.0, 200);
    let roots = json!({"files": {"roots": ["workspace", "/etc"]}});
    assert_eq!(server.owner("PUT", "/api/settings", &roots).await["files"]["roots"], roots["files"]["roots"]);
}
