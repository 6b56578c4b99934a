//! `web_search` against a real server that answers as SearXNG does.

use satchel::model::{call::Call, caller::Caller, error::Kind};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{
    app::TestApp,
    http::{Request, TestServer},
    site::{Site, page, status},
};

fn found() -> String {
    let one = |n: u32| json!({"url": format!("https://a.example/{n}"), "title": format!("Result {n}"), "content": " some\n words ", "engine": "x", "score": 1.0});
    let mut results: Vec<Value> = (1..=12).map(one).collect();
    results.insert(1, one(1));
    results.insert(2, json!({"url": "javascript:alert(1)", "title": "Bad", "content": ""}));
    json!({"query": "q", "number_of_results": 0, "results": results, "answers": [], "suggestions": [], "unresponsive_engines": []}).to_string()
}

/// An application whose search instance is this site: not an exception for everybody, only for the search.
async fn searching() -> (TestApp, Site) {
    let (app, site) = (TestApp::start().await, Site::start().await);
    let settings = app.satchel.invoker.registry().find("web_search").unwrap().tool.spec().settings.clone();
    let values = json!({"base_url": site.url("/searx/")}).as_object().unwrap().clone();
    app.satchel.app.stores.tool_config.set(&app.owner().await, "web_search", &settings, values).await.unwrap();
    (app, site)
}

#[tokio::test(flavor = "multi_thread")]
async fn results_have_title_url_and_snippet() {
    let (app, site) = searching().await;
    site.put("/searx/search", [page("application/json", found())]);
    let caller = app.caller(&[]).await;
    let data = app.data(&caller, "web_search", json!({"query": "grey herons & co", "category": "news"})).await.unwrap();
    assert_eq!(data["count"], 5);
    assert_eq!(data["results"][0], json!({"title": "Result 1", "url": "https://a.example/1", "snippet": "some words"}));
    assert_eq!(data["results"][1]["title"], "Result 2", "each address once");
    let asked = site.asked()[0].clone();
    assert!(asked.starts_with("GET /searx/search?q=grey+herons+%26+co&format=json&categories=news "), "{asked}");
    for (arguments, count) in
        [(json!({"query": "x", "num_results": 2}), 2), (json!({"query": "x", "max_results": 10}), 10)]
    {
        assert_eq!(app.data(&caller, "web_search", arguments).await.unwrap()["count"], count);
    }
    let text = json!({"query": "x", "max_results": 1, "format": "markdown"});
    assert!(app.data(&caller, "web_search", text).await.unwrap()["text"].as_str().unwrap().contains("Result 1"));
    for wrong in [
        json!({"query": " "}),
        json!({"query": "x", "max_results": 11}),
        json!({"query": "x", "max_results": 1, "num_results": 2}),
    ] {
        assert_eq!(app.data(&caller, "web_search", wrong).await.unwrap_err().kind(), Kind::Invalid);
    }
    let fetched = app.data(&caller, "web_fetch", json!({"url": site.url("/searx/search")})).await.unwrap_err();
    assert_eq!(fetched.kind(), Kind::Denied, "the search's exception is the search's alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_instance_knows_itself_comes_before_the_results() {
    let (app, site) = searching().await;
    let answers = json!([{"answer": "1 USD = 0.9 EUR", "url": null}, "42", {"answer": " "}]);
    let boxes = json!([{"infobox": "Heron", "id": "https://wiki.example/Heron", "content": "A  bird.", "urls": []}]);
    let found = json!({"results": [], "answers": answers, "infoboxes": boxes});
    site.put("/searx/search", [page("application/json", found.to_string())]);
    let caller = app.caller(&[]).await;
    let data = app.data(&caller, "web_search", json!({"query": "x", "format": "markdown"})).await.unwrap();
    let wanted = json!([
        {"title": "", "text": "1 USD = 0.9 EUR", "url": null}, {"title": "", "text": "42", "url": null},
        {"title": "Heron", "text": "A bird.", "url": "https://wiki.example/Heron"},
    ]);
    assert_eq!(data["answers"], wanted);
    assert!(data["text"].as_str().unwrap().starts_with("- 1 USD = 0.9 EUR\n- 42\n- Heron: A bird.\n"), "{data}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_instance_it_says_who_can_set_one() {
    let app = TestApp::start().await;
    let error = app.data(&app.caller(&["*"]).await, "web_search", json!({"query": "x"})).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Unconfigured);
    assert!(error.message().contains("base_url") && error.message().contains("administrator"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_instance_is_asked_again_and_one_that_refuses_is_not() {
    let (app, site) = searching().await;
    let caller = app.caller(&[]).await;
    let search = async || app.data(&caller, "web_search", json!({"query": "x"})).await;
    site.put(
        "/searx/search",
        [status(429, &[("retry-after", "0")]), status(503, &[]), page("application/json", found())],
    );
    assert_eq!(search().await.unwrap()["count"], 5);
    assert_eq!(site.asked().len(), 3);
    site.put("/searx/search", [status(429, &[("retry-after", "600")])]);
    assert!(search().await.unwrap_err().message().contains("too many requests"));
    assert_eq!(site.asked().len(), 4, "ten minutes are not waited for");
    site.put("/searx/search", [status(403, &[])]);
    assert!(search().await.unwrap_err().message().contains("search.formats"));
    site.put("/searx/search", [page("text/html", "<html>")]);
    assert!(search().await.unwrap_err().message().contains("not JSON"));
    assert_eq!(site.asked().len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_searches_leave_than_are_allowed() {
    let (app, site) = searching().await;
    site.put("/searx/search", [page("application/json", found())]);
    app.set(json!({"web": {"searches_per_minute": 2}})).await;
    let caller = app.caller(&[]).await;
    for _ in 0..2 {
        app.data(&caller, "web_search", json!({"query": "x"})).await.unwrap();
    }
    let error = app.data(&caller, "web_search", json!({"query": "x"})).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Exhausted);
    assert_eq!(site.asked().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_cannot_be_asked_is_refused_where_it_is_entered() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    let path = "/api/tools/web_search/config";
    for wrong in ["notaurl", "ftp://x/", "http://u:p@a.example"] {
        let request = Request::new("PUT", path).json(&json!({"base_url": wrong})).cookie(&cookie);
        let answer = server.send(request).await;
        assert_eq!(answer.status, 400, "{}", answer.text());
        assert!(answer.text().contains("base_url of web_search"), "{}", answer.text());
    }
    let test = async || server.owner("POST", "/api/tools/web_search/test", &Value::Null).await;
    assert_eq!(test().await["ok"], false);
    server.owner("PUT", path, &json!({"base_url": "http://localhost:8888"})).await;
    assert_eq!(test().await, json!({"ok": true, "message": "Configuration looks complete"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_of_an_instance_that_was_asked_is_from_outside() {
    let (app, site) = searching().await;
    site.put("/searx/search", [page("text/html", "<html>")]);
    let caller = app.caller(&[]).await;
    let failed_in = async |app: &TestApp, caller: &Caller| {
        let topic = app.conversation(caller).await;
        let call = Call { topic: Some(topic), ..Call::new(caller.clone(), "web_search", json!({"query": "x"})) };
        app.satchel.invoker.invoke(call, CancellationToken::new()).await.unwrap_err();
        app.satchel.agent.conversations().get(caller.user, topic).await.unwrap().tainted_by
    };
    assert_eq!(failed_in(&app, &caller).await.as_deref(), Some("web_search: x"));
    let without = TestApp::start().await;
    let caller = without.caller(&[]).await;
    assert_eq!(failed_in(&without, &caller).await, None, "nothing was asked");
}
