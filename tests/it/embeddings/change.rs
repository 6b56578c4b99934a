//! Going over to another model: everything is read anew, search works throughout, and what cannot be is refused.

#![expect(clippy::disallowed_methods, reason = "puts models into the folder of models")]

use std::{
    borrow::Cow,
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    path::Path,
    time::{Duration, Instant},
};

use satchel::{
    index::embed::model::Model,
    store::{embeddings::Embeddings, vectors},
};
use serde_json::{Value, json};

use crate::support::{
    http::{Request, TestServer},
    library::Library,
};

/// Longest wait for a change to end.
const PATIENCE: Duration = Duration::from_secs(600);
const FILES: [&str; 5] =
    ["model.onnx", "tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json"];

/// The embedded model's files, in the order of [`FILES`].
fn files() -> [Cow<'static, [u8]>; 5] {
    let model = Model::embedded().unwrap();
    let files = [&model.onnx, &model.tokenizer, &model.config, &model.special_tokens, &model.tokenizer_config];
    files.map(|file| file.bytes().unwrap())
}

/// Another model, whose vectors nobody can take for the embedded one's: it goes by the first token.
fn put_model(data: &Path, name: &str) {
    let folder = data.join("models").join(name);
    fs::create_dir_all(&folder).unwrap();
    for (name, bytes) in FILES.iter().zip(files()) {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let toml = "dimensions = 384\npooling = 'cls'\nmax_tokens = 128\nquery_prefix = 'query: '\n";
    fs::write(folder.join("model.toml"), toml).unwrap();
}

async fn tool(server: &TestServer, name: &str, params: Value) -> Value {
    server.app.data(&server.app.owner().await.caller, name, params).await.unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Returns what is found for a question, best first.
async fn found(server: &TestServer, query: &str) -> Vec<String> {
    let answer = tool(server, "index_query", json!({"query": query, "by_meaning": true})).await;
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|result| result["id"].as_str().unwrap().to_owned()).collect()
}

async fn fill(server: &TestServer) {
    let texts = [
        ("refund", "Refunds take five days"),
        ("delivery", "Parcels arrive after two days"),
        ("rome", "It rains in Rome"),
    ];
    for (id, text) in texts {
        tool(server, "index_put", json!({"id": id, "text": text})).await;
    }
}

async fn count(server: &TestServer, model: &str) -> i64 {
    let model = model.to_owned();
    server.app.satchel.app.db.read(move |c| vectors::count(c, &model)).await.unwrap()
}

async fn status(server: &TestServer) -> Value {
    server.owner("GET", "/api/embeddings", &json!({})).await
}

/// Asks for another model, searches until it is in use, and gives the last status.
async fn go_over(server: &TestServer, name: &str) -> Value {
    server.owner("PUT", "/api/embeddings", &json!({"model": name})).await;
    let deadline = Instant::now() + PATIENCE;
    loop {
        assert_eq!(found(server, "refunds").await.first().map(String::as_str), Some("refund"), "while it changes");
        let now = status(server).await;
        let in_use = match name {
            "none" => Value::Null,
            name => json!(name.replace('/', "--")),
        };
        if now["migrating"].is_null() && now["name"] == in_use {
            return now;
        }
        assert_eq!(now["failed"], Value::Null);
        assert!(Instant::now() < deadline, "{now}");
    }
}

#[tokio::test]
async fn going_over_reads_everything_anew_while_search_goes_on() {
    let server = TestServer::start().await;
    fill(&server).await;
    let before = status(&server).await;
    let builtin = before["model"]["id"].as_str().unwrap().to_owned();
    assert!(builtin.starts_with("all-minilm-l6-v2@"), "{builtin}");
    assert_eq!((&before["name"], &before["source"]), (&json!("builtin"), &json!("builtin")));
    assert_eq!(count(&server, &builtin).await, 3);
    put_model(server.app.dir.path(), "other");
    let offered = server.owner("GET", "/api/embeddings/models", &json!({})).await;
    let named = |name: &str| offered.as_array().unwrap().iter().find(|offer| offer["name"] == name).cloned();
    assert_eq!(named("other").unwrap()["dimensions"], 384);
    assert_eq!(named("builtin").unwrap()["source"], "builtin");

    let after = go_over(&server, "other").await;
    let other = after["model"]["id"].as_str().unwrap().to_owned();
    assert!(other.starts_with("other@") && after["source"] == "folder", "{after}");
    assert_eq!((count(&server, &builtin).await, count(&server, &other).await), (0, 3));
    tool(&server, "index_put", json!({"id": "new", "text": "Gardens need water"})).await;
    assert_eq!(count(&server, &other).await, 4);

    let TestServer { app, .. } = server;
    let app = app.restart().await;
    assert_eq!(app.satchel.app.search.embedder.model().unwrap().id, other, "it stays after a restart");
}

#[tokio::test]
async fn without_a_model_search_goes_by_words_and_comes_back_to_meaning() {
    let server = TestServer::start().await;
    fill(&server).await;
    let none = go_over(&server, "none").await;
    assert_eq!((&none["model"], &none["state"], &none["source"]), (&Value::Null, &json!("absent"), &Value::Null));
    tool(&server, "index_put", json!({"id": "blind", "text": "Money is given back within a week"})).await;
    let report = server.owner("GET", "/api/doctor", &json!({})).await;
    let check = report["checks"].as_array().unwrap().iter().find(|check| check["name"] == "embeddings").cloned();
    assert_eq!(check.unwrap()["message"], "No embedding model: search goes by words alone.");
    let again = go_over(&server, "builtin").await;
    assert_eq!(count(&server, again["model"]["id"].as_str().unwrap()).await, 4, "what was put meanwhile is read, too");
}

#[tokio::test]
async fn a_model_that_is_not_there_or_may_not_be_fetched_is_refused_and_changes_nothing() {
    let server = TestServer::start().await;
    let before = status(&server).await;
    let cookie = server.sign_in("owner").await;
    let put = async |body: Value| server.send(Request::new("PUT", "/api/embeddings").json(&body).cookie(&cookie)).await;
    let answer = put(json!({"model": "nosuch"})).await;
    assert_eq!(answer.status, 404);
    assert!(answer.problem().contains("There is no embedding model 'nosuch'"), "{}", answer.text());
    let answer = put(json!({"model": "intfloat/multilingual-e5-small"})).await;
    assert_eq!(answer.status, 403);
    assert!(answer.problem().contains("embeddings.downloads"), "{}", answer.text());
    assert_eq!(put(json!({"model": "../../etc"})).await.status, 404);
    assert_eq!(put(json!({})).await.status, 400);
    assert_eq!(status(&server).await, before);
}

#[tokio::test]
async fn a_model_that_does_not_work_is_given_up_and_search_goes_on() {
    let server = TestServer::start().await;
    fill(&server).await;
    put_model(server.app.dir.path(), "broken");
    fs::write(server.app.dir.path().join("models/broken/model.onnx"), b"no graph").unwrap();
    server.owner("PUT", "/api/embeddings", &json!({"model": "broken"})).await;
    let deadline = Instant::now() + PATIENCE;
    let failed = loop {
        let now = status(&server).await;
        if let Some(reason) = now["failed"].as_str() {
            break reason.to_owned();
        }
        assert!(Instant::now() < deadline, "{now}");
    };
    assert!(failed.contains("broken"), "{failed}");
    assert_eq!(status(&server).await["name"], "builtin");
    assert_eq!(found(&server, "when do I get my money back").await.first().map(String::as_str), Some("refund"));
}

#[tokio::test]
async fn a_model_of_the_catalogue_is_fetched_where_the_owner_allows_it() {
    let server = TestServer::start().await;
    fill(&server).await;
    let name = "Qdrant/all-MiniLM-L6-v2-onnx";
    let mirror = mirror(format!("/{name}/resolve/main/"));
    server.app.set(json!({"embeddings": {"downloads": true, "catalogue": mirror}})).await;
    let after = go_over(&server, name).await;
    assert!(after["model"]["id"].as_str().unwrap().starts_with("Qdrant--all-MiniLM-L6-v2-onnx@"), "{after}");
}

/// Serves the embedded model's files below a path, one connection after another.
fn mirror(below: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let path = lines.next().unwrap().split(' ').nth(1).unwrap().to_owned();
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let name = path.strip_prefix(&below).unwrap_or_default();
            let found = FILES.iter().zip(files()).find(|(file, _)| **file == name);
            let (line, body) = found.map_or(("404 Not Found", Cow::default()), |(_, bytes)| ("200 OK", bytes));
            let head = format!("HTTP/1.1 {line}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            // A client that has seen enough may be gone.
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
    });
    format!("http://{address}/")
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_read_anew_once_they_are_taken_in() {
    let library = Library::open().await;
    library.text("Kites", "A kite needs wind and a long string.").await;
    let db = library.server.app.satchel.app.db.clone();
    let missing = async || Embeddings::new(&db).count_missing("other").await.unwrap();
    let version = async |by: i64| {
        let sql = "UPDATE documents SET version = version + ?1";
        db.write(move |tx| tx.run(sql, [by])).await.unwrap();
    };
    assert_eq!(missing().await, 1);
    version(-1).await;
    assert_eq!(missing().await, 0, "what is still being taken in is embedded by whoever takes it in");
    version(1).await;
    put_model(library.server.app.dir.path(), "other");
    library.server.owner("PUT", "/api/embeddings", &json!({"model": "other"})).await;
    let begun = Instant::now();
    while status(&library.server).await["name"] != "other" {
        assert_eq!(library.search("kite").await.len(), 1, "while it changes");
        assert!(begun.elapsed() < PATIENCE, "{}", status(&library.server).await);
    }
    assert_eq!(library.search("kite").await.len(), 1);
    let model = status(&library.server).await["model"]["id"].as_str().unwrap().to_owned();
    assert_eq!(Embeddings::new(&db).count_missing(&model).await.unwrap(), 0);
}
