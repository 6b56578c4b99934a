//! Endpoints as tools: found by need, called with credentials, at their pace, and never outside their base URL.

use serde_json::{Value, json};

use super::Connected;

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_of_an_active_system_is_a_tool_that_is_found_and_called() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let parameters = json!([
        {"name": "expand", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
        {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
        {"name": "body", "in": "body", "required": true, "schema": {"type": "object", "properties": {"note": {"type": "string"}}}},
    ]);
    let endpoint = json!({
        "name": "Add invoice note", "method": "POST", "path": "/invoices/{id}/notes", "parameters": parameters, "risk": "low_write",
        "description": "Leaves a note on an invoice.", "when_to_use": "Somebody wants to comment an invoice.",
    });
    crm.endpoint(endpoint).await;
    let draft = crm.refused("catalog:crm.add_invoice_note", json!({"id": "7", "body": {}})).await;
    assert!(draft.contains("no tool"), "{draft}");
    crm.activate().await;
    let found = crm.call("find_tools", json!({"query": "comment an invoice"})).await;
    assert!(found.to_string().contains("catalog:crm.add_invoice_note"), "{found}");
    let arguments = json!({"id": "a/b ü", "expand": ["x", "y z"], "X-Trace": "t1", "body": {"note": "ok"}});
    let answered = crm.call("catalog:crm.add_invoice_note", arguments).await;
    assert_eq!((&answered["status"], &answered["format"]), (&json!(200), &json!("json")));
    let asked = crm.system.asked().remove(0);
    assert_eq!(
        (asked.method.as_str(), asked.target.as_str()),
        ("POST", "/api/invoices/a%2Fb%20%C3%BC/notes?expand=x&expand=y+z")
    );
    assert_eq!((asked.body.as_str(), asked.header("x-trace")), (r#"{"note":"ok"}"#, Some("t1")));
    assert!(crm.refused("catalog:crm.add_invoice_note", json!({"id": "..", "body": {}})).await.contains("lead out"));
    assert!(crm.refused("catalog:crm.add_invoice_note", json!({"body": {}})).await.contains("id"));
    assert_eq!(crm.system.asked().len(), 1);
    crm.ask("PUT", &format!("/systems/{}/status", crm.id), &json!({"status": "disabled"})).await;
    assert!(crm.refused("catalog:crm.add_invoice_note", json!({"id": "7", "body": {}})).await.contains("no tool"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_credential_arrives_where_it_belongs() {
    for (auth, secrets, header, wanted) in [
        (json!({"type": "api_key", "name": "X-K"}), json!({"api_key": "k-123456"}), "x-k", "k-123456"),
        (json!({"type": "bearer"}), json!({"token": "t-123456"}), "authorization", "Bearer t-123456"),
        (
            json!({"type": "basic", "username": "u"}),
            json!({"password": "p-123456"}),
            "authorization",
            "Basic dTpwLTEyMzQ1Ng==",
        ),
        (json!({"type": "basic", "username": "u"}), json!({"password": ""}), "authorization", "Basic dTo="),
        (
            json!({"type": "basic", "username": "u"}),
            json!({"username": "sk-123456", "password": ""}),
            "authorization",
            "Basic c2stMTIzNDU2Og==",
        ),
    ] {
        let crm = Connected::with(auth).await;
        crm.endpoint(json!({"name": "Echo", "path": "/echo"})).await;
        crm.activate().await;
        assert!(crm.refused("catalog:crm.echo", json!({})).await.contains("administrator enters it"));
        crm.credentials(secrets).await;
        let answered = crm.call("catalog:crm.echo", json!({})).await;
        assert_eq!(crm.system.asked()[0].header(header), Some(wanted));
        assert!(!answered.to_string().contains("123456"), "{answered}");
    }
    let crm = Connected::with(json!({"type": "api_key", "in": "query", "name": "key"})).await;
    crm.endpoint(json!({"name": "Echo", "path": "/echo"})).await;
    crm.credentials(json!({"api_key": "k&123456"})).await;
    crm.activate().await;
    let answered = crm.call("catalog:crm.echo", json!({})).await;
    assert_eq!(crm.system.asked()[0].target, "/api/echo?key=k%26123456");
    assert!(!answered.to_string().contains("123456"), "{answered}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_fetched_once_renewed_when_refused_and_its_refresh_token_kept() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let token_url = crm.system.url("/token");
    let auth = json!({"type": "oauth2", "grant": "refresh_token", "token_url": token_url, "client_id": "me", "scopes": ["a", "b"]});
    crm.ask("PATCH", &format!("/systems/{}", crm.id), &json!({"auth": auth})).await;
    crm.credentials(json!({"refresh_token": "refresh-1", "client_secret": "secret-1"})).await;
    crm.endpoint(json!({"name": "Echo", "path": "/echo"})).await;
    crm.activate().await;
    let grant = |token: &str, refresh: &str| {
        json!({"access_token": token, "token_type": "bearer", "expires_in": 3600, "refresh_token": refresh}).to_string()
    };
    crm.system.plan(200, "Content-Type: application/json", &grant("token-one", "refresh-2"));
    for _ in 0..2 {
        crm.call("catalog:crm.echo", json!({})).await;
    }
    let asked = crm.system.asked();
    assert_eq!(asked.iter().map(|one| one.target.as_str()).collect::<Vec<_>>(), ["/token", "/api/echo", "/api/echo"]);
    assert_eq!(asked[0].header("authorization"), Some("Basic bWU6c2VjcmV0LTE="));
    assert_eq!(asked[0].body, "grant_type=refresh_token&refresh_token=refresh-1&scope=a+b");
    assert_eq!(asked[2].header("authorization"), Some("Bearer token-one"));
    // The token is taken back before its time.
    crm.system.plan(401, "", "");
    crm.system.plan(200, "Content-Type: application/json", &grant("token-two", "refresh-3"));
    crm.call("catalog:crm.echo", json!({})).await;
    let asked = crm.system.asked();
    assert!(asked[4].body.contains("refresh_token=refresh-2"), "{}", asked[4].body);
    assert_eq!(asked[5].header("authorization"), Some("Bearer token-two"));
    crm.server.app.satchel.app.net.calling.drop_token("other");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_system_is_asked_again_only_where_that_does_nothing_twice() {
    let crm = Connected::with(json!({"type": "none"})).await;
    crm.endpoint(json!({"name": "Get", "path": "/a"})).await;
    crm.endpoint(json!({"name": "Post", "path": "/a", "method": "POST", "risk": "low_write"})).await;
    crm.activate().await;
    crm.system.plan(503, "Retry-After: 0", "");
    crm.system.plan(429, "", "");
    assert_eq!(crm.call("catalog:crm.get", json!({})).await["status"], 200);
    assert_eq!(crm.system.asked().len(), 3);
    crm.system.plan(503, "", "later");
    let told = crm.refused("catalog:crm.post", json!({})).await;
    assert_eq!(told, "CRM answered 503: later");
    assert_eq!(crm.system.asked().len(), 4);
    crm.system.plan(503, "Retry-After: 3600", "");
    crm.refused("catalog:crm.get", json!({})).await;
    assert_eq!(crm.system.asked().len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_limit_holds_for_all_callers_together() {
    let crm = Connected::with(json!({"type": "none"})).await;
    crm.endpoint(json!({"name": "Get", "path": "/a"})).await;
    crm.ask("PATCH", &format!("/systems/{}", crm.id), &json!({"rate_limit": {"calls": 2, "seconds": 3600}})).await;
    crm.activate().await;
    for _ in 0..2 {
        crm.call("catalog:crm.get", json!({})).await;
    }
    assert!(crm.refused("catalog:crm.get", json!({})).await.starts_with("CRM may be called 2 times in 3600 s"));
    assert_eq!(crm.system.asked().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_read_by_what_they_are_and_a_private_address_needs_an_exception() {
    let crm = Connected::with(json!({"type": "none"})).await;
    crm.endpoint(json!({"name": "Get", "path": "/a"})).await;
    crm.activate().await;
    for (media, body, format, wanted) in [
        ("text/xml", "<o><i>1</i><i>2</i></o>", "xml", json!({"o": {"i": ["1", "2"]}})),
        ("text/csv", "a,b\n1,2\n", "csv", json!([{"a": "1", "b": "2"}])),
        ("text/plain", "hello", "text", json!("hello")),
    ] {
        crm.system.plan(200, &format!("Content-Type: {media}\nSet-Cookie: session=1"), body);
        let answered = crm.call("catalog:crm.get", json!({})).await;
        assert_eq!((&answered["format"], &answered["body"]), (&json!(format), &wanted));
        assert!(answered["headers"].get("set-cookie").is_none());
    }
    crm.server.app.set(json!({"outbound": {"exceptions": []}})).await;
    let told = crm.refused("catalog:crm.get", json!({})).await;
    assert!(told.contains(&format!("allow '{}' in the settings", crm.system.address)), "{told}");
    let detail = crm.ask("GET", &format!("/systems/{}", crm.id), &Value::Null).await;
    assert!(detail["unreachable"].as_str().unwrap().contains("outbound exceptions"), "{detail}");
}

#[tokio::test(flavor = "multi_thread")]
async fn graphql_and_soap_endpoints_are_called_in_their_own_way() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let variable =
        |name: &str| json!([{"name": name, "in": "variable", "required": true, "schema": {"type": "string"}}]);
    let query = "query user($id: ID!) { user(id: $id) { name } }";
    crm.endpoint(json!({"name": "User", "path": "/graphql", "risk": "read", "parameters": variable("id"), "operation": {"protocol": "graphql", "query": query}})).await;
    let soap = json!({"protocol": "soap", "action": "urn:Get", "element": "Get", "namespace": "urn:crm"});
    crm.endpoint(
        json!({"name": "Old", "path": "/soap", "risk": "read", "parameters": variable("number"), "operation": soap}),
    )
    .await;
    crm.activate().await;
    let answer = json!({"data": {"user": {"name": "Ada"}}}).to_string();
    crm.system.plan(200, "Content-Type: application/json", &answer);
    crm.call("catalog:crm.user", json!({"id": "7"})).await;
    let envelope = "<Envelope xmlns=\"http://schemas.xmlsoap.org/soap/envelope/\"><Body><Got/></Body></Envelope>";
    crm.system.plan(200, "Content-Type: text/xml", envelope);
    crm.call("catalog:crm.old", json!({"number": "<7>"})).await;
    let asked = crm.system.asked();
    assert_eq!(
        serde_json::from_str::<Value>(&asked[0].body).unwrap(),
        json!({"query": query, "variables": {"id": "7"}})
    );
    assert!(asked[1].body.contains("<Get xmlns=\"urn:crm\"><number>&lt;7&gt;</number></Get>"), "{}", asked[1].body);
    assert_eq!(asked[1].header("soapaction"), Some("\"urn:Get\""));
    crm.system.plan(
        200,
        "Content-Type: application/json",
        &json!({"errors": [{"message": "no such user"}]}).to_string(),
    );
    let refused = crm.refused("catalog:crm.user", json!({"id": "8"})).await;
    assert!(refused.contains("no such user"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graphql_answer_without_what_was_asked_for_is_a_failure_that_says_whether_it_ran() {
    let crm = Connected::with(json!({"type": "none"})).await;
    for (name, query) in
        [("Read", "query a { user { name friend { name } } }"), ("Write", "mutation b { pay { total } }")]
    {
        let operation = json!({"protocol": "graphql", "query": query});
        crm.endpoint(json!({"name": name, "path": "/graphql", "risk": "read", "operation": operation})).await;
    }
    crm.activate().await;
    let plan = |data: Value, path: Value| {
        let answer = json!({"data": data, "errors": [{"message": "broken", "path": path}]});
        crm.system.plan(200, "Content-Type: application/json", &answer.to_string());
    };
    plan(json!({"user": null}), json!(["user", "name"]));
    assert_eq!(crm.refused("catalog:crm.read", json!({})).await, "CRM refused the operation: broken (at user.name)");
    plan(json!({"user": {"name": "Ada", "friend": null}}), json!(["user", "friend"]));
    let part = crm.call("catalog:crm.read", json!({})).await;
    assert_eq!((&part["data"]["user"]["name"], &part["errors"][0]["message"]), (&json!("Ada"), &json!("broken")));
    plan(Value::Null, json!(["pay", "total"]));
    let told = crm.refused("catalog:crm.write", json!({})).await;
    assert!(told.contains("may have been carried out") && told.ends_with("broken (at pay.total)"), "{told}");
    crm.system.plan(400, "Content-Type: application/json", r#"{"errors": [{"message": "no such field"}]}"#);
    let told = crm.refused("catalog:crm.write", json!({})).await;
    assert_eq!(told, "CRM refused the operation: no such field");
}
