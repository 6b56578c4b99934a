//! The egress ledger: who reached out where, what was refused, and that a fresh install is silent.

use satchel::model::error::Kind;
use serde_json::{Value, json};

use crate::support::{
    chat::{Chat, Person},
    fake_llm::say,
    http::{Request, TestServer},
    program::Home,
    remote::{
        http::{Remote, stalling},
        ws::Talker,
    },
    site::{Site, page},
};

async fn ledger(server: &TestServer, query: &str) -> Vec<Value> {
    let page = server.owner("GET", &format!("/api/egress{query}"), &Value::Null).await;
    page["entries"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_install_reaches_nobody() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    for path in
        ["/", "/api/tools", "/api/providers", "/api/doctor", "/api/knowledge/documents", "/api/settings", "/healthz"]
    {
        assert_eq!(server.send(Request::get(path).cookie(&cookie)).await.status, 200, "{path}");
    }
    let owner = server.app.caller(&["*"]).await;
    for (tool, arguments) in [
        ("calculator", json!({"expression": "1+1"})),
        ("find_tools", json!({"query": "read a file"})),
        ("search_knowledge", json!({"query": "anything"})),
        ("get_platform_status", json!({})),
        ("save_memory", json!({"content": "Tea, not coffee."})),
    ] {
        let ran = server.app.data(&owner, tool, arguments).await;
        // The embedding model may be slow here: what counts is that nobody is reached.
        assert!(ran.as_ref().err().is_none_or(|error| error.kind() == Kind::Timeout), "{tool}: {ran:?}");
    }
    assert_eq!(ledger(&server, "").await, Vec::<Value>::new());
    let summary = server.owner("GET", "/api/egress/summary", &Value::Null).await;
    assert_eq!(summary, json!({"hosts": [], "by": [], "users": [], "outcomes": []}));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_reaches_and_what_it_may_not_are_rows() {
    let server = TestServer::start().await;
    let app = &server.app;
    let site = Site::new(app).await;
    site.put("/a", [page("text/plain", "hello")]);
    let caller = app.caller(&[]).await;
    app.data(&caller, "web_fetch", json!({"url": site.url("/a")})).await.unwrap();
    for url in ["http://169.254.169.254/latest", "http://user@a.example/", "http://localhost:1/"] {
        assert!(app.data(&caller, "web_fetch", json!({"url": url})).await.is_err());
    }
    let rows = ledger(&server, "").await;
    assert_eq!(rows.len(), 4, "{rows:?}");
    let done = &rows[3];
    let (host, port) = site.place.split_once(':').unwrap();
    assert_eq!(
        (
            &done["host"],
            &done["port"],
            &done["protocol"],
            &done["by"],
            &done["user"],
            &done["status"],
            &done["outcome"]
        ),
        (
            &json!(host),
            &json!(port.parse::<u16>().unwrap()),
            &json!("http"),
            &json!("builtin:web_fetch"),
            &json!(caller.username),
            &json!(200),
            &json!("done")
        )
    );
    assert!(done["received"].as_u64().unwrap() >= 5 && done["sent"].as_u64().unwrap() > 10, "{done}");
    let audited = server.owner("GET", "/api/audit?tool=web_fetch", &Value::Null).await;
    let calls: Vec<_> = audited["entries"].as_array().unwrap().iter().map(|entry| entry["call_id"].clone()).collect();
    assert!(rows.iter().all(|row| calls.contains(&row["call_id"])), "{rows:?}");
    for row in &rows[..3] {
        assert_eq!(
            (&row["outcome"], &row["sent"], &row["status"]),
            (&json!("refused"), &json!(0), &Value::Null),
            "{row}"
        );
        assert!(!row["reason"].as_str().unwrap().is_empty());
    }
    for (query, count) in [
        ("?refused=true", 3),
        ("?outcome=done", 1),
        ("?host=169.254.169.254", 1),
        ("?host=.example", 1),
        ("?tool=web_fetch", 4),
        ("?tool=ingest", 0),
        (&format!("?user={}", caller.username), 4),
        ("?user=nobody", 0),
        (&format!("?call_id={}", calls[0].as_str().unwrap()), 1),
    ] {
        assert_eq!(ledger(&server, query).await.len(), count, "{query}");
    }
    let first = server.owner("GET", "/api/egress?limit=3", &Value::Null).await;
    let rest = ledger(&server, &format!("?limit=3&before={}", first["next"])).await;
    assert_eq!(rest, rows[3..], "{first}");
    let summary = server.owner("GET", "/api/egress/summary", &Value::Null).await;
    assert_eq!(summary["by"], json!([{"name": "builtin:web_fetch", "count": 4}]));
    assert_eq!(summary["outcomes"], json!([{"name": "refused", "count": 3}, {"name": "done", "count": 1}]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_asked_is_a_row_of_who_asked() {
    let chat = Chat::start(vec![say("Hello.")]).await;
    chat.owner.turn("Hello?").await;
    let page = chat.owner.do_it("GET", "/api/egress?tool=models", Value::Null).await;
    let rows = page["entries"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{page}");
    assert_eq!((&rows[0]["outcome"], &rows[0]["host"]), (&json!("done"), &json!("127.0.0.1")));
    assert!(rows[0]["user"].is_string(), "{page}");
    let stranger = chat.person(&["knowledge:read"]).await;
    assert_eq!(stranger.ask("GET", "/api/egress", Value::Null).await.0, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_kept_as_long_as_is_set() {
    let server = TestServer::start().await;
    let app = &server.app;
    let caller = app.caller(&[]).await;
    let fetch = async || assert!(app.data(&caller, "web_fetch", json!({"url": "http://10.0.0.1/"})).await.is_err());
    app.set(json!({"outbound": {"keep_days": 2}})).await;
    fetch().await;
    app.satchel.app.clock.advance(std::time::Duration::from_secs(3 * 86_400));
    fetch().await;
    app.satchel.app.net.egress.settle().await;
    let settings = app.satchel.app.settings.get();
    assert_eq!((settings.outbound.keep_days, settings.outbound.keep_rows), (2, 1_000_000));
    app.satchel.app.net.egress.sweep().await.unwrap();
    assert_eq!(ledger(&server, "").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_means_nothing_is_named() {
    let server = TestServer::start().await;
    let answer = server.send(Request::get("/api/egress?outcome=lost").cookie(&server.sign_in("owner").await)).await;
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert!(answer.text().contains("refused"), "{}", answer.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_under_way_at_a_kill_is_in_the_ledger() {
    let home = Home::new().await;
    let (site, talker) = (Remote::start(|_| stalling("text/plain")).await, Talker::start().await);
    let server = home.serve(&[]).await;
    let owner = Person::bearer(&server.url, &home.token());
    let exceptions = [site.address.to_string(), talker.address.to_string()];
    owner.do_it("PUT", "/api/settings", json!({"outbound": {"exceptions": exceptions}})).await;
    let system = json!({"name": "Feed", "base_url": format!("http://{}", talker.address)});
    let made = owner.do_it("POST", "/api/catalog/systems", system).await;
    let status = format!("/api/catalog/systems/{}/status", made["id"].as_str().unwrap());
    owner.do_it("PUT", &status, json!({"status": "active"})).await;
    let calls = [
        ("web_fetch", json!({"url": site.url(), "timeout": 120})),
        ("call_websocket", json!({"system_id": "Feed", "path": "/", "message": "silence"})),
    ];
    let asking = calls.map(|(tool, params)| {
        let owner = owner.again(&server.url);
        tokio::spawn(async move {
            let path = format!("/api/tools/{tool}/invoke");
            owner.ask("POST", &path, json!({"params": params})).await
        })
    });
    let arrived = async {
        while site.seen().is_empty() || talker.seen().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(240), arrived).await.expect("nothing arrived");
    let open = owner.do_it("GET", "/api/egress?outcome=open", Value::Null).await;
    assert_eq!(open["entries"].as_array().map(Vec::len), Some(2), "{open}");
    server.kill().await;
    asking.into_iter().for_each(|one| one.abort());
    let server = home.serve(&[]).await;
    let owner = Person::bearer(&server.url, &home.token());
    let ledger = owner.do_it("GET", "/api/egress", Value::Null).await;
    let rows: Vec<_> = ledger["entries"].as_array().unwrap().iter().collect();
    assert_eq!(rows.len(), 2, "{ledger}");
    for (port, tool) in [(site.address.port(), "web_fetch"), (talker.address.port(), "call_websocket")] {
        let row = rows.iter().find(|row| row["port"] == port).unwrap();
        assert_eq!((&row["by"], &row["outcome"]), (&json!(format!("builtin:{tool}")), &json!("failed")));
        assert!(row["reason"].as_str().unwrap().contains("stopped while this was under way"), "{row}");
    }
    let audited = owner.do_it("GET", "/api/audit?limit=50", Value::Null).await.to_string();
    assert!(
        rows.iter().all(|row| audited.contains(row["call_id"].as_str().unwrap()) || row["by"] == "builtin:web_fetch")
    );
    // What goes out from now on has higher numbers.
    let _ = owner.ask("POST", "/api/tools/web_fetch/invoke", json!({"params": {"url": "http://10.0.0.1/"}})).await;
    let ledger = owner.do_it("GET", "/api/egress", Value::Null).await;
    assert_eq!(ledger["entries"].as_array().map(Vec::len), Some(3), "{ledger}");
    assert!(ledger["entries"][0]["id"].as_i64() > rows[0]["id"].as_i64(), "{ledger}");
}

#[tokio::test(flavor = "multi_thread")]
async fn looking_for_a_model_on_this_machine_is_a_row_of_this_machine_alone() {
    let server = TestServer::start().await;
    server.owner("GET", "/api/providers/detect", &Value::Null).await;
    let rows = ledger(&server, "").await;
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(
        (&rows[0]["host"], &rows[0]["port"], &rows[0]["by"]),
        (&json!("127.0.0.1"), &json!(11434), &json!("models"))
    );
    assert_eq!(rows[0]["user"], "owner", "{rows:?}");
}
