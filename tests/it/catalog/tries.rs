//! Trying an endpoint out through the console's route, in every protocol, against real servers; and asking a gRPC system
//! what it offers.

use serde_json::{Value, json};

use crate::support::{
    http::TestServer,
    remote::{
        grpc::{Reflection, start as grpc},
        services::{customers, orders, products},
        systems::{allow, draft, endpoint},
        ws::Talker,
    },
};

/// Returns the result of trying a new endpoint of a draft at this address.
async fn tried(server: &TestServer, url: &str, said: Value, arguments: Value) -> Value {
    let number = server.app.satchel.app.stores.catalog.get().all().len();
    let system = draft(&server.app, &format!("System {number}"), url, json!({})).await;
    let endpoint = endpoint(&server.app, &system, said).await;
    let path = format!("/api/catalog/endpoints/{}/test", endpoint.id);
    server.owner("POST", &path, &json!({"arguments": arguments})).await
}

fn variables(names: &[&str]) -> Value {
    names.iter().map(|name| json!({"name": name, "in": "variable", "schema": {}})).collect()
}

fn outcome(trial: &Value) -> (&Value, &Value, &Value) {
    (&trial["ok"], &trial["status"], &trial["format"])
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_tried_and_what_is_refused_with_a_good_status_is_no_success() {
    let server = TestServer::start().await;
    let rest = customers().await;
    let get = json!({"name": "One", "path": "/customers/{id}"});
    let trial = tried(&server, &rest.url(), get.clone(), json!({"id": "1042"})).await;
    assert_eq!(
        (outcome(&trial), &trial["body"]["name"]),
        ((&json!(true), &json!(200), &json!("json")), &json!("Zoë Anders"))
    );
    let trial = tried(&server, &rest.url(), get, json!({"id": "7"})).await;
    assert_eq!(outcome(&trial), (&json!(false), &json!(404), &json!("json")));
    let graphql =
        |query: &str| json!({"name": "Query", "path": "/", "operation": {"protocol": "graphql", "query": query}});
    let shop = products().await;
    let trial = tried(&server, &shop.url(), graphql("{ products { id } }"), json!({})).await;
    assert_eq!(
        (outcome(&trial), &trial["body"]["data"]["products"][0]["name"]),
        ((&json!(true), &json!(200), &json!("json")), &json!("Tea"))
    );
    let trial = tried(&server, &shop.url(), graphql("{ secret }"), json!({})).await;
    assert_eq!(outcome(&trial), (&json!(false), &json!(200), &json!("json")));
    assert!(trial["message"].as_str().unwrap().contains("not yours"), "{trial}");
    for version in ["1.1", "1.2"] {
        let soap = |action: &str| {
            json!({"name": action, "path": "/", "parameters": variables(&["number"]), "operation":
                {"protocol": "soap", "action": format!("urn:orders#{action}"), "element": action, "namespace": "urn:orders", "version": version}})
        };
        let service = orders(version).await;
        let trial = tried(&server, &service.url(), soap("Status"), json!({"number": "7"})).await;
        assert_eq!(outcome(&trial), (&json!(true), &json!(200), &json!("xml")), "{version}: {trial}");
        assert!(trial["body"].to_string().contains("shipped"), "{trial}");
        let trial = tried(&server, &service.url(), soap("Cancel"), json!({"number": "7"})).await;
        assert!(trial["ok"] == false && trial["message"].as_str().unwrap().contains("Too late"), "{version}: {trial}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn grpc_and_websockets_are_tried_too() {
    let server = TestServer::start().await;
    let service = format!("http://{}", grpc(Reflection::V1).await);
    let method = |rpc: &str| {
        json!({"name": rpc, "path": format!("/echo.v1.Echo/{rpc}"), "parameters": variables(&["text", "times"]),
            "operation": {"protocol": "grpc", "service": "echo.v1.Echo", "rpc": rpc}})
    };
    let trial = tried(&server, &service, method("Say"), json!({"text": "Zoë"})).await;
    assert_eq!(outcome(&trial), (&json!(true), &Value::Null, &json!("json")), "{trial}");
    assert_eq!(trial["body"]["message"]["question"]["text"], "Zoë");
    let trial = tried(&server, &service, method("Count"), json!({"times": 3})).await;
    assert_eq!(trial["body"]["messages"].as_array().map(Vec::len), Some(3), "{trial}");
    let trial = tried(&server, &service, method("Fail"), json!({"times": 9})).await;
    assert_eq!((&trial["ok"], &trial["body"]["code"]), (&json!(false), &json!(9)));
    assert!(trial["message"].as_str().unwrap().contains("FAILED_PRECONDITION"), "{trial}");
    let talker = format!("http://{}", Talker::start().await.address);
    let socket = |path: &str| {
        json!({"name": "Talk", "path": path, "operation": {"protocol": "websocket"}, "parameters":
            [{"name": "body", "in": "body", "schema": {"type": "string"}}]})
    };
    let trial = tried(&server, &talker, socket("/feed"), json!({"body": "answer and close"})).await;
    assert_eq!((&trial["ok"], &trial["body"]["messages"]), (&json!(true), &json!(["done"])), "{trial}");
    let trial = tried(&server, &talker, socket("/refused"), json!({"body": "x"})).await;
    assert!(trial["ok"] == false && !trial["message"].as_str().unwrap().is_empty(), "{trial}");
    let audit = server.owner("GET", "/api/audit?limit=50", &Value::Null).await.to_string();
    assert_eq!(audit.matches("catalog.endpoint.test").count(), 5, "each try is written down");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grpc_system_is_asked_what_it_offers_and_what_is_chosen_is_called() {
    let server = TestServer::start().await;
    for reflection in [Reflection::V1, Reflection::V1Alpha] {
        let url = format!("http://{}", grpc(reflection).await);
        allow(&server.app, &url).await;
        let source = json!({"source": {"url": url, "grpc": true}});
        let shown = server.owner("POST", "/api/catalog/import/preview", &source).await;
        assert_eq!(
            (&shown["format"], &shown["base_url"]),
            (&json!("gRPC reflection (native)"), &json!(format!("{url}/")))
        );
        let rows = shown["operations"].as_array().unwrap();
        let say = rows.iter().find(|row| row["operation"]["key"] == "/echo.v1.Echo/Say").unwrap();
        assert_eq!((&say["operation"]["risk"], say["tokens"].as_u64() > Some(0)), (&json!("high_write"), true));
        let name = format!("Echo {}", server.app.satchel.app.stores.catalog.get().all().len());
        let order = json!({"system": {"name": name, "base_url": url}, "format": shown["format"],
            "operations": [{"operation": say["operation"], "risk": "read"}]});
        let applied = server.owner("POST", "/api/catalog/import/apply", &order).await;
        let id = applied["system_id"].as_str().unwrap();
        server.owner("PUT", &format!("/api/catalog/systems/{id}/status"), &json!({"status": "active"})).await;
        let tool = format!("catalog:{}.say", name.to_lowercase().replace(' ', "_"));
        let owner = server.app.owner().await.caller;
        let data = server.app.data(&owner, &tool, json!({"text": "hello"})).await.unwrap();
        assert_eq!(data["message"]["question"]["text"], "hello");
    }
    let none = format!("http://{}", grpc(Reflection::None).await);
    allow(&server.app, &none).await;
    let cookie = server.sign_in("owner").await;
    let ask = json!({"source": {"url": none, "grpc": true}});
    let request = crate::support::http::Request::post("/api/catalog/import/preview", &ask).cookie(&cookie);
    let answer = server.send(request).await;
    assert!(answer.status == 502 && answer.text().contains("reflection"), "{} {}", answer.status, answer.text());
}
