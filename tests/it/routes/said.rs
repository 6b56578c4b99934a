//! What is answered is what the served document says.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Asker, Shows, VIEWER};
use crate::support::http::{Answer, Request, TestServer};
use satchel::doors::http::{route::Route, routes};

/// The served document.
struct Document(Value);

impl Document {
    async fn read(server: &TestServer) -> Self {
        Self(server.send(Request::get("/api/openapi.json")).await.json())
    }

    /// Checks that an answer of a route is what the document says for its status.
    fn ensure_said(&self, route: &Route, answer: &Answer) {
        let operation = &self.0["paths"][&route.path][route.method.as_str().to_lowercase()];
        let content = &operation["responses"][answer.status.to_string()]["content"];
        // A route of `/v1` answers in its own dialect.
        let kind = if route.path.starts_with("/v1/") { "application/json" } else { "application/problem+json" };
        let said = &content[kind]["schema"];
        assert!(said.is_object(), "{} {} answers {}", route.method, route.path, answer.status);
        self.ensure_valid(said, &answer.json());
    }

    fn ensure_valid(&self, schema: &Value, value: &Value) {
        let whole = json!({"components": self.0["components"], "allOf": [schema]});
        let wrong: Vec<String> =
            jsonschema::validator_for(&whole).unwrap().iter_errors(value).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{schema}: {wrong:?} in {value}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_is_as_the_document_says() {
    let server = TestServer::start().await;
    let document = Document::read(&server).await;
    server.add("vera", "viewer").await;
    let asker = Asker::good("a viewer", Shows::Cookie(server.sign_in("vera").await), VIEWER);
    for route in &routes::all() {
        let foreign = asker.request(route).header("Sec-Fetch-Site", "cross-site");
        let refused = server.send(foreign).await;
        assert_eq!(refused.status, 403, "{} {}", route.method, route.path);
        document.ensure_said(route, &refused);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_must_confirm_is_as_the_document_says() {
    let server = TestServer::start().await;
    let document = Document::read(&server).await;
    server.owner("POST", "/api/roles", &json!({"name": "writers", "permissions": ["host:fs.write"]})).await;
    server.add("wim", "writers").await;
    let cookie = server.sign_in("wim").await;
    let routes = routes::all();
    let invoke = routes.iter().find(|route| route.path == "/api/tools/{name}/invoke").unwrap();
    let call = |more: Value| {
        let mut body = json!({"params": {"path": "a.txt", "content": "x"}});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.send(Request::post("/api/tools/write/invoke", &body).cookie(&cookie))
    };
    let asked = call(json!({})).await;
    assert_eq!(asked.status, 409, "{}", asked.text());
    document.ensure_said(invoke, &asked);
    document.ensure_valid(&json!({"$ref": "#/components/schemas/MustConfirm"}), &asked.json());
    // A ticket that has lapsed is no question any more.
    server.app.satchel.app.clock.advance(Duration::from_secs(3_600));
    let lapsed = call(json!({"ticket": asked.json()["ticket"]})).await;
    assert_eq!((lapsed.status, lapsed.json().get("ticket")), (409, None), "{}", lapsed.text());
    document.ensure_said(invoke, &lapsed);
}
