//! Systems: contracts of the five tools, permissions, status, credentials and where they are bound to.

use base64::Engine as _;
use satchel::{
    model::{call::Outcome, catalog::waiting::Verdict, error::Kind},
    services::catalog::change::Changing,
    store::{audit::Filter, people::Actor},
};
use serde_json::{Value, json};

use super::{super::support::app::TestApp, Connected};

const CANARY: &str = "canary-Secret/7+x~9";

#[tokio::test(flavor = "multi_thread")]
async fn a_system_is_registered_as_a_draft_and_changed_field_by_field() {
    let app = TestApp::start().await;
    let operator = app.caller(&["catalog:read", "catalog:write"]).await;
    let arguments = json!({"name": "Payment Gateway", "description": "Cards.", "base_url": "https://pay.example.org", "tags": "a, b,,a", "auth_type": "oauth2"});
    let made = app.data(&operator, "create_catalog_system", arguments).await.unwrap();
    assert_eq!(
        (&made["status"], &made["tags"], &made["auth_type"]),
        (&json!("draft"), &json!(["a", "b"]), &json!("oauth2"))
    );
    let id = made["id"].as_str().unwrap();
    let changed = app.data(&operator, "update_catalog_system", json!({"system_id": id, "tags": "c"})).await.unwrap();
    assert_eq!(
        (&changed["tags"], &changed["description"], &changed["name"]),
        (&json!(["c"]), &json!("Cards."), &json!("Payment Gateway"))
    );
    let endpoint = json!({"system_id": id, "name": "Get charge", "method": "GET", "path": "/charges/{id}"});
    let made = app.data(&operator, "create_system_endpoint", endpoint.clone()).await.unwrap();
    assert_eq!(
        (&made["risk_level"], &made["tool"]),
        (&json!("low_write"), &json!("catalog:payment_gateway.get_charge"))
    );
    let delete = json!({"system_id": id, "name": "Refund", "method": "DELETE", "path": "/charges/{id}"});
    let risky = app.data(&operator, "create_system_endpoint", delete).await.unwrap();
    assert_eq!(risky["risk_level"], "destructive");
    assert!(risky["note"].as_str().unwrap().starts_with("A call is destructive, not read: "), "{risky}");
    let twice = app.data(&operator, "create_system_endpoint", endpoint).await.unwrap_err();
    assert_eq!(twice.kind(), Kind::Conflict);
    let listed = app.data(&operator, "list_system_endpoints", json!({"system_id": "payment gateway"})).await.unwrap();
    assert_eq!(listed["endpoints"][0]["path"], "/charges/{id}");
    let status = app.data(&operator, "get_platform_status", json!({})).await.unwrap();
    assert_eq!((&status["systems"], &status["endpoints"]), (&json!(1), &json!(2)), "a draft is registered as well");
    let systems = app.data(&operator, "list_catalog_systems", json!({})).await.unwrap();
    assert_eq!(
        (&systems["count"], &systems["systems"][0]["base_url"]),
        (&json!(1), &json!("https://pay.example.org/"))
    );
    let again = app.data(&operator, "create_catalog_system", json!({"name": "payment gateway"})).await.unwrap_err();
    assert!(again.message().contains("already"), "{again}");
    let unknown = app.data(&operator, "list_system_endpoints", json!({"system_id": "crm-01"})).await.unwrap_err();
    assert!(unknown.message().contains("There are: Payment Gateway"), "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_viewer_reads_an_operator_writes_and_others_do_neither() {
    let app = TestApp::start().await;
    let (viewer, operator, nobody) = (
        app.caller(&["catalog:read"]).await,
        app.caller(&["catalog:read", "catalog:write"]).await,
        app.caller(&[]).await,
    );
    let create = json!({"name": "CRM"});
    assert_eq!(app.data(&viewer, "create_catalog_system", create.clone()).await.unwrap_err().kind(), Kind::NotFound);
    assert_eq!(app.data(&nobody, "list_catalog_systems", json!({})).await.unwrap_err().kind(), Kind::NotFound);
    app.data(&operator, "create_catalog_system", create).await.unwrap();
    assert_eq!(app.data(&viewer, "list_catalog_systems", json!({})).await.unwrap()["count"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_declared_transitions_are_made_and_only_by_an_administrator() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let path = format!("/systems/{}/status", crm.id);
    let (status, told) = crm.try_to("PUT", &path, &json!({"status": "disabled"})).await;
    assert_eq!(status, 409);
    assert!(told["detail"].as_str().unwrap().contains("it can only become active"), "{told}");
    for next in ["active", "degraded", "disabled", "active", "deprecated"] {
        assert_eq!(crm.ask("PUT", &path, &json!({"status": next})).await["status"], next);
    }
    assert_eq!(crm.try_to("PUT", &path, &json!({"status": "active"})).await.0, 409);
    crm.server.add("opal", "operator").await;
    let cookie = crm.server.sign_in("opal").await;
    let request = super::Request::new("PUT", &format!("/api/catalog{path}")).json(&json!({"status": "active"}));
    assert_eq!(crm.server.send(request.cookie(&cookie)).await.status, 403);
}

/// Five ways in which a secret may stand in a text.
fn forms(secret: &str) -> Vec<String> {
    vec![
        secret.to_owned(),
        base64::engine::general_purpose::STANDARD.encode(secret),
        hex::encode(secret),
        url::form_urlencoded::byte_serialize(secret.as_bytes()).collect(),
        serde_json::to_string(secret).unwrap().trim_matches('"').to_owned(),
    ]
}

fn require_clean(what: &str, text: &str) {
    for form in forms(CANARY) {
        assert!(!text.contains(&form), "{what} holds {form}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_stands_in_no_answer_no_audit_and_no_result() {
    let crm = Connected::with(json!({"type": "api_key", "in": "header", "name": "X-Key"})).await;
    assert_eq!(crm.credentials(json!({"api_key": CANARY})).await, json!({"api_key": "***"}));
    assert_eq!(crm.credentials(json!({"api_key": "***"})).await, json!({"api_key": "***"}));
    let endpoint = crm.endpoint(json!({"name": "Echo", "path": "/echo"})).await;
    crm.activate().await;
    // The system gives back all it was asked, the key in five encodings too.
    crm.system.plan(
        200,
        "Content-Type: application/json\nETag: canary-Secret/7+x~9",
        &json!(forms(CANARY)).to_string(),
    );
    let answered = crm.call("catalog:crm.echo", json!({})).await;
    assert_eq!(crm.system.asked()[0].header("x-key"), Some(CANARY));
    require_clean("the result", &answered.to_string());
    crm.system.plan(500, "Content-Type: text/plain", &forms(CANARY).join(" "));
    crm.system.plan(500, "Content-Type: text/plain", &forms(CANARY).join(" "));
    require_clean("a refusal", &crm.refused("catalog:crm.echo", json!({})).await);
    require_clean("a try", &crm.ask("POST", &format!("/endpoints/{endpoint}/test"), &json!({})).await.to_string());
    for path in ["/systems".to_owned(), format!("/systems/{}", crm.id), format!("/systems/{}/credentials", crm.id)] {
        require_clean(&path, &crm.ask("GET", &path, &Value::Null).await.to_string());
    }
    let rows = crm.server.app.satchel.app.stores.audit.find(Filter::default(), 500).await.unwrap();
    require_clean("the audit", &serde_json::to_string(&rows).unwrap());
    let files = tokio::fs::read(crm.server.app.dir.path().join("satchel.db")).await.unwrap();
    require_clean("the database", &String::from_utf8_lossy(&files));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_is_masked_as_a_number_and_however_a_server_escapes_it() {
    let crm = Connected::with(json!({"type": "api_key", "in": "header", "name": "X-Key"})).await;
    crm.endpoint(json!({"name": "Echo", "path": "/echo"})).await;
    crm.activate().await;
    crm.credentials(json!({"api_key": "8273645519"})).await;
    let numbers = r#"{"key": 8273645519, "list": [-8273645519, 8273645519.5, 8.273645519e9, 827364551]}"#;
    crm.system.plan(200, "Content-Type: application/json", numbers);
    let answered = crm.call("catalog:crm.echo", json!({})).await;
    assert_eq!(answered["body"], json!({"key": "***", "list": ["***", "***", "***", 827_364_551]}));
    crm.credentials(json!({"api_key": "p/<a>&\"b'+Q"})).await;
    for escaped in [
        r#"p\/<a>&\"b'+Q"#,
        r#"p/\u003ca\u003e\u0026\"b'+Q"#,
        r#"p\/\u003Ca\u003E\u0026\u0022b\u0027\u002BQ"#,
        "p/&lt;a&gt;&amp;&#34;b&#39;+Q",
        "p&#x2F;&lt;a&gt;&amp;&quot;b&#x27;+Q",
        "p/&lt;a&gt;&amp;&quot;b&#039;+Q",
        "p/&lt;a&gt;&amp;&quot;b&apos;+Q",
        "p%2f%3ca%3E&%22b'%2bQ",
    ] {
        crm.system.plan(200, "Content-Type: text/plain", &format!("<p>Bad key {escaped}!</p>"));
        let answered = crm.call("catalog:crm.echo", json!({})).await;
        assert_eq!(answered["body"], "<p>Bad key ***!</p>", "{escaped}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_does_not_follow_to_another_host_and_a_model_cannot_lead_an_active_system_elsewhere() {
    let crm = Connected::with(json!({"type": "bearer"})).await;
    crm.credentials(json!({"token": CANARY})).await;
    crm.endpoint(json!({"name": "Echo", "path": "/echo"})).await;
    crm.activate().await;
    let path = format!("/systems/{}", crm.id);
    // The same host, another path: the secret stays.
    let base = crm.system.url("/v2");
    assert_eq!(crm.ask("PATCH", &path, &json!({"base_url": base})).await["secrets_gone"], false);
    let operator = crm.server.app.caller(&["catalog:read", "catalog:write"]).await;
    let elsewhere = json!({"system_id": "CRM", "base_url": "https://evil.example"});
    let asked = crm.server.app.call(&operator, "update_catalog_system", elsewhere).await.unwrap();
    assert!(matches!(asked, Outcome::Confirm(_)), "another address is asked about");
    let by = Actor { caller: operator, ..crm.owner().await };
    let elsewhere = serde_json::from_value(json!({"base_url": "https://evil.example"})).unwrap();
    let led = crm.catalog().change(&by, crm.id.parse().unwrap(), elsewhere).await.unwrap();
    assert!(led.switched_off && led.secrets_gone, "who may not activate a system switches it off");
    // Led back, it has no secret any more.
    let back = crm.ask("PATCH", &path, &json!({"base_url": base})).await;
    assert_eq!(back["secrets"][0]["set"], false);
    crm.activate().await;
    let told = crm.refused("catalog:crm.echo", json!({})).await;
    assert!(told.contains("has no token for its present address"), "{told}");
    assert!(crm.system.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_a_model_adds_to_a_system_in_use_is_no_less_risky_than_its_method() {
    let crm = Connected::with(json!({"type": "none"})).await;
    crm.activate().await;
    let operator = crm.server.app.caller(&["catalog:read", "catalog:write"]).await;
    let endpoint =
        json!({"system_id": "CRM", "name": "Purge", "method": "DELETE", "path": "/all", "risk_level": "read"});
    crm.server.app.data(&operator, "create_system_endpoint", endpoint).await.unwrap();
    let unknown = crm.server.app.call(&operator, "catalog:crm.purge", json!({})).await.unwrap_err();
    assert_eq!(unknown.kind(), Kind::NotFound, "nobody has reviewed it");
    let directory = crm.catalog().get();
    let written = directory.find("CRM").unwrap().matching("delete", "/ALL/").unwrap();
    let (endpoint, read) = (written.id, written.waiting.as_ref().unwrap().at);
    let by = Actor { caller: operator.clone(), ..crm.owner().await };
    let changing = Changing::new(&crm.server.app.satchel.invoker, by);
    changing.review_endpoint(endpoint, read, Verdict::Approve).await.unwrap();
    let asked = crm.server.app.call(&operator, "catalog:crm.purge", json!({})).await.unwrap();
    assert!(matches!(asked, Outcome::Confirm(_)), "a deletion ran without a question");
    assert!(crm.system.asked().is_empty());
    crm.ask("PATCH", &format!("/endpoints/{endpoint}"), &json!({"risk": "low_write"})).await;
    crm.server.app.data(&operator, "catalog:crm.purge", json!({})).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalog_survives_a_restart() {
    let app = TestApp::start().await;
    let operator = app.caller(&["catalog:read", "catalog:write"]).await;
    app.data(&operator, "create_catalog_system", json!({"name": "CRM", "base_url": "https://a.example/x"}))
        .await
        .unwrap();
    let endpoint = json!({"system_id": "CRM", "name": "Get", "method": "GET", "path": "/a/{b}"});
    app.data(&operator, "create_system_endpoint", endpoint).await.unwrap();
    let before = app.satchel.app.stores.catalog.get().all().to_vec();
    let app = app.restart().await;
    assert_eq!(app.satchel.app.stores.catalog.get().all(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_may_be_empty_and_a_user_name_secret() {
    let crm = Connected::with(json!({"type": "basic"})).await;
    let set = crm.credentials(json!({"password": "", "username": CANARY})).await;
    assert_eq!(set, json!({"username": "***", "password": "***"}));
    let detail = crm.ask("GET", &format!("/systems/{}", crm.id), &Value::Null).await;
    let told: Vec<_> = detail["secrets"].as_array().unwrap().iter().map(|one| (&one["name"], &one["set"])).collect();
    assert_eq!(told, [(&json!("username"), &json!(true)), (&json!("password"), &json!(true))]);
    assert!(!detail.to_string().contains(CANARY), "{detail}");
    let path = format!("/systems/{}/credentials", crm.id);
    let (status, refused) = crm.try_to("PUT", &path, &json!({"username": "a:b"})).await;
    assert!(status == 400 && refused.to_string().contains("no colon"), "{status} {refused}");
    let gone = crm.credentials(json!({"password": null, "username": ""})).await;
    assert_eq!(gone, json!({"username": null, "password": null}));
}
