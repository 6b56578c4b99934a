//! A running application with documents, and people who send, search and read them over HTTP.

use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::http::{Answer, Request, TestServer};

/// Longest wait for a document.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// An application, and its owner's key.
pub struct Library {
    pub server: TestServer,
    pub key: String,
}

/// A file to be sent.
pub struct File<'a> {
    pub name: &'a str,
    pub bytes: Vec<u8>,
}

impl<'a> File<'a> {
    pub fn new(name: &'a str, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name, bytes: bytes.into() }
    }
}

impl Library {
    /// Starts on an empty directory.
    pub async fn open() -> Self {
        let server = TestServer::start().await;
        let key = server.key(&server.sign_in("owner").await, None).await;
        Self { server, key }
    }

    /// A key of a new user with this role.
    pub async fn reader(&self, name: &str, role: &str) -> String {
        self.server.add(name, role).await;
        self.server.key(&self.server.sign_in(name).await, None).await
    }

    /// Sends JSON as whoever holds a key.
    pub async fn ask(&self, key: &str, method: &str, path: &str, body: Value) -> Answer {
        let request = Request::new(method, &format!("/api/knowledge{path}")).bearer(key);
        self.server.send(if body.is_null() { request } else { request.json(&body) }).await
    }

    /// Sends JSON as the owner and expects success.
    pub async fn do_it(&self, method: &str, path: &str, body: Value) -> Value {
        let answer = self.ask(&self.key, method, path, body).await;
        assert!(answer.status < 300, "{method} {path}: {} {}", answer.status, answer.text());
        if answer.body.is_empty() { Value::Null } else { answer.json() }
    }

    /// Sends files to a path below the documents.
    pub async fn send(&self, path: &str, files: &[File<'_>], fields: &[(&str, &str)]) -> Answer {
        let (content_type, body) = form(files, fields);
        let request = Request::new("POST", &format!("/api/knowledge/documents{path}"));
        self.server.send(request.bearer(&self.key).raw(&content_type, body)).await
    }

    /// Sends one file, waits until it is ready, and gives the document.
    pub async fn upload(&self, name: &str, bytes: impl Into<Vec<u8>>) -> Value {
        let answer = self.send("", &[File::new(name, bytes)], &[]).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        self.ready(answer.json()["id"].as_str().unwrap()).await
    }

    /// Adds a text, waits until it is ready, and gives the document.
    pub async fn text(&self, title: &str, text: &str) -> Value {
        let added = self.do_it("POST", "/documents", json!({"title": title, "text": text})).await;
        self.ready(added["id"].as_str().unwrap()).await
    }

    /// The document.
    pub async fn document(&self, id: &str) -> Value {
        self.do_it("GET", &format!("/documents/{id}"), Value::Null).await
    }

    /// The document as soon as it is as wanted.
    pub async fn until(&self, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let document = self.document(id).await;
            if wanted(&document) {
                return document;
            }
            assert!(begun.elapsed() < PATIENCE, "not in time: {document}");
            pause().await;
        }
    }

    /// The document once nothing more happens to it; it must be ready.
    pub async fn ready(&self, id: &str) -> Value {
        let document = self.settled(id).await;
        assert_eq!(document["status"], "ready", "{document}");
        document
    }

    /// The document once nothing more happens to it.
    pub async fn settled(&self, id: &str) -> Value {
        let open = ["queued", "reading", "embedding"];
        self.until(id, |document| !open.contains(&document["status"].as_str().unwrap())).await
    }

    /// Returns the results of a search.
    pub async fn search(&self, query: &str) -> Vec<Value> {
        self.search_as(&self.key, json!({"query": query})).await
    }

    /// Returns the results of somebody's search.
    pub async fn search_as(&self, key: &str, question: Value) -> Vec<Value> {
        let answer = self.ask(key, "POST", "/search", question).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["results"].as_array().unwrap().clone()
    }

    /// One number of the database.
    pub fn count(&self, sql: &str) -> i64 {
        let path = self.server.app.dir.path().join("satchel.db");
        Connection::open(path).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

/// Between two looks at something that is about to happen: looking all the time would keep it from happening.
pub async fn pause() {
    tokio::time::sleep(Duration::from_millis(30)).await;
}

/// Files and fields as a form, with its content type.
pub fn form(files: &[File<'_>], fields: &[(&str, &str)]) -> (String, Vec<u8>) {
    let mut body = Vec::new();
    for (name, value) in fields {
        let head = format!("--XBOUND\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        body.extend([head.as_bytes(), value.as_bytes(), b"\r\n"].concat());
    }
    for file in files {
        let head = format!(
            "--XBOUND\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n",
            file.name
        );
        body.extend([head.as_bytes(), &file.bytes, b"\r\n"].concat());
    }
    body.extend(b"--XBOUND--\r\n");
    ("multipart/form-data; boundary=XBOUND".to_owned(), body)
}

/// The titles of results, in order.
pub fn titles(results: &[Value]) -> Vec<&str> {
    results.iter().map(|result| result["title"].as_str().unwrap()).collect()
}

/// The parts of a result's text that its spans point at.
pub fn marked(result: &Value) -> Vec<String> {
    let text: Vec<char> = result["text"].as_str().unwrap().chars().collect();
    let index = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let spans = result["spans"].as_array().unwrap().iter();
    spans.map(|span| text[index(&span[0])..index(&span[1])].iter().collect()).collect()
}
