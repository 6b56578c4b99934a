//! Access to documents: by collection and role, everywhere documents show.

use serde_json::{Value, json};

use crate::support::library::{Library, titles};

#[tokio::test(flavor = "multi_thread")]
async fn another_roles_collection_is_not_there() {
    let library = Library::open().await;
    let (viewer, operator) = (library.reader("vera", "viewer").await, library.reader("otto", "operator").await);
    let made = json!({"name": "Board", "description": "Minutes", "roles": ["operator"]});
    let board = library.do_it("POST", "/collections", made).await;
    let secret = json!({"title": "Minutes", "text": "The merger is planned for spring.", "collection": board["id"]});
    let id = library.do_it("POST", "/documents", secret).await["id"].as_str().unwrap().to_owned();
    library.ready(&id).await;
    library.text("Open", "Spring begins in March.").await;
    let question = json!({"query": "when is the merger planned"});
    assert_eq!(titles(&library.search_as(&viewer, question.clone()).await), ["Open"]);
    assert_eq!(titles(&library.search_as(&operator, question.clone()).await)[0], "Minutes");
    assert_eq!(
        titles(&library.search_as(&library.key, question.clone()).await)[0],
        "Minutes",
        "administrators see all"
    );
    for path in ["", "/chunks", "/content", "/file"] {
        let path = format!("/documents/{id}{path}");
        assert_eq!(library.ask(&viewer, "GET", &path, Value::Null).await.status, 404, "{path}");
        assert_eq!(library.ask(&operator, "GET", &path, Value::Null).await.status, 200, "{path}");
    }
    let filtered = json!({"query": "spring", "collections": [board["id"]]});
    assert_eq!(library.ask(&viewer, "POST", "/search", filtered).await.status, 404);
    let filtered = json!({"query": "spring", "collections": ["board"]});
    assert_eq!(library.ask(&viewer, "POST", "/search", filtered.clone()).await.status, 404);
    assert_eq!(titles(&library.search_as(&operator, filtered).await), ["Minutes"]);
    let elsewhere = json!({"query": "spring", "document_id": id, "collections": ["General"]});
    let stages = library.ask(&operator, "POST", "/why", elsewhere).await.json()["stages"].clone();
    let lost = json!({"name": "filter", "passed": false, "detail": "It is in 'Board', which was not searched."});
    assert_eq!(stages.as_array().unwrap().last(), Some(&lost), "{stages}");
    let named = json!({"query": "spring", "documents": [id]});
    assert!(library.search_as(&viewer, named.clone()).await.is_empty());
    assert_eq!(library.search_as(&operator, named).await.len(), 1);
    let why = json!({"query": "spring", "document_id": id});
    let stages = library.ask(&viewer, "POST", "/why", why).await.json();
    assert_eq!(stages["stages"].as_array().unwrap().len(), 1, "{stages}");
    assert_eq!(stages["stages"][0]["passed"], false);
    let names = async |key: &str| {
        let listed = library.ask(key, "GET", "/collections", Value::Null).await.json();
        listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&viewer).await, ["General"]);
    assert_eq!(names(&operator).await, ["Board", "General"]);
    let opened = json!({"name": "Board", "roles": null});
    library.do_it("PUT", &format!("/collections/{}", board["id"].as_str().unwrap()), opened).await;
    assert_eq!(titles(&library.search_as(&viewer, question).await)[0], "Minutes", "at once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_made_anew_opens_nothing_its_namesake_had() {
    let library = Library::open().await;
    let role = json!({"name": "board", "permissions": ["knowledge:read"]});
    library.server.owner("POST", "/api/roles", &role).await;
    let made = json!({"name": "Papers", "roles": ["board", "operator"]});
    let papers = library.do_it("POST", "/collections", made).await;
    let document = json!({"title": "Minutes", "text": "The merger.", "collection": papers["id"]});
    let id = library.do_it("POST", "/documents", document).await["id"].as_str().unwrap().to_owned();
    library.server.owner("DELETE", "/api/roles/board", &Value::Null).await;
    let listed = library.do_it("GET", "/collections", Value::Null).await;
    let papers = listed.as_array().unwrap().iter().find(|one| one["name"] == "Papers").unwrap();
    assert_eq!(papers["roles"], json!(["operator"]));
    library.server.owner("POST", "/api/roles", &role).await;
    let reader = library.reader("vera", "board").await;
    assert_eq!(library.ask(&reader, "GET", &format!("/documents/{id}"), Value::Null).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_read_changes_nothing() {
    let library = Library::open().await;
    let viewer = library.reader("vera", "viewer").await;
    let document = library.text("Open", "Spring begins in March.").await;
    let path = format!("/documents/{}", document["id"].as_str().unwrap());
    for (method, path, body) in [
        ("POST", "/documents".to_owned(), json!({"title": "x", "text": "y"})),
        ("DELETE", path.clone(), Value::Null),
        ("POST", format!("{path}/update"), json!({"text": "z"})),
        ("POST", format!("{path}/retry"), Value::Null),
        ("POST", "/collections".to_owned(), json!({"name": "x"})),
        ("GET", "/folders".to_owned(), Value::Null),
        ("POST", "/folders".to_owned(), json!({"path": "/tmp"})),
    ] {
        assert_eq!(library.ask(&viewer, method, &path, body).await.status, 403, "{method} {path}");
    }
    let nobody = library.server.key(&library.server.sign_in("vera").await, Some(&["processes:read"])).await;
    assert_eq!(library.ask(&nobody, "POST", "/search", json!({"query": "spring"})).await.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn collections_are_named_once_and_removed_empty() {
    let library = Library::open().await;
    let made = library.do_it("POST", "/collections", json!({"name": "Manuals"})).await;
    let one = format!("/collections/{}", made["id"].as_str().unwrap());
    for (body, status) in [
        (json!({"name": "MANUALS"}), 409),
        (json!({"name": " "}), 400),
        (json!({"name": "x", "roles": []}), 400),
        (json!({"name": "x", "roles": ["wizard"]}), 404),
    ] {
        let refused = library.ask(&library.key, "POST", "/collections", body).await;
        assert_eq!(refused.status, status, "{}", refused.text());
    }
    let new = json!({"title": "Pump", "text": "Press the red button.", "collection": made["id"]});
    let id = library.do_it("POST", "/documents", new).await["id"].as_str().unwrap().to_owned();
    library.ready(&id).await;
    let refused = library.ask(&library.key, "DELETE", &one, Value::Null).await;
    assert!(refused.status == 409 && refused.problem().contains("still holds 1"), "{}", refused.text());
    library.do_it("DELETE", &format!("/documents/{id}"), Value::Null).await;
    library.do_it("DELETE", &one, Value::Null).await;
    assert_eq!(library.count("SELECT count(*) FROM documents"), 0, "its trash went with it");
    let default = library.do_it("GET", "/collections", Value::Null).await[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(library.ask(&library.key, "DELETE", &format!("/collections/{default}"), Value::Null).await.status, 409);
}
