//! An MCP client by hand: what a test sends is exactly what it wrote.

use serde_json::{Value, json};

use super::http::{Answer, Request, TestServer};

/// What a client of revision 2026-07-28 says of itself in each request.
pub fn about(revision: &str, capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientInfo": {"name": "a test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

/// A client of revision 2026-07-28.
#[derive(Clone)]
pub struct Stateless {
    pub key: String,
    pub capabilities: Value,
}

impl Stateless {
    /// With a key, and able to do nothing.
    pub fn new(key: &str) -> Self {
        Self { key: key.to_owned(), capabilities: json!({}) }
    }

    /// A request as this client makes it.
    pub fn request(&self, method: &str, params: Value) -> Request {
        let mut params = params;
        params["_meta"] = about("2026-07-28", self.capabilities.clone());
        let name = params.get("name").or(params.get("uri")).and_then(Value::as_str).map(str::to_owned);
        let request = post(&self.key, &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", method);
        name.into_iter().fold(request, |request, name| request.header("Mcp-Name", &name))
    }

    /// The result of a request.
    pub async fn ask(&self, server: &TestServer, method: &str, params: Value) -> Value {
        result(&server.send_to_its_end(self.request(method, params)).await)
    }

    /// The result of a call.
    pub async fn call(&self, server: &TestServer, tool: &str, arguments: Value) -> Value {
        self.ask(server, "tools/call", json!({"name": tool, "arguments": arguments})).await
    }
}

/// A client of a revision with a handshake.
pub struct Stateful {
    pub key: String,
    pub session: String,
    pub revision: String,
    next: std::cell::Cell<i64>,
}

impl Stateful {
    /// Begins a session.
    pub async fn begin(server: &TestServer, key: &str, revision: &str, capabilities: Value) -> Self {
        let answer = server.send(post(key, &initialize(revision, capabilities))).await;
        let session = answer.header("mcp-session-id").expect("no session").to_owned();
        let revision = result(&answer)["protocolVersion"].as_str().unwrap().to_owned();
        let client = Self { key: key.to_owned(), session, revision, next: std::cell::Cell::new(1) };
        let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(server.send(client.with(post(key, &told))).await.status, 202);
        client
    }

    /// The same request, of this session.
    pub fn with(&self, request: Request) -> Request {
        request.header("Mcp-Session-Id", &self.session).header("MCP-Protocol-Version", &self.revision)
    }

    /// A request as this client makes it.
    pub fn request(&self, method: &str, params: Value) -> Request {
        let id = self.next.get();
        self.next.set(id + 1);
        self.with(post(&self.key, &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})))
    }

    /// The result of a request.
    pub async fn ask(&self, server: &TestServer, method: &str, params: Value) -> Value {
        result(&server.send_to_its_end(self.request(method, params)).await)
    }

    /// The result of a call.
    pub async fn call(&self, server: &TestServer, tool: &str, arguments: Value) -> Value {
        self.ask(server, "tools/call", json!({"name": tool, "arguments": arguments})).await
    }
}

/// The message that begins a session.
pub fn initialize(revision: &str, capabilities: Value) -> Value {
    let client = json!({"name": "a test", "version": "1"});
    let params = json!({"protocolVersion": revision, "capabilities": capabilities, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

/// A message with a key.
pub fn post(key: &str, message: &Value) -> Request {
    Request::post("/mcp", message).bearer(key).header("Accept", "application/json, text/event-stream")
}

/// The result that an answer carries.
pub fn result(answer: &Answer) -> Value {
    let message = message(answer);
    assert!(answer.status == 200 && message.get("error").is_none(), "{}: {message}", answer.status);
    assert_eq!(message["jsonrpc"], "2.0");
    message["result"].clone()
}

/// The status and the code of an answer that carries an error.
pub fn refused(answer: &Answer) -> (u16, i64) {
    let message = message(answer);
    (answer.status, message["error"]["code"].as_i64().unwrap_or_else(|| panic!("{}: {message}", answer.status)))
}

/// The message that answers: the answer itself, or the last event of its stream.
fn message(answer: &Answer) -> Value {
    let is_stream = answer.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
    if !is_stream {
        return answer.json();
    }
    let text = answer.text();
    let last = text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
    serde_json::from_str(last.unwrap_or_else(|| panic!("no event: {text}"))).unwrap()
}
