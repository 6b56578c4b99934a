//! What is no message of the protocol, or comes from where none may: refused in its own words, and nothing is run.

use serde_json::{Value, json};

use super::{last_row, owned};
use crate::support::{
    http::{Request, TestServer},
    mcp::{Stateful, Stateless, about, initialize, post, refused, result},
};

/// Calls in the audit.
async fn calls(server: &TestServer) -> usize {
    let page = server.owner("GET", "/api/audit?limit=100&event_type=tool_invocation", &Value::Null).await;
    page["entries"].as_array().unwrap().len()
}

fn call(meta: Value) -> Value {
    let params = json!({"name": "calculator", "arguments": {"expression": "1"}, "_meta": meta});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_runs_nothing() {
    let (server, key) = owned().await;
    let good = call(about("2026-07-28", json!({})));
    let headers = |request: Request| {
        request
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", "calculator")
    };
    let raw = |body: &str| headers(Request::new("POST", "/mcp").raw("application/json", body.to_owned()).bearer(&key));
    for (what, request, wanted) in [
        ("a list", headers(post(&key, &json!([good]))), (400, -32600)),
        ("no JSON", raw("{\"jsonrpc\": "), (400, -32700)),
        ("no UTF-8", raw("\u{0}"), (400, -32700)),
        ("nothing", raw(""), (400, -32700)),
        ("no id that is one", raw(&good.to_string().replace("\"id\":1", "\"id\":null")), (400, -32600)),
        ("too deep", raw(&format!("{}{}", "[".repeat(100), "]".repeat(100))), (400, -32600)),
        ("too deep inside", raw(&format!("{{\"a\":{}1{}}}", "[".repeat(100), "]".repeat(100))), (400, -32700)),
        ("no headers", post(&key, &good), (400, -32020)),
        (
            "another method in the header",
            {
                post(&key, &good)
                    .header("MCP-Protocol-Version", "2026-07-28")
                    .header("Mcp-Method", "tools/list")
                    .header("Mcp-Name", "calculator")
            },
            (400, -32020),
        ),
        (
            "another name in the header",
            {
                post(&key, &good)
                    .header("MCP-Protocol-Version", "2026-07-28")
                    .header("Mcp-Method", "tools/call")
                    .header("Mcp-Name", "exec")
            },
            (400, -32020),
        ),
        (
            "another revision in the header",
            {
                post(&key, &good)
                    .header("MCP-Protocol-Version", "2025-11-25")
                    .header("Mcp-Method", "tools/call")
                    .header("Mcp-Name", "calculator")
            },
            (400, -32020),
        ),
        (
            "a revision of tomorrow",
            {
                let later = call(about("2099-01-01", json!({})));
                post(&key, &later)
                    .header("MCP-Protocol-Version", "2099-01-01")
                    .header("Mcp-Method", "tools/call")
                    .header("Mcp-Name", "calculator")
            },
            (400, -32022),
        ),
        (
            "a revision of tomorrow without more",
            {
                post(&key, &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
                    .header("MCP-Protocol-Version", "2099-01-01")
            },
            (400, -32022),
        ),
        ("nothing of itself", headers(post(&key, &call(json!({})))), (400, -32602)),
        (
            "no capabilities",
            { headers(post(&key, &call(json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"})))) },
            (400, -32602),
        ),
        ("no session", post(&key, &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})), (400, -32600)),
        (
            "a session of nobody",
            { post(&key, &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).header("Mcp-Session-Id", "x") },
            (404, -32600),
        ),
        ("another site", headers(post(&key, &good).header("Origin", "http://evil.example")), (403, -32600)),
        ("another name of this machine", headers(post(&key, &good).header("Host", "evil.example")), (403, -32600)),
        (
            "a form",
            { headers(Request::new("POST", "/mcp").raw("text/plain", good.to_string()).bearer(&key)) },
            (415, -32600),
        ),
        (
            "nothing that is taken",
            headers(Request::post("/mcp", &good).bearer(&key).header("Accept", "text/html")),
            (406, -32600),
        ),
        (
            "10 MB",
            headers(post(&key, &json!({"jsonrpc": "2.0", "id": 1, "method": "x".repeat(10 << 20)}))),
            (413, -32600),
        ),
    ] {
        assert_eq!(refused(&server.send_to_its_end(request).await), wanted, "{what}");
    }
    assert_eq!(calls(&server).await, 0);
    assert_eq!(server.send(headers(post(&key, &good))).await.status, 200);
    assert_eq!(calls(&server).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_needed_and_no_cookie_will_do() {
    let (server, key) = owned().await;
    let cookie = server.sign_in("owner").await;
    let message = initialize("2025-11-25", json!({}));
    let bare = || Request::post("/mcp", &message);
    for request in [bare(), bare().cookie(&cookie), bare().bearer("sk_satchel_no"), bare().bearer("")] {
        let answer = server.send(request).await;
        assert_eq!(answer.status, 401, "{}", answer.text());
        assert!(answer.header("www-authenticate").is_some_and(|told| told.starts_with("Bearer")), "{answer:?}");
    }
    let in_query = Request::post(&format!("/mcp?key={key}"), &message);
    assert_eq!(server.send(in_query).await.status, 401);
    let own = bare().bearer(&key).header("Origin", &format!("http://{}", server.address));
    assert_eq!(server.send(own).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_revision_has_not_is_no_method_of_it() {
    let (server, key) = owned().await;
    let client = Stateless::new(&key);
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such", ""] {
        let answer = server.send(client.request(method, json!({}))).await;
        assert_eq!(refused(&answer), (404, -32601), "{method}");
        assert_eq!(answer.json()["id"], 1);
    }
    let client = Stateful::begin(&server, &key, "2025-06-18", json!({})).await;
    for method in ["server/discover", "subscriptions/listen", "no/such"] {
        assert_eq!(refused(&server.send(client.request(method, json!({}))).await), (200, -32601), "{method}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_sent_again_is_not_carried_out_twice() {
    let (server, key) = owned().await;
    let client = Stateful::begin(&server, &key, "2025-11-25", json!({})).await;
    let params = json!({"name": "list", "arguments": {"action": "add", "list": "shopping", "items": ["tea"]}});
    let message = json!({"jsonrpc": "2.0", "id": "the same", "method": "tools/call", "params": params});
    let first = server.send_to_its_end(client.with(post(&key, &message))).await;
    assert_eq!(result(&first)["isError"], false, "{}", first.text());
    assert_eq!(refused(&server.send_to_its_end(client.with(post(&key, &message))).await), (400, -32600));
    assert_eq!(calls(&server).await, 1);
    assert_eq!(last_row(&server).await["tool"], "builtin:list");
}
