//! The common parts of every answer of the HTTP door: headers, problems, bad input, the console's files.

use std::io::Read;

use satchel::doors::http::{document, routes};
use serde_json::{Value, json};

use crate::support::http::{Request, TestServer};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; \
     connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types default dompurify satchel svelte-trusted-html";

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_carries_the_security_headers() {
    let server = TestServer::start().await;
    for path in ["/healthz", "/api/auth/me", "/api/nothing", "/", "/chat/1", "/assets/none.js"] {
        let answer = server.send(Request::get(path)).await;
        assert_eq!(answer.header("content-security-policy"), Some(POLICY), "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert_eq!(answer.header("cross-origin-opener-policy"), Some("same-origin"), "{path}");
        assert_eq!(answer.header("x-dns-prefetch-control"), Some("off"), "{path}");
        assert_eq!(answer.header("x-request-id").unwrap().len(), 32, "{path}");
    }
    let api = server.send(Request::get("/api/setup")).await;
    assert_eq!(api.header("cache-control"), Some("no-store"));
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_paths_are_404_and_wrong_methods_405() {
    let server = TestServer::start().await;
    for path in ["/api", "/api/", "/api/nothing", "/api/users/", "/api//users", "/api/users/a/b", "/v1/nothing"] {
        let answer = server.send(Request::get(path)).await;
        assert_eq!((answer.status, answer.problem().is_empty()), (404, false), "{path}");
    }
    for (method, path) in
        [("PUT", "/api/users"), ("POST", "/healthz"), ("GET", "/api/auth/login"), ("BREW", "/api/users")]
    {
        let answer = server.send(Request::new(method, path)).await;
        assert_eq!(answer.status, 405, "{method} {path}");
        assert!(answer.problem().contains(method), "{}", answer.problem());
        let takes: &[&str] = match path {
            "/api/users" => &["GET", "POST"],
            "/healthz" => &["GET"],
            _ => &["POST"],
        };
        assert_eq!(answer.header("allow"), Some(takes.join(", ").as_str()), "{method} {path}");
    }
    assert_eq!(server.send(Request::post("/nothing", &json!({}))).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_that_is_written_out_leaves_other_methods_to_the_pattern_beside_it() {
    let server = TestServer::start().await;
    for (method, path, status, allow) in [
        ("POST", "/api/scripts/check", 401, None),
        ("GET", "/api/scripts/check", 401, None),
        ("DELETE", "/api/providers/order", 401, None),
        ("PATCH", "/api/scripts/check", 405, Some("POST")),
        ("PATCH", "/api/scripts/other", 405, Some("GET, PUT, DELETE")),
        ("HEAD", "/api/tools/costs", 405, Some("GET")),
        ("OPTIONS", "/api/providers/one", 405, Some("PUT, DELETE")),
    ] {
        let answer = server.send(Request::new(method, path)).await;
        assert_eq!((answer.status, answer.header("allow")), (status, allow), "{method} {path}");
    }
    let owner = server.sign_in("owner").await;
    let asked = server.send(Request::get("/api/scripts/check").cookie(&owner)).await;
    assert_eq!((asked.status, asked.problem()), (404, "There is no script 'check'.".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encoded_path_meets_the_same_guard() {
    let server = TestServer::start().await;
    for path in ["/api/%75sers", "/%61pi/users", "/api/%75%73%65%72%73"] {
        assert_eq!(server.send(Request::get(path)).await.status, 401, "{path}");
    }
    for path in ["/api%2Fusers", "/api/users%2F", "/api/users%00", "//api/users", "/./api/users", "/x/../api/users"] {
        let status = server.send(Request::get(path)).await.status;
        assert!(matches!(status, 200 | 400 | 404), "{path}: {status}");
        let body = server.send(Request::get(path)).await.text();
        assert!(!body.contains("\"username\""), "{path}: {body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_bodies_are_refused_with_what_is_wrong_and_where() {
    let server = TestServer::start().await;
    let long = "x".repeat(60_000);
    let nested = format!("{}{}", "{\"a\":".repeat(100), "1");
    let cases: &[(&[u8], &str)] = &[
        (b"", "empty"),
        (b"{", "line 1, column 1"),
        (b"[]", "an object is expected, not a list (line 1, column 1)"),
        (b"{\"username\": \"a\", \"password\": \"b\", \"x\": 1}", "unknown field `x`"),
        (b"{\"username\": \"a\"}", "missing field `password`"),
        (b"{\"username\": 5, \"password\": \"b\"}", "`username`: invalid type: integer `5`, expected a string"),
        (b"{\"username\": \"\xff\"}", "not UTF-8 (line 1, column 15)"),
        (nested.as_bytes(), "deeper than 64 levels"),
        (long.as_bytes(), "line 1, column 1"),
        (b"{\"username\": \"a\", \"username\": \"b\", \"password\": \"c\"}", "duplicate field"),
        (b"null", "null"),
    ];
    for (body, wanted) in cases {
        let answer = server.send(Request::new("POST", "/api/auth/login").raw("application/json", *body)).await;
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        assert_eq!(answer.status, 400, "{shown}: {}", answer.text());
        assert!(answer.problem().contains(wanted), "{shown}: {}", answer.problem());
        assert!(answer.body.len() < 1000, "{shown}: {} bytes", answer.body.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn huge_and_foreign_bodies_are_refused() {
    let server = TestServer::start().await;
    let login = || Request::new("POST", "/api/auth/login");
    let large = server.send(login().raw("application/json", vec![b' '; (64 << 10) + 1])).await;
    assert_eq!((large.status, large.problem().as_str()), (413, "The body is larger than 64 KB."));
    let import = Request::new("POST", "/api/scripts/import").raw("application/octet-stream", vec![b' '; (8 << 20) + 1]);
    let large = server.send(import.cookie(&server.sign_in("owner").await)).await;
    assert_eq!((large.status, large.problem().as_str()), (413, "The body is larger than 8 MB."));
    let body = json!({"username": "owner", "password": "x"}).to_string();
    for content_type in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", ""]
    {
        let answer = server.send(login().raw(content_type, body.clone())).await;
        assert_eq!(answer.status, 415, "{content_type}");
        assert!(answer.problem().contains("application/json"));
    }
    let fine = server.send(login().raw("application/json; charset=utf-8", body)).await;
    assert_eq!(fine.status, 401);
    let long = json!({"username": "x".repeat(30_000), "password": "y".repeat(30_000)});
    assert!(matches!(server.send(login().json(&long)).await.status, 400 | 401));
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_on_the_wire_is_never_a_failure_of_ours() {
    let server = TestServer::start().await;
    let cases: [&[u8]; 6] = [
        b"GET /api/users HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \xff\xfe\r\nConnection: close\r\n\r\n",
        b"GET /api/users HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: satchel_session=\xff; a=b;;=\r\nConnection: close\r\n\r\n",
        b"GET /api/users/%ff%fe HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
        b"GET /api/keys?user=%ff&user=1&x=%zz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
        b"POST /api/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\nConnection: close\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ];
    for bytes in cases {
        let answer = server.send_raw(bytes.to_vec()).await;
        let shown = String::from_utf8_lossy(bytes);
        assert!((400..500).contains(&answer.status), "{shown}: {}", answer.status);
    }
    assert_eq!(server.send(Request::get("/healthz")).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_and_queries_that_cannot_be_are_refused() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    let long = format!("/api/users/{}", "x".repeat(5000));
    for path in ["/api/users/x", "/api/users/%ff", "/api/users/00000000-0000-0000-0000-000000000000", &long] {
        let answer = server.send(Request::new("DELETE", path).cookie(&cookie)).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.problem().len() < 200, "{}", answer.problem());
    }
    let answer = server.send(Request::get("/api/keys?usr=1").cookie(&cookie)).await;
    assert_eq!(answer.status, 400);
    assert!(answer.problem().contains("usr"), "{}", answer.problem());
}

#[tokio::test(flavor = "multi_thread")]
async fn health_is_public_and_metrics_are_for_this_machine() {
    let server = TestServer::start().await;
    let health = server.send(Request::get("/healthz")).await;
    assert_eq!((health.status, health.json()["status"].clone()), (200, json!("ok")));
    let metrics = server.send(Request::get("/metrics")).await;
    assert_eq!(metrics.status, 200);
    assert!(metrics.text().contains("satchel_http_requests_total{method=\"GET\",route=\"/healthz\",status=\"2xx\"} 1"));
    let lured = server.send(Request::get("/metrics").header("Host", "evil.example")).await;
    assert_eq!(lured.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bearer_token_that_nobody_asks_for_opens_no_public_route_to_another_site() {
    let server = TestServer::start().await;
    let body = json!({"username": "owner", "password": "not this one"});
    for path in ["/api/auth/login", "/api/setup", "/api/setup/link", "/api/setup/restore"] {
        let lured =
            Request::post(path, &body).header("Host", "evil.example:8081").header("Origin", "http://evil.example:8081");
        for request in [lured.clone(), lured.bearer("x")] {
            assert_eq!(server.send(request).await.status, 403, "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_names_every_route_and_is_the_one_in_the_repository() {
    // First, so that it can be written anew whatever stands there.
    snapshot(&document::text(&routes::all()).unwrap());
    let server = TestServer::start().await;
    let served = server.send(Request::get("/api/openapi.json")).await;
    let document: Value = served.json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.keys().any(|status| status.starts_with('2')), "{method} {path}");
            assert!(responses.contains_key("500"), "{method} {path}");
            for (status, response) in responses.iter().filter(|(status, _)| status.as_str() >= "400") {
                let mut types: Vec<&String> = response["content"].as_object().unwrap().keys().collect();
                types.sort();
                let (own, problem) = ("application/json", "application/problem+json");
                // MCP clients are also refused in their protocol's words, those of OpenAI and Anthropic only in their dialect's.
                let wanted: &[&str] = match path.as_str() {
                    "/mcp" => &[own, problem],
                    path if path.starts_with("/v1/") => &[own],
                    _ => &[problem],
                };
                assert_eq!(types, wanted, "{method} {path} {status}");
            }
            assert!(!operation["summary"].as_str().unwrap_or_default().is_empty(), "{method} {path} says nothing");
        }
    }
    assert_eq!(served.text(), include_str!("../../openapi.json"));
}

/// `INSTA_UPDATE=always cargo nextest run the_document` writes it anew.
#[expect(clippy::disallowed_methods, reason = "the test keeps the file of the document")]
fn snapshot(described: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    if std::env::var("INSTA_UPDATE").is_ok_and(|wish| wish == "always") {
        std::fs::write(path, described).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == described, "openapi.json is out of date: run `INSTA_UPDATE=always cargo nextest run the_document`");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unread_body_does_not_hold_the_server() {
    let server = TestServer::start().await;
    let head = format!(
        "POST /api/users HTTP/1.1\r\nHost: {}\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\nabc",
        server.address
    );
    let answer = server.send_raw(head.into_bytes()).await;
    assert_eq!(answer.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_console_is_served_cached_and_compressed() {
    let server = TestServer::start().await;
    let page = server.send(Request::get("/")).await;
    assert_eq!(page.status, 200, "build the console first with `make web`: {}", page.text());
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    for path in ["/chat/1", "/setup?token=x", "/settings", "/index.html"] {
        assert_eq!(server.send(Request::get(path)).await.body, page.body, "{path}");
    }
    let text = page.text();
    let script = text.split('"').find(|part| part.starts_with("/assets/") && part.ends_with(".js")).unwrap();
    let plain = server.send(Request::get(script)).await;
    assert_eq!(plain.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert_eq!(plain.header("cache-control"), Some("public, max-age=31536000, immutable"));
    for path in [script, "/api/openapi.json"] {
        let plain = server.send(Request::get(path).header("Accept-Encoding", "br;q=1, gzip;q=0")).await;
        let packed = server.send(Request::get(path).header("Accept-Encoding", "br, gzip")).await;
        assert_eq!(
            (plain.header("content-encoding"), packed.header("content-encoding")),
            (None, Some("gzip")),
            "{path}"
        );
        assert_eq!(packed.header("vary"), Some("accept-encoding"));
        assert!(packed.body.len() < plain.body.len() / 2, "{} of {}", packed.body.len(), plain.body.len());
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(packed.body.as_slice()).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, plain.body, "{path}");
    }
    let tag = plain.header("etag").unwrap();
    let again = server.send(Request::get(script).header("If-None-Match", tag)).await;
    assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(tag)));
    assert!(!text.contains("<script>") && !text.contains("style="), "the policy forbids what stands in the page");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_file_is_not_answered_with_a_page() {
    let server = TestServer::start().await;
    for path in
        ["/assets/gone.js", "/favicon.ico", "/assets/../Cargo.toml", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/.env"]
    {
        let answer = server.send(Request::get(path)).await;
        assert_eq!(answer.status, 404, "{path}: {}", answer.text());
    }
}
