//! Memories over HTTP, as the console's page has them.

use serde_json::json;

use crate::support::http::{Request, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn the_page_keeps_finds_changes_and_forgets() {
    let server = TestServer::start().await;
    let owner = server.sign_in("owner").await;
    let send = async |request: Request| server.send(request.cookie(&owner)).await;
    let new = json!({"content": "Prefers tea", "category": "preference", "key": "drink"});
    let made = send(Request::post("/api/memories", &new)).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let made = made.json();
    let wanted = json!({"content": "Prefers tea", "category": "preference", "key": "drink", "layer": "fact"});
    for (key, value) in wanted.as_object().unwrap() {
        assert_eq!(&made[key], value);
    }
    send(Request::post("/api/memories", &json!({"content": "Lives in Bern"}))).await;
    let list = async |path: &str| {
        let found = send(Request::get(path)).await.json();
        found.as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(list("/api/memories").await, ["Lives in Bern", "Prefers tea"]);
    assert_eq!(list("/api/memories?q=tea").await, ["Prefers tea"]);
    let one = format!("/api/memories/{}", made["id"].as_str().unwrap());
    let change = json!({"content": "Drives a truck", "layer": "gist"});
    let changed = send(Request::new("PATCH", &one).json(&change)).await.json();
    let told = [&changed["content"], &changed["layer"], &changed["key"]];
    assert_eq!(list("/api/memories?layer=gist").await, ["Drives a truck"]);
    let export = send(Request::get("/api/memories/export")).await;
    assert_eq!(export.header("content-disposition"), Some("attachment; filename=\"memories.json\""));
    assert_eq!(export.json()[0]["merged_from"], json!([]));
    assert_eq!(told, [&json!("Drives a truck"), &json!("gist"), &json!("drink")]);
    assert_eq!(list("/api/memories?q=tea").await, Vec::<String>::new(), "the search follows");
    for wrong in [json!({"content": " "}), json!({"layer": "rumour"}), json!({"colour": 1}), json!({"key": "a\nb"})] {
        assert_eq!(send(Request::new("PATCH", &one).json(&wrong)).await.status, 400, "{wrong}");
    }
    let taken = json!({"key": "lives-in-bern"});
    assert_eq!(send(Request::new("PATCH", &one).json(&taken)).await.status, 409);
    assert_eq!(send(Request::new("DELETE", &one)).await.status, 204);
    assert_eq!(send(Request::new("DELETE", &one)).await.status, 404);
    assert_eq!(list("/api/memories").await, ["Lives in Bern"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_of_another_shows_and_changes_nothing() {
    let server = TestServer::start().await;
    server.add("mara", "viewer").await;
    let (owner, mara) = (server.sign_in("owner").await, server.sign_in("mara").await);
    let made =
        server.send(Request::post("/api/memories", &json!({"content": "heliotrope"})).cookie(&mara)).await.json();
    let one = format!("/api/memories/{}", made["id"].as_str().unwrap());
    let send = async |request: Request| server.send(request.cookie(&owner)).await;
    assert_eq!(send(Request::get("/api/memories?q=heliotrope")).await.json(), json!([]));
    assert_eq!(send(Request::get("/api/memories")).await.json(), json!([]));
    assert_eq!(send(Request::new("PATCH", &one).json(&json!({"content": "mine"}))).await.status, 404);
    assert_eq!(send(Request::new("DELETE", &one)).await.status, 404);
    let audit = send(Request::get("/api/audit?limit=100")).await.text();
    assert!(!audit.contains("heliotrope"), "{audit}");
    let own = server.send(Request::get("/api/memories").cookie(&mara)).await.json();
    assert_eq!(own[0]["content"], json!("heliotrope"));
}
