//! A running application with a scripted model, and people who talk to it over HTTP.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use reqwest::{Method, header::HeaderName};
use satchel::{
    boot::Satchel,
    config::{ModelChoice, Owner},
    model::{llm::ProviderKind, secret::Secret, settings::Titles},
    net::{
        guard::HostPort,
        http::{Http, Request, Response},
    },
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;
use url::Url;

use super::{
    app::{TestApp, config},
    fake_llm::{DOT, FakeLlm, PATIENCE, Reply},
    library::pause,
    way::way_out,
};

/// An application whose model is a script.
pub struct Chat {
    pub app: TestApp,
    pub llm: FakeLlm,
    pub owner: Person,
}

impl Chat {
    /// Starts on an empty directory.
    pub async fn start(script: Vec<Reply>) -> Self {
        let llm = FakeLlm::start(script).await;
        Self::start_in(tempfile::tempdir().unwrap(), llm).await
    }

    async fn start_in(dir: TempDir, llm: FakeLlm) -> Self {
        let mut config = config(&dir);
        config.owner = Some(Owner { name: "owner".to_owned(), password: Secret::new("correct horse") });
        let url = Some(format!("http://{}/v1", llm.address));
        config.model = Some(ModelChoice { kind: ProviderKind::Openai, model: "fake-1".to_owned(), url, key: None });
        let satchel = Satchel::start(config).await.unwrap();
        let owner = Person::bearer(&satchel.url, satchel.token.expose());
        let app = TestApp { satchel, dir };
        // A script says what its requests are: the one for a title is asked for by who tests it.
        if app.satchel.app.settings.get().chat.titles == Titles::Model {
            app.set(json!({"chat": {"titles": "words"}})).await;
        }
        Self { app, llm, owner }
    }

    /// Stops, and starts again on the same directory.
    pub async fn restart(self) -> Self {
        self.app.satchel.stop().await;
        Self::start_in(self.app.dir, self.llm).await
    }

    /// Somebody with exactly these permissions, signed in.
    pub async fn person(&self, permissions: &[&str]) -> Person {
        let username = self.app.caller(permissions).await.username;
        Person::sign_in(&self.app.satchel.url, &username).await
    }

    /// Has the model's server make pictures and speech, too.
    pub async fn with_media(&self) {
        let url = format!("http://{}/v1", self.llm.address);
        let model = json!({"url": url, "model": "media-1"});
        let speech = json!({"url": url, "model": "media-1", "voice": "alloy"});
        self.set(json!({"media": {"image": model, "transcription": model, "speech": speech}})).await;
    }

    /// Changes settings.
    pub async fn set(&self, patch: Value) {
        self.app.set(patch).await;
    }
}

/// Somebody who can send requests.
pub struct Person {
    http: Http,
    base: Url,
    headers: Vec<(&'static str, String)>,
}

impl Person {
    /// Whoever holds a key.
    pub fn bearer(base: &Url, key: &str) -> Self {
        let http = way_out().allowing(HostPort::from_url(base).as_slice());
        Self { http, base: base.clone(), headers: vec![("authorization", format!("Bearer {key}"))] }
    }

    /// Whoever shows something in this header.
    pub fn showing(base: &Url, header: (&'static str, String)) -> Self {
        Self { headers: vec![header], ..Self::bearer(base, "") }
    }

    /// The same, which sends another header too.
    pub fn with(&self, name: &'static str, value: &str) -> Self {
        let headers = self.headers.iter().cloned().chain([(name, value.to_owned())]).collect();
        Self { headers, ..Self::bearer(&self.base, "") }
    }

    /// A user of this name, signed in.
    pub async fn sign_in(base: &Url, username: &str) -> Self {
        let anybody = Self::bearer(base, "");
        let body = json!({"username": username, "password": "correct horse"});
        let login = Request::post_json(base.join("/api/auth/login").unwrap(), &body);
        let request = Request { patience: PATIENCE, ..login };
        let response = anybody.http.send(request).await.unwrap();
        assert_eq!(response.status, 200);
        let cookie = response.headers.get("set-cookie").unwrap().to_str().unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        Self { headers: vec![("cookie", cookie)], ..anybody }
    }

    /// The same person, after the server has moved.
    pub fn again(&self, base: &Url) -> Self {
        Self { headers: self.headers.clone(), ..Self::bearer(base, "") }
    }

    async fn send(&self, method: &str, path: &str, body: &Value, last_event: Option<&str>) -> Response {
        let mut request = Request::new(method.parse::<Method>().unwrap(), self.base.join(path).unwrap());
        request.patience = PATIENCE;
        if !body.is_null() {
            request.headers.insert("content-type", "application/json".parse().unwrap());
            request.body = Bytes::from(body.to_string());
        }
        for (name, value) in &self.headers {
            request.headers.insert(HeaderName::from_static(name), value.parse().unwrap());
        }
        if let Some(id) = last_event {
            request.headers.insert("last-event-id", id.parse().unwrap());
        }
        self.http.send(request).await.unwrap()
    }

    /// Sends JSON and gives status and answer.
    pub async fn ask(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let response = self.send(method, path, &body, None).await;
        let status = response.status.as_u16();
        let bytes = response.bytes(64 << 20).await.unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::String(text)))
    }

    /// Sends JSON and expects success.
    pub async fn do_it(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.ask(method, path, body).await;
        assert!(status < 300, "{method} {path}: {status} {answer}");
        answer
    }

    /// Returns what a path gives, as bytes.
    pub async fn bytes(&self, path: &str) -> Vec<u8> {
        let response = self.send("GET", path, &Value::Null, None).await;
        assert!(response.status.is_success(), "{path}: {}", response.status);
        response.bytes(64 << 20).await.unwrap().to_vec()
    }

    /// Sends bytes and gives status and answer.
    pub async fn send_bytes(&self, path: &str, bytes: Vec<u8>) -> (u16, Value) {
        self.send_form(path, ("application/octet-stream".to_owned(), bytes)).await
    }

    /// Sends a body of this content type and gives status and answer.
    pub async fn send_form(&self, path: &str, (content_type, bytes): (String, Vec<u8>)) -> (u16, Value) {
        let mut request = Request::new(Method::POST, self.base.join(path).unwrap());
        request.patience = PATIENCE;
        request.headers.insert("content-type", content_type.parse().unwrap());
        for (name, value) in &self.headers {
            request.headers.insert(HeaderName::from_static(name), value.parse().unwrap());
        }
        request.body = bytes.into();
        let response = self.http.send(request).await.unwrap();
        let status = response.status.as_u16();
        (status, response.json(64 << 20).await.unwrap())
    }

    /// Adds a text to the knowledge base, waits until it is found, and gives its id.
    pub async fn add_text(&self, title: &str, text: &str) -> String {
        let added = self.do_it("POST", "/api/knowledge/documents", json!({"title": title, "text": text})).await;
        let id = added["id"].as_str().unwrap().to_owned();
        let begun = std::time::Instant::now();
        loop {
            let document = self.do_it("GET", &format!("/api/knowledge/documents/{id}"), Value::Null).await;
            match document["status"].as_str().unwrap() {
                "ready" => return id,
                "failed" => panic!("{document}"),
                _ => assert!(begun.elapsed() < PATIENCE, "{document}"),
            }
            pause().await;
        }
    }

    /// A new conversation's path.
    pub async fn conversation(&self) -> String {
        let made = self.do_it("POST", "/api/conversations", Value::Null).await;
        format!("/api/conversations/{}", made["id"].as_str().unwrap())
    }

    /// The conversation as it stands.
    pub async fn view(&self, conversation: &str) -> Value {
        self.do_it("GET", conversation, Value::Null).await
    }

    /// Says something and gives the stream.
    pub async fn say(&self, conversation: &str, content: &str) -> Stream {
        self.post(&format!("{conversation}/messages"), json!({"content": content})).await
    }

    /// Posts and gives the stream.
    pub async fn post(&self, path: &str, body: Value) -> Stream {
        Stream::new(self.send("POST", path, &body, None).await).await
    }

    /// Follows a conversation from after an event.
    pub async fn follow(&self, conversation: &str, last_event: Option<&str>) -> Stream {
        Stream::new(self.send("GET", &format!("{conversation}/events"), &Value::Null, last_event).await).await
    }

    /// Says something in a new conversation and reads the stream to its end. Gives the conversation's path too.
    pub async fn turn(&self, content: &str) -> (String, Vec<Event>) {
        let conversation = self.conversation().await;
        let events = self.say(&conversation, content).await.rest().await;
        (conversation, events)
    }

    /// Decides the question of a `confirmation` event.
    pub async fn decide(&self, confirmation: &Event, body: Value) -> Value {
        let id = confirmation.data["ticket"]["id"].as_str().unwrap();
        self.do_it("POST", &format!("/api/tickets/{id}"), body).await
    }
}

/// A picture of one pixel with so many bytes behind it, as base64.
pub fn picture(bytes: usize) -> String {
    let mut picture = STANDARD.decode(DOT).unwrap();
    picture.resize(picture.len() + bytes, 7);
    STANDARD.encode(picture)
}

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub id: String,
    pub name: String,
    pub data: Value,
}

