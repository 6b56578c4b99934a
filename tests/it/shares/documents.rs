//! Turns at reading and embedding documents.

use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::library::Library;

#[tokio::test(flavor = "multi_thread")]
async fn while_other_peoples_addresses_say_nothing_a_persons_text_is_read() {
    let library = Library::open().await;
    // Takes connections and says nothing: whoever fetches from it goes on doing so.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = silent.local_addr().unwrap();
    library.server.app.set(json!({"outbound": {"exceptions": [place.to_string()]}})).await;
    let mut held = Vec::new();
    for number in 0..8 {
        let url = format!("http://{place}/{number}");
        let added = library.do_it("POST", "/documents", json!({"url": url})).await;
        held.push(added["id"].as_str().unwrap().to_owned());
    }
    let ina = library.reader("ina", "administrator").await;
    for number in 8..10 {
        let url = format!("http://{place}/{number}");
        let added = library.ask(&ina, "POST", "/documents", json!({"url": url})).await;
        held.push(added.json()["id"].as_str().unwrap().to_owned());
    }
    let mut connections = Vec::new();
    for _ in 0..4 {
        connections.push(silent.accept().await.unwrap());
    }
    let other = library.reader("otto", "administrator").await;
    let added = library.ask(&other, "POST", "/documents", json!({"title": "Short", "text": "A short one."})).await;
    library.ready(added.json()["id"].as_str().unwrap()).await;
    let waiting = library.do_it("GET", "/documents?status=queued", Value::Null).await;
    assert_eq!(waiting.as_array().map(Vec::len), Some(6), "two of each are being read");
    for id in &held {
        library.do_it("POST", &format!("/documents/{id}/cancel"), Value::Null).await;
    }
    drop(connections);
}
