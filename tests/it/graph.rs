//! The graph: what is put into it, what lies around a node, and who sees what.

use satchel::model::error::Kind;
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    chat::Chat,
    http::{Request, TestServer},
};

#[tokio::test]
async fn a_node_is_made_changed_and_read() {
    let app = TestApp::start().await;
    let root = app.caller(&["*"]).await;
    let put = async |arguments: Value| app.data(&root, "graph_upsert_node", arguments).await.unwrap();
    let get = async |id: &str| app.data(&root, "graph_get_node", json!({"id": id})).await.unwrap();
    assert_eq!(
        put(json!({"id": "a", "labels": ["Person", "Person"], "props": {"name": "Anna", "age": 30}})).await,
        json!({"ok": true})
    );
    put(json!({"id": "a", "props": {"age": null, "team": {"name": "sales"}}})).await;
    assert_eq!(
        get("a").await,
        json!({"id": "a", "labels": ["Person"], "props": {"name": "Anna", "team": {"name": "sales"}}})
    );
    put(json!({"id": "a", "labels": []})).await;
    assert_eq!(get("a").await["labels"], json!([]));
    let error = app.data(&root, "graph_get_node", json!({"id": "b"})).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (Kind::NotFound, "There is no node 'b' in the graph."));
}

#[tokio::test]
async fn neighbors_are_outbound_and_of_one_relation() {
    let app = TestApp::start().await;
    let root = app.caller(&["*"]).await;
    for (src, rel, dst) in
        [("a", "knows", "c"), ("a", "knows", "b"), ("a", "owns", "d"), ("e", "knows", "a"), ("a", "knows", "b")]
    {
        let edge = json!({"src": src, "rel": rel, "dst": dst});
        assert_eq!(app.data(&root, "graph_upsert_edge", edge).await.unwrap(), json!({"ok": true}));
    }
    let near = async |id: &str, rel: &str| {
        app.data(&root, "graph_neighbors", json!({"id": id, "rel": rel})).await.unwrap()["neighbors"].clone()
    };
    assert_eq!(near("a", "knows").await, json!(["b", "c"]));
    assert_eq!(near("a", "owns").await, json!(["d"]));
    assert_eq!(near("b", "knows").await, json!([]));
    let error = app.data(&root, "graph_neighbors", json!({"id": "z", "rel": "knows"})).await.unwrap_err();
    assert_eq!(error.kind(), Kind::NotFound);
}

#[tokio::test]
async fn what_cannot_be_put_is_said_and_changes_nothing() {
    let app = TestApp::start().await;
    let root = app.caller(&["*"]).await;
    let large = json!({"text": "x".repeat(70_000)});
    for (tool, arguments) in [
        ("graph_upsert_node", json!({"id": " "})),
        ("graph_upsert_node", json!({"id": "a", "labels": [""]})),
        ("graph_upsert_node", json!({"id": "a", "labels": (0..21).map(|n| format!("l{n}")).collect::<Vec<_>>()})),
        ("graph_upsert_node", json!({"id": "a", "props": large})),
        ("graph_upsert_node", json!({"id": "a", "props": []})),
        ("graph_upsert_node", json!({"id": "x".repeat(501)})),
        ("graph_upsert_edge", json!({"src": "a", "rel": "", "dst": "b"})),
        ("graph_upsert_edge", json!({"src": "a", "rel": "r", "dst": "b", "props": large})),
    ] {
        let error = app.data(&root, tool, arguments).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid, "{error}");
    }
    assert_eq!(app.data(&root, "graph_get_node", json!({"id": "a"})).await.unwrap_err().kind(), Kind::NotFound);
}

#[tokio::test]
async fn reading_and_writing_the_graph_need_their_permissions() {
    let app = TestApp::start().await;
    let (reader, nobody) = (app.caller(&["index:read"]).await, app.caller(&[]).await);
    for (caller, tool, arguments) in [
        (&reader, "graph_upsert_node", json!({"id": "a"})),
        (&reader, "graph_upsert_edge", json!({"src": "a", "rel": "r", "dst": "b"})),
        (&nobody, "graph_get_node", json!({"id": "a"})),
        (&nobody, "graph_neighbors", json!({"id": "a", "rel": "r"})),
    ] {
        assert_eq!(app.data(caller, tool, arguments).await.unwrap_err().kind(), Kind::Denied, "{tool}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_explorer_finds_nodes_and_walks_from_them() {
    let server = TestServer::start().await;
    let app = &server.app;
    let root = app.caller(&["*"]).await;
    for n in 0..5 {
        let edge = json!({"src": format!("n{n}"), "rel": "next", "dst": format!("n{}", n + 1)});
        app.data(&root, "graph_upsert_edge", edge).await.unwrap();
    }
    app.data(&root, "graph_upsert_edge", json!({"src": "n0", "rel": "likes", "dst": "tea/green 100%"})).await.unwrap();
    app.data(&root, "graph_upsert_node", json!({"id": "n1", "labels": ["Hub"], "props": {"name": "The hub"}}))
        .await
        .unwrap();
    let owner = server.sign_in("owner").await;
    let get = async |path: &str| server.send(Request::get(path).cookie(&owner)).await;
    let ids = |value: &Value| {
        value.as_array().unwrap().iter().map(|n| n["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&get("/api/graph/nodes?q=HUB").await.json()), ["n1"]);
    assert_eq!(ids(&get("/api/graph/nodes?label=Hub").await.json()), ["n1"]);
    assert_eq!(ids(&get("/api/graph/nodes?limit=2").await.json()), ["n0", "n2"], "those with the most edges, by name");
    assert_eq!(ids(&get("/api/graph/nodes?q=%25").await.json()), ["tea/green 100%"]);
    let odd = get("/api/graph/nodes/tea%2Fgreen%20100%25").await;
    assert_eq!((odd.status, odd.json()["degree"].clone()), (200, json!(1)), "{}", odd.text());
    let around = get("/api/graph/nodes/n2/neighbors?depth=2&rel=next").await.json();
    assert_eq!(ids(&around["nodes"]), ["n2", "n3", "n1", "n4", "n0"]);
    assert_eq!((around["edges"].as_array().unwrap().len(), &around["truncated"]), (4, &json!(false)));
    for wrong in
        ["/api/graph/nodes/n2/neighbors?depth=0", "/api/graph/nodes/n2/neighbors?depth=5", "/api/graph/nodes?limit=x"]
    {
        assert_eq!(get(wrong).await.status, 400, "{wrong}");
    }
    assert_eq!(get("/api/graph/nodes/none/neighbors").await.status, 404);
    let overview = get("/api/graph/overview").await.json();
    let told = (&overview["nodes"], &overview["edges"], &overview["labels"], &overview["relations"][0]);
    assert_eq!(
        told,
        (&json!(7), &json!(6), &json!([{"name": "Hub", "count": 1}]), &json!({"name": "next", "count": 5}))
    );
    assert_eq!(overview["hubs"]["edges"].as_array().unwrap().len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_neighbourhood_is_bounded_and_says_so() {
    let chat = Chat::start(vec![]).await;
    let root = chat.app.caller(&["*"]).await;
    for n in 0..250 {
        let edge = json!({"src": "middle", "rel": "to", "dst": format!("n{n}")});
        chat.app.data(&root, "graph_upsert_edge", edge).await.unwrap();
    }
    let around = chat.owner.do_it("GET", "/api/graph/nodes/middle/neighbors?depth=4", Value::Null).await;
    assert_eq!((around["nodes"].as_array().unwrap().len(), &around["truncated"]), (200, &json!(true)));
}
