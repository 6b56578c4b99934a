//! `call_rest_endpoint`: what is sent, what comes back, and what is refused.

use satchel::model::{catalog::status::SystemStatus, error::Kind};
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    remote::{
        http::{Remote, json as answer},
        services::customers,
        systems::{connect, draft, open, status},
    },
};

fn ask(method: &str, path: &str) -> Value {
    json!({"system_id": "CRM", "method": method, "path": path})
}

fn with(mut call: Value, more: Value) -> Value {
    call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    call
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_goes_out_as_it_was_said() {
    let (app, server) = (TestApp::start().await, customers().await);
    open(&app, "CRM", &format!("{}/api/v2/", server.url())).await;
    let owner = app.caller(&["*"]).await;
    let more = json!({
        "query_params": {"tag": ["a b", "ü"], "limit": 5, "all": true, "none": null},
        "headers": {"X-Trace": "t-1"},
        "body": {"name": "Zoë"},
    });
    let data = app.data(&owner, "call_rest_endpoint", with(ask("post", "/echo?x=1"), more)).await.unwrap();
    assert_eq!((&data["status"], &data["format"]), (&json!(200), &json!("json")));
    let told = &data["body"];
    assert_eq!(told["method"], "POST");
    assert_eq!(told["target"], "/api/v2/echo?x=1&all=true&limit=5&tag=a+b&tag=%C3%BC");
    assert_eq!(told["body"], r#"{"name":"Zoë"}"#);
    assert_eq!(
        (&told["headers"]["x-trace"], &told["headers"]["content-type"]),
        (&json!("t-1"), &json!("application/json"))
    );
    assert_eq!(server.last().header("user-agent"), concat!("Satchel/", env!("CARGO_PKG_VERSION")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_goes_out_as_its_content_type_says() {
    let (app, server) = (TestApp::start().await, customers().await);
    open(&app, "CRM", &server.url()).await;
    let owner = app.caller(&["*"]).await;
    let (xml, form) = ("application/xml", "application/x-www-form-urlencoded; charset=utf-8");
    for (media, body, sent) in [
        (xml, json!("<a/>"), "<a/>"),
        (form, json!("raw=1"), "raw=1"),
        (form, json!({"a": "b c", "n": [1, 2]}), "a=b+c&n=1&n=2"),
        ("application/merge-patch+json", json!({"a": 1}), r#"{"a":1}"#),
        ("application/json", json!("text"), r#""text""#),
    ] {
        let more = json!({"headers": {"Content-Type": media}, "body": body});
        app.data(&owner, "call_rest_endpoint", with(ask("POST", "/echo"), more)).await.unwrap();
        let seen = server.last();
        assert_eq!((seen.header("content-type"), seen.text().as_str()), (media, sent));
    }
    let more = json!({"headers": {"content-type": xml}, "body": {"a": 1}});
    let error = app.call(&owner, "call_rest_endpoint", with(ask("POST", "/echo"), more)).await.err().unwrap();
    assert!(error.message().contains("'application/xml' is a text"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_method_that_has_a_body_says_where_it_has_none() {
    let (app, server) = (TestApp::start().await, customers().await);
    open(&app, "CRM", &server.url()).await;
    let owner = app.caller(&["*"]).await;
    for (method, length) in [("POST", "0"), ("PUT", "0"), ("PATCH", "0"), ("GET", ""), ("OPTIONS", "")] {
        app.data(&owner, "call_rest_endpoint", ask(method, "/echo")).await.unwrap();
        assert_eq!(server.last().header("content-length"), length, "{method}");
        assert_eq!(server.last().header("transfer-encoding"), "", "{method}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_answer_is_read() {
    let (app, server) = (TestApp::start().await, customers().await);
    open(&app, "CRM", &server.url()).await;
    let viewer = app.caller(&["catalog:read"]).await;
    for (path, format, body) in [
        ("/csv", "csv", json!([{"name": "Zoë", "city": "Bern"}, {"name": "Ada", "city": "Rom"}])),
        ("/xml", "xml", json!({"list": {"item": [{"@id": "1", "#text": "a"}, {"@id": "2", "#text": "b"}]}})),
        ("/text", "text", json!("Grüße")),
        ("/empty", "empty", Value::Null),
    ] {
        let data = app.data(&viewer, "call_rest_endpoint", ask("GET", path)).await.unwrap();
        assert_eq!((&data["format"], &data["body"]), (&json!(format), &body), "{path}");
    }
    let data = app.data(&viewer, "call_rest_endpoint", ask("GET", "/sensitive")).await.unwrap();
    assert_eq!(data["headers"], json!({"content-type": "application/json", "x-request-id": "r-7"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_binary_answer_becomes_a_file_of_the_callers() {
    let (app, server) = (TestApp::start().await, customers().await);
    open(&app, "CRM", &server.url()).await;
    let viewer = app.caller(&["catalog:read"]).await;
    let data = app.data(&viewer, "call_rest_endpoint", ask("GET", "/photo")).await.unwrap();
    let path = data["body"]["file"].as_str().unwrap();
    assert!(path.ends_with("downloads/photo.png"), "{path}");
    let files = app.satchel.app.files_of(viewer.user).unwrap();
    assert_eq!(files.read_up_to(path, 1_000).await.unwrap(), b"\x89PNG\r\n\x1a\n\0\0picture");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_an_error_with_the_systems_words() {
    let (app, server) = (TestApp::start().await, customers().await);
    open(&app, "CRM", &server.url()).await;
    let owner = app.caller(&["*"]).await;
    let error = app.call(&owner, "call_rest_endpoint", ask("GET", "/nowhere")).await.err().unwrap();
    assert_eq!((error.kind(), error.is_tools_own()), (Kind::NotFound, true));
    let error = app.call(&owner, "call_rest_endpoint", ask("POST", "/refused")).await.err().unwrap();
    assert_eq!(error.message(), r#"CRM answered 422: {"error":"name is missing"}"#);
    assert_eq!(error.details().unwrap()["body"]["error"], "name is missing");
    // A redirect could lead anywhere: it is told, not followed.
    let error = app.call(&owner, "call_rest_endpoint", ask("GET", "/away")).await.err().unwrap();
    assert_eq!(error.details().unwrap()["headers"]["location"], "http://169.254.169.254/latest");
    assert!(error.message().contains("which is not followed"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_and_endless_answers_end_at_their_limits() {
    let (app, server) = (TestApp::start().await, customers().await);
    let viewer = app.caller(&["catalog:read"]).await;
    let get = async |path: &str, seconds: u32| {
        let system = format!("within {seconds}");
        let call = with(ask("GET", path), json!({"system_id": system}));
        app.call(&viewer, "call_rest_endpoint", call).await.err().unwrap()
    };
    for seconds in [1, 2, 4, 8, 16, 32, 300] {
        let system = format!("within {seconds}");
        connect(&app, &system, &server.url(), json!({"timeout_s": seconds}), Value::Null).await;
    }
    assert_eq!(get("/stalls", 1).await.kind(), Kind::Timeout);
    // One that never stops, however steadily it comes. A busy machine may take its time to begin.
    let mut seconds = 1;
    let error = loop {
        let error = get("/trickles", seconds).await;
        if seconds == 32 || error.message().contains("did not end its answer") {
            break error;
        }
        seconds *= 2;
    };
    assert_eq!(error.kind(), Kind::Timeout);
    assert!(error.message().contains(&format!("did not end its answer within {seconds} s")), "{error}");
    let error = get("/endless", 300).await;
    assert!(error.message().contains("longer than 10 MB"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_path_and_no_header_leads_elsewhere() {
    let (app, server) = (TestApp::start().await, customers().await);
    open(&app, "CRM", &format!("{}/api/v2", server.url())).await;
    let owner = app.caller(&["*"]).await;
    for path in
        ["/../admin", "/%2e%2e/admin", "//evil.example/", "http://evil.example/", "/a\\..\\..\\b", "/a#b", "", "x"]
    {
        let error = app.call(&owner, "call_rest_endpoint", ask("GET", path)).await.err();
        // The empty path is the base URL itself.
        assert!(path.is_empty() || error.is_some_and(|error| error.kind() == Kind::Invalid), "{path}");
    }
    for name in [
        "Proxy-Authorization",
        "cookie2",
        "Host",
        "Content-Length",
        "X-HTTP-Method-Override",
        "X_HTTP_Method_Override",
        "x-original_url",
        "X_Forwarded_For",
        "Transfer-Encoding",
    ] {
        let call = with(ask("GET", "/echo"), json!({"headers": {name: "x"}}));
        let error = app.call(&owner, "call_rest_endpoint", call).await.err().unwrap();
        assert!(error.message().contains("set by Satchel"), "{error}");
    }
    let form = "application/x-www-form-urlencoded";
    for more in [
        json!({"query_params": {"_method": "DELETE"}}),
        json!({"path": "/echo?a=1;_METHOD=DELETE"}),
        json!({"body": {"_method": "DELETE"}}),
        json!({"body": {"_method": "DELETE"}, "headers": {"Content-Type": form}}),
        json!({"body": "a=1&%5Fmethod=DELETE", "headers": {"Content-Type": form}}),
    ] {
        let error = app.call(&owner, "call_rest_endpoint", with(ask("POST", "/echo"), more)).await.err().unwrap();
        assert!(error.message().contains("would make this another method"), "{error}");
    }
    for (method, more) in [("FETCH", json!({})), ("GET", json!({"query_params": {"a": {"b": 1}}}))] {
        let error = app.call(&owner, "call_rest_endpoint", with(ask(method, "/echo"), more)).await.err().unwrap();
        assert_eq!(error.kind(), Kind::Invalid);
    }
    assert!(server.seen().iter().all(|seen| seen.target == "/api/v2"), "{:?}", server.seen());
}

#[tokio::test(flavor = "multi_thread")]
async fn only_systems_in_use_are_called_and_nobody_is_asked_about_others() {
    let (app, server) = (TestApp::start().await, customers().await);
    let system = draft(&app, "CRM", &server.url(), json!({})).await;
    // Holding no `*`, the operator would be asked about a deletion and about a POST.
    let operator = app.caller(&["catalog:read"]).await;
    for (to, told) in [
        (None, "is a draft"),
        (Some(SystemStatus::Active), ""),
        (Some(SystemStatus::Degraded), ""),
        (Some(SystemStatus::Disabled), "is disabled"),
        (Some(SystemStatus::Deprecated), "is deprecated"),
    ] {
        if let Some(to) = to {
            status(&app, system.id, to).await;
        }
        let before = server.seen().len();
        let read = app.call(&operator, "call_rest_endpoint", ask("GET", "/echo")).await;
        assert_eq!(read.is_ok(), told.is_empty(), "{to:?}");
        if !told.is_empty() {
            let error = app.call(&operator, "call_rest_endpoint", ask("DELETE", "/echo")).await.err().unwrap();
            assert!(error.kind() == Kind::Conflict && error.message().contains(told), "{error}");
            assert_eq!(server.seen().len(), before);
        }
    }
    let nobody = app.caller(&[]).await;
    let error = app.call(&nobody, "call_rest_endpoint", ask("GET", "/echo")).await.err().unwrap();
    assert_eq!(error.kind(), Kind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_on_this_machine_needs_an_administrators_exception() {
    let (app, server) = (TestApp::start().await, customers().await);
    open(&app, "CRM", &server.url()).await;
    app.set(json!({"outbound": {"exceptions": []}})).await;
    let owner = app.caller(&["*"]).await;
    for (tool, call) in [
        ("call_rest_endpoint", ask("GET", "/echo")),
        ("call_graphql_endpoint", json!({"system_id": "CRM", "query": "{ a }"})),
        ("call_soap_endpoint", json!({"system_id": "CRM", "soap_action": "a", "body_xml": "<a/>"})),
        ("call_grpc_endpoint", json!({"system_id": "CRM", "service": "a.B", "method": "C"})),
        ("call_websocket", json!({"system_id": "CRM", "path": "/", "message": "a"})),
    ] {
        let error = app.call(&owner, tool, call).await.err().unwrap();
        assert_eq!(error.kind(), Kind::Denied, "{tool}: {error}");
        assert!(error.message().contains("outbound exceptions"), "{tool}: {error}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_used_again() {
    let (app, server) = (TestApp::start().await, customers().await);
    open(&app, "CRM", &server.url()).await;
    let viewer = app.caller(&["catalog:read"]).await;
    for _ in 0..20 {
        app.data(&viewer, "call_rest_endpoint", ask("GET", "/customers/1042")).await.unwrap();
    }
    assert_eq!((server.seen().len(), server.connections()), (20, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_may_be_repeated_is_tried_again() {
    let app = TestApp::start().await;
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let server = Remote::start(move |_| {
        let is_ready = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) % 3 == 2;
        answer(if is_ready { 200 } else { 503 }, &json!({}))
    })
    .await;
    connect(&app, "CRM", &server.url(), json!({"retries": 2}), Value::Null).await;
    let owner = app.caller(&["*"]).await;
    app.data(&owner, "call_rest_endpoint", ask("GET", "/a")).await.unwrap();
    assert_eq!(server.seen().len(), 3);
    let error = app.call(&owner, "call_rest_endpoint", ask("POST", "/a")).await.err().unwrap();
    assert_eq!((error.kind(), server.seen().len()), (Kind::Upstream, 4));
}
