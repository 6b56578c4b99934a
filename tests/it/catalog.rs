//! The service catalog: systems, their endpoints as tools, credentials, documents taken in.

mod answers;
mod calls;
mod documents;
mod files;
mod guards;
mod imports;
mod oauth;
mod outside;
mod review;
mod systems;
mod tries;
mod uploads;

use satchel::store::{catalog::Catalog, people::Actor};
use serde_json::{Value, json};

use super::support::{
    http::{Request, TestServer},
    system::TestSystem,
};

/// An application with a system that may be called.
struct Connected {
    server: TestServer,
    system: TestSystem,
    id: String,
    cookie: String,
}

impl Connected {
    /// An active system named CRM whose base URL is `/api` of a running server, with this kind of authentication.
    async fn with(auth: Value) -> Self {
        let (server, system) = (TestServer::start().await, TestSystem::start().await);
        server.app.set(json!({"outbound": {"exceptions": [system.address.to_string()]}})).await;
        let cookie = server.sign_in("owner").await;
        let mut connected = Self { server, system, id: String::new(), cookie };
        let body = json!({"name": "CRM", "base_url": connected.system.url("/api"), "auth": auth});
        let made = connected.ask("POST", "/systems", &body).await;
        connected.id = made["id"].as_str().unwrap().to_owned();
        connected
    }

    /// As the owner, under `/api/catalog`; it must succeed.
    async fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.try_to(method, path, body).await;
        assert!(status < 300, "{method} {path}: {status} {answer}");
        answer
    }

    /// As the owner, under `/api/catalog`.
    async fn try_to(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let request = Request::new(method, &format!("/api/catalog{path}")).cookie(&self.cookie);
        let request = if body.is_null() { request } else { request.json(body) };
        let answer = self.server.send(request).await;
        let body = if answer.body.is_empty() { Value::Null } else { answer.json() };
        (answer.status, body)
    }

    /// Registers an endpoint and gives its id.
    async fn endpoint(&self, body: Value) -> String {
        let made = self.ask("POST", &format!("/systems/{}/endpoints", self.id), &body).await;
        made["id"].as_str().unwrap().to_owned()
    }

    /// Lets it be called.
    async fn activate(&self) {
        self.ask("PUT", &format!("/systems/{}/status", self.id), &json!({"status": "active"})).await;
    }

    async fn credentials(&self, body: Value) -> Value {
        self.ask("PUT", &format!("/systems/{}/credentials", self.id), &body).await
    }

    async fn owner(&self) -> Actor {
        self.server.app.owner().await
    }

    fn catalog(&self) -> &Catalog {
        &self.server.app.satchel.app.stores.catalog
    }

    /// Calls a tool as the owner; it must run.
    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let owner = self.owner().await;
        self.server.app.data(&owner.caller, tool, arguments).await.unwrap()
    }

    /// Calls a tool as the owner; it must fail. The message.
    async fn refused(&self, tool: &str, arguments: Value) -> String {
        let owner = self.owner().await;
        self.server.app.data(&owner.caller, tool, arguments).await.unwrap_err().message().to_owned()
    }
}
