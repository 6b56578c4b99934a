//! Somebody with jobs, on a server whose clock the test moves.

use std::time::Duration;

use satchel::{model::caller::Permissions, services::jobs::service::Jobs};
use serde_json::{Value, json};

use crate::support::http::{Answer, Request, TestServer};

/// Mara at her desk.
pub struct Desk {
    pub server: TestServer,
    pub cookie: String,
}

impl Desk {
    /// The owner of the server.
    pub async fn owner() -> Self {
        let server = TestServer::start().await;
        let cookie = server.sign_in("owner").await;
        Self { server, cookie }
    }

    /// Mara, who may have jobs, and this besides.
    pub async fn mara(permissions: &[&str]) -> Self {
        let server = TestServer::start().await;
        let permissions: Vec<&str> = ["jobs:manage"].iter().chain(permissions).copied().collect();
        role(&server, "clerk", &permissions).await;
        server.add("mara", "clerk").await;
        let cookie = server.sign_in("mara").await;
        Self { server, cookie }
    }

    pub fn jobs(&self) -> &Jobs {
        &self.server.app.satchel.services.jobs
    }

    pub async fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let request = Request::new(method, path).cookie(&self.cookie);
        self.server.send(if body.is_null() { request } else { request.json(body) }).await
    }

    /// Sends, and expects it to go well.
    pub async fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.send(method, path, body).await;
        assert!(answer.status < 300, "{method} {path}: {} {}", answer.status, answer.text());
        if answer.body.is_empty() { Value::Null } else { answer.json() }
    }

    /// Makes a job and gives its id.
    pub async fn job(&self, draft: &Value) -> String {
        self.ask("POST", "/api/jobs", draft).await["id"].as_str().unwrap().to_owned()
    }

    /// Makes a job that runs when somebody asks, and gives its id.
    pub async fn asked(&self, deed: &Value) -> String {
        self.job(&json!({"when": {"every_seconds": 86_400}, "do": deed})).await
    }

    /// The sentence with which a job is refused.
    pub async fn refusal(&self, draft: &Value) -> String {
        let answer = self.send("POST", "/api/jobs", draft).await;
        assert_eq!(answer.status, 400, "{draft}: {}", answer.text());
        answer.problem()
    }

    /// Runs a job now, to its end, and gives the run.
    pub async fn run_now(&self, id: &str) -> Value {
        self.ask("POST", &format!("/api/jobs/{id}/run"), &Value::Null).await;
        self.settle().await;
        self.runs(id).await[0].clone()
    }

    pub async fn runs(&self, id: &str) -> Vec<Value> {
        self.ask("GET", &format!("/api/jobs/{id}/runs"), &Value::Null).await.as_array().unwrap().clone()
    }

    /// The states of a job's runs, the oldest first.
    pub async fn states(&self, id: &str) -> Vec<String> {
        let runs = self.runs(id).await;
        runs.iter().rev().map(|run| run["state"].as_str().unwrap().to_owned()).collect()
    }

    pub async fn notices(&self) -> Vec<Value> {
        self.ask("GET", "/api/notices", &Value::Null).await.as_array().unwrap().clone()
    }

    /// Moves the clock, and lets everything run that is due then. Returns how many runs there were.
    pub async fn later(&self, seconds: u64) -> usize {
        self.server.app.satchel.app.clock.advance(Duration::from_secs(seconds));
        self.settle().await
    }

    /// Lets everything run that is due. Returns how many runs there were.
    pub async fn settle(&self) -> usize {
        let mut count = 0;
        loop {
            match self.jobs().run_due().await.unwrap() {
                0 => return count,
                number => count += number,
            }
            self.jobs().idle().await;
        }
    }

    /// Stops and starts on the same directory.
    pub async fn restart(self) -> Self {
        let app = self.server.app.restart().await;
        let address = app.satchel.url.socket_addrs(|| None).unwrap()[0];
        Self { server: TestServer { app, address }, cookie: self.cookie }
    }
}

/// A role of exactly these permissions.
pub async fn role(server: &TestServer, name: &str, permissions: &[&str]) {
    let people = &server.app.satchel.app.stores.people;
    let by = server.app.owner().await;
    people.create_role(&by, name.to_owned(), Permissions::parse(permissions).unwrap()).await.unwrap();
}