/// A stream of events that is being read.
pub struct Stream {
    response: Response,
    read: String,
    /// The beginning of a character that is not whole yet.
    begun: Vec<u8>,
}

impl Stream {
    async fn new(response: Response) -> Self {
        if response.status != 200 {
            let status = response.status;
            panic!("{status}: {:?}", response.bytes(1 << 20).await);
        }
        assert_eq!(response.headers.get("content-type").unwrap(), "text/event-stream");
        assert_eq!(response.headers.get("x-accel-buffering").unwrap(), "no");
        Self { response, read: String::new(), begun: Vec::new() }
    }

    /// The next event, none at the end.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((frame, rest)) = self.read.split_once("\n\n") {
                let (frame, rest) = (frame.to_owned(), rest.to_owned());
                self.read = rest;
                if let Some(event) = parse(&frame) {
                    return Some(event);
                }
                continue;
            }
            let chunk = timeout(PATIENCE, self.response.chunk()).await.expect("no event in time").unwrap()?;
            self.begun.extend_from_slice(&chunk);
            let whole = match std::str::from_utf8(&self.begun) {
                Ok(text) => text.len(),
                Err(error) => error.valid_up_to(),
            };
            let rest = self.begun.split_off(whole);
            self.read.push_str(&String::from_utf8(std::mem::replace(&mut self.begun, rest)).unwrap());
        }
    }

    /// Reads up to and including the first event of this name.
    pub async fn until(&mut self, name: &str) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            let found = event.name == name;
            events.push(event);
            if found {
                return events;
            }
        }
        panic!("no {name} among {:?}", names(&events));
    }

    /// Reads to the end.
    pub async fn rest(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

fn parse(frame: &str) -> Option<Event> {
    let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
    Some(Event {
        id: field("id: ")?.to_owned(),
        name: field("event: ")?.to_owned(),
        data: serde_json::from_str(field("data: ")?).unwrap(),
    })
}

/// The names of events.
pub fn names(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.name.as_str()).collect()
}

/// The first event of a name.
pub fn find<'a>(events: &'a [Event], name: &str) -> &'a Event {
    events.iter().find(|event| event.name == name).unwrap_or_else(|| panic!("no {name} among {:?}", names(events)))
}

/// Every text that was streamed, joined.
pub fn text(events: &[Event]) -> String {
    events.iter().filter(|e| e.name == "token").map(|e| e.data["text"].as_str().unwrap()).collect()
}

/// Returns what a request tells the model of its calls, in order.
pub fn results(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap().iter();
    messages.filter(|m| m["role"] == "tool").map(|m| m["content"].as_str().unwrap().to_owned()).collect()
}
