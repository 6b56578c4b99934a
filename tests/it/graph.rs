//! The graph: what is put into it, what lies around a node, and who sees what.

use satchel::{model::error::Kind, store::graph::Graph};
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    chat::{Chat, Person},
    fake_llm::{PATIENCE, say},
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
        assert_eq!(app.data(caller, tool, arguments).await.unwrap_err().kind(), Kind::NotFound, "{tool}");
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

/// Asks until the answer holds, for a while.
async fn until(asker: &Person, path: &str, holds: impl Fn(u16, &Value) -> bool) -> Value {
    let asking = async {
        loop {
            let (status, answer) = asker.ask("GET", path, Value::Null).await;
            if holds(status, &answer) {
                return answer;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, asking).await.unwrap_or_else(|_| panic!("{path} did not come to hold"))
}

async fn put(owner: &Person, document: Value) -> String {
    let added = owner.do_it("POST", "/api/knowledge/documents", document).await;
    format!("document:{}", added["id"].as_str().unwrap())
}

/// Returns what leads from a node, as `relation id`.
async fn leads(asker: &Person, id: &str) -> Vec<String> {
    let around = asker.do_it("GET", &format!("/api/graph/nodes/{id}/neighbors"), Value::Null).await;
    let edges = around["edges"].as_array().unwrap().iter().filter(|edge| edge["src"] == id);
    let mut leads: Vec<String> =
        edges.map(|edge| format!("{} {}", edge["rel"].as_str().unwrap(), edge["dst"].as_str().unwrap())).collect();
    leads.sort();
    leads
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_read_for_links_and_for_mentions_of_each_other() {
    let chat = Chat::start(vec![]).await;
    let owner = &chat.owner;
    let early = put(owner, json!({"title": "Budget 2026", "text": "The travel policy sets the limits."})).await;
    until(owner, &format!("/api/graph/nodes/{early}"), |status, _| status == 200).await;
    let text = "# Trains\n\nSee https://rail.example/fares. It follows Budget 2026.";
    let late = put(owner, json!({"title": "Travel policy", "text": text})).await;
    let both = |status: u16, node: &Value| status == 200 && node["degree"].as_u64() > Some(2);
    until(owner, &format!("/api/graph/nodes/{late}"), both).await;
    let found = leads(owner, &late).await;
    for wanted in ["links_to page:https://rail.example/fares".to_owned(), format!("mentions {early}")] {
        assert!(found.contains(&wanted), "{wanted} is not among {found:?}");
    }
    until(owner, &format!("/api/graph/nodes/{early}"), |_, node| node["degree"] == 2).await;
    assert_eq!(leads(owner, &early).await, [format!("mentions {late}")]);
    let page = owner.do_it("GET", "/api/graph/nodes/page:https:%2F%2Frail.example%2Ffares", Value::Null).await;
    assert_eq!((&page["labels"], &page["name"]), (&json!(["Page"]), &json!("rail.example/fares")));
    assert_eq!(format!("document:{}", page["documents"][0].as_str().unwrap()), late);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_in_a_document_is_seen_by_who_sees_the_document_and_goes_with_it() {
    let chat = Chat::start(vec![]).await;
    let owner = &chat.owner;
    let closed =
        owner.do_it("POST", "/api/knowledge/collections", json!({"name": "Closed", "roles": ["administrator"]})).await;
    let text = "https://heliotrope.example/plan";
    let document = put(owner, json!({"title": "Secret plan", "text": text, "collection": closed["id"]})).await;
    until(owner, "/api/graph/nodes/site:heliotrope.example", |status, _| status == 200).await;
    let reader = chat.person(&["index:read", "knowledge:read"]).await;
    for path in ["nodes?q=heliotrope", "nodes?q=Secret", "nodes?label=Site"] {
        assert_eq!(reader.do_it("GET", &format!("/api/graph/{path}"), Value::Null).await, json!([]), "{path}");
    }
    assert_eq!(reader.ask("GET", "/api/graph/nodes/site:heliotrope.example", Value::Null).await.0, 404);
    let overview = reader.do_it("GET", "/api/graph/overview", Value::Null).await;
    assert_eq!((&overview["nodes"], &overview["labels"]), (&json!(0), &json!([])));
    let open = put(owner, json!({"title": "Open notes", "text": text})).await;
    let unread = chat.person(&["index:read"]).await;
    until(&reader, "/api/graph/nodes/site:heliotrope.example", |status, _| status == 200).await;
    assert_eq!(unread.ask("GET", "/api/graph/nodes/site:heliotrope.example", Value::Null).await.0, 404);
    let id = |node: &str| node.strip_prefix("document:").unwrap().to_owned();
    for node in [&open, &document] {
        owner.do_it("DELETE", &format!("/api/knowledge/documents/{}", id(node)), Value::Null).await;
    }
    assert_eq!(owner.ask("GET", "/api/graph/nodes/site:heliotrope.example", Value::Null).await.0, 404);
    assert_eq!(owner.do_it("GET", "/api/graph/nodes", Value::Null).await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_found_stays_with_its_documents_whoever_puts_its_node() {
    let chat = Chat::start(vec![]).await;
    let owner = &chat.owner;
    let closed =
        owner.do_it("POST", "/api/knowledge/collections", json!({"name": "Closed", "roles": ["administrator"]})).await;
    let text = "# The merger\n\nhttps://heliotrope.example/plan";
    let document = put(owner, json!({"title": "Secret plan", "text": text, "collection": closed["id"]})).await;
    let section = format!("section:{}#the-merger", document.strip_prefix("document:").unwrap());
    let path = |id: &str| format!("/api/graph/nodes/{}", id.replace('#', "%23"));
    until(owner, &path(&section), |status, _| status == 200).await;
    let before = owner.do_it("GET", &path(&section), Value::Null).await;
    let writer = chat.person(&["index:read", "index:write", "knowledge:read"]).await;
    let node = json!({"params": {"id": section, "props": {"seen": true}}});
    writer.do_it("POST", "/api/tools/graph_upsert_node/invoke", node).await;
    let edge = json!({"params": {"src": document, "rel": "is_of", "dst": "site:heliotrope.example"}});
    writer.do_it("POST", "/api/tools/graph_upsert_edge/invoke", edge).await;
    for id in [&section, &document, "site:heliotrope.example"] {
        let seen = writer.do_it("GET", &path(id), Value::Null).await;
        assert_eq!((&seen["name"], &seen["labels"], &seen["documents"]), (&json!(id), &json!([]), &json!([])));
        assert!(seen["created_at"].as_str() >= before["updated_at"].as_str(), "{seen}");
        assert_eq!(writer.do_it("GET", &format!("/api/graph/nodes?q={}", "Secret"), Value::Null).await, json!([]));
    }
    assert_eq!(writer.do_it("GET", "/api/graph/nodes?label=Section", Value::Null).await, json!([]));
    let seen = owner.do_it("GET", &path(&section), Value::Null).await;
    assert_eq!((&seen["name"], &seen["labels"]), (&json!("The merger"), &json!(["Section"])), "who sees the document");
    assert_eq!(seen["props"], json!({"seen": true}));
    let neighbors = format!("/api/graph/nodes/{document}/neighbors?rel=has_section");
    assert_eq!(owner.do_it("GET", &neighbors, Value::Null).await["nodes"][1]["name"], "The merger");
    let id = document.strip_prefix("document:").unwrap();
    owner.do_it("DELETE", &format!("/api/knowledge/documents/{id}?forever=true"), Value::Null).await;
    let left = owner.do_it("GET", &path(&section), Value::Null).await;
    assert_eq!((&left["name"], &left["labels"]), (&json!(section), &json!([])), "the words go with the document");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_reads_documents_only_where_that_is_wanted_and_paid_for() {
    let answer = json!({
        "entities": [{"name": "Anna Meier", "kind": "Person"}, {"name": "Acme", "kind": "Organization"}],
        "relations": [{"from": "Anna Meier", "rel": "leads", "to": "Acme"}],
    });
    let chat = Chat::start(vec![say(&answer.to_string())]).await;
    let owner = &chat.owner;
    let document = put(owner, json!({"title": "Who is who", "text": "Anna Meier leads Acme."})).await;
    until(owner, &format!("/api/graph/nodes/{document}"), |status, _| status == 200).await;
    assert_eq!(owner.ask("GET", "/api/graph/nodes/thing:anna-meier", Value::Null).await.0, 404);
    chat.set(json!({"graph": {"ask_model": true, "daily_tokens": 100_000}})).await;
    put(owner, json!({"title": "Another", "text": "Nothing."})).await;
    until(owner, "/api/graph/nodes/thing:anna-meier", |status, _| status == 200).await;
    assert_eq!(leads(owner, "thing:anna-meier").await, ["leads thing:acme"]);
    assert!(leads(owner, &document).await.contains(&"names thing:acme".to_owned()));
    assert!(chat.llm.body(0)["messages"].to_string().contains("Anna Meier leads Acme."));
    let spent = Graph::new(&chat.app.satchel.app.db).spent(chat.app.satchel.app.clock.now()).await.unwrap();
    assert_eq!(spent, 15);
}
