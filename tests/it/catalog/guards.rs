//! What an administrator let through as risky stays that, whoever else changes the catalog.

use serde_json::{Value, json};

use super::{super::support::http::Request, Connected};

/// A system in use, and an operator's way to change it.
struct Guarded {
    crm: Connected,
    operator: String,
}

impl Guarded {
    async fn start() -> Self {
        let crm = Connected::with(json!({"type": "none"})).await;
        crm.activate().await;
        crm.server.add("opal", "operator").await;
        let operator = crm.server.sign_in("opal").await;
        Self { crm, operator }
    }

    /// As the operator, under `/api/catalog`.
    async fn operates(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let request = Request::new(method, &format!("/api/catalog{path}")).cookie(&self.operator);
        let request = if body.is_null() { request } else { request.json(body) };
        let answer = self.crm.server.send(request).await;
        (answer.status, if answer.body.is_empty() { Value::Null } else { answer.json() })
    }

    /// The risk and whether it was let through.
    async fn counts(&self, id: &str) -> (Value, Value) {
        let shown = self.crm.ask("GET", &format!("/endpoints/{id}"), &Value::Null).await;
        (shown["effective_risk"].clone(), shown["reviewed"].clone())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_an_administrator_lowers_a_risk_or_moves_what_asks() {
    let guarded = Guarded::start().await;
    let wipe = json!({"name": "Wipe", "path": "/wipe", "risk": "high_write"});
    let id = guarded.crm.endpoint(wipe).await;
    let path = format!("/endpoints/{id}");
    assert_eq!(guarded.operates("PATCH", &path, &json!({"risk": "read", "description": "Empties it."})).await.0, 200);
    assert_eq!(guarded.counts(&id).await, (json!("high_write"), json!(true)));
    // Raising it leaves it let through: else it could be forgotten next.
    assert_eq!(guarded.operates("PATCH", &path, &json!({"risk": "destructive"})).await.0, 200);
    assert_eq!(guarded.counts(&id).await, (json!("destructive"), json!(true)));
    let socket = json!({"operation": {"protocol": "websocket"}});
    for (method, body) in [
        ("PATCH", json!({"path": "/elsewhere"})),
        ("PATCH", json!({"method": "POST"})),
        ("PATCH", socket),
        ("DELETE", Value::Null),
    ] {
        let (status, told) = guarded.operates(method, &path, &body).await;
        assert_eq!(status, 403, "{method} {body}");
        assert!(told["detail"].as_str().unwrap().contains("only an administrator"), "{told}");
    }
    guarded.crm.ask("PATCH", &path, &json!({"risk": "low_write", "path": "/elsewhere"})).await;
    assert_eq!(guarded.counts(&id).await, (json!("low_write"), json!(true)));
    // What does not ask may be moved and forgotten by those who keep the catalog.
    assert_eq!(guarded.operates("PATCH", &path, &json!({"path": "/again"})).await.0, 200);
    assert_eq!(guarded.counts(&id).await, (json!("low_write"), json!(false)));
    assert_eq!(guarded.operates("DELETE", &path, &Value::Null).await.0, 204);
    let own = json!({"name": "Own", "path": "/own", "risk": "destructive"});
    let (_, own) = guarded.operates("POST", &format!("/systems/{}/endpoints", guarded.crm.id), &own).await;
    let own = format!("/endpoints/{}", own["id"].as_str().unwrap());
    assert_eq!(guarded.operates("DELETE", &own, &Value::Null).await.0, 204);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_neither_lowers_nor_forgets_what_an_administrator_let_through() {
    let guarded = Guarded::start().await;
    let id = guarded.crm.endpoint(json!({"name": "Wipe", "path": "/wipe", "risk": "destructive"})).await;
    let operation = json!({"key": "GET /wipe", "group": null, "name": "Wipe", "protocol": "rest", "method": "GET",
        "path": "/wipe", "parameters": [], "description": "", "when_to_use": "", "risk": "read"});
    let order = |operations: Value, remove: Value| json!({"system_id": guarded.crm.id, "operations": operations, "remove": remove});
    let chosen = json!([{"operation": operation, "risk": "read"}]);
    let (status, told) = guarded.operates("POST", "/import/apply", &order(chosen.clone(), json!([]))).await;
    assert_eq!((status, &told["written"]), (200, &json!(1)), "{told}");
    assert_eq!(guarded.counts(&id).await, (json!("destructive"), json!(true)));
    let (status, told) = guarded.operates("POST", "/import/apply", &order(json!([]), json!([id]))).await;
    assert_eq!(status, 403, "{told}");
    guarded.crm.ask("POST", "/import/apply", &order(chosen, json!([]))).await;
    assert_eq!(guarded.counts(&id).await, (json!("read"), json!(true)));
}
