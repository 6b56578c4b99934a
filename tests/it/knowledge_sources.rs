//! The sources of documents: files of every kind, addresses, folders that are watched, texts of any length.

#![expect(clippy::disallowed_methods, reason = "writes the files of a watched folder")]

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::support::{
    library::{File, Library, PATIENCE, pause, titles},
    papers,
};

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_is_read_and_found() {
    let library = Library::open().await;
    let kinds: Vec<(&str, &str, Vec<u8>, &str)> = vec![
        (
            "report.pdf",
            "pdf",
            papers::pdf(&["Nothing here.", "The auditor praised the walnut ledger."]),
            "walnut ledger",
        ),
        ("letter.docx", "docx", papers::docx("Contract", &["The tenant keeps the chimney clean."]), "chimney clean"),
        ("stock.xlsx", "xlsx", papers::xlsx("Stock", &[&["Item", "Place"], &["Saffron", "Cellar"]]), "saffron"),
        ("talk.pptx", "pptx", papers::pptx(&["Welcome", "Glaciers retreat every summer"]), "glaciers"),
        (
            "page.html",
            "html",
            b"<html><body><h1>Ferry</h1><p>The ferry leaves at noon.</p></body></html>".to_vec(),
            "ferry noon",
        ),
        ("notes.md", "markdown", b"# Bees\n\nThe hive stands behind the orchard.".to_vec(), "hive orchard"),
        ("plain.txt", "text", b"A lighthouse needs a keeper.".to_vec(), "lighthouse"),
        ("prices.csv", "csv", b"fruit,price\nquince,4\nmedlar,7\n".to_vec(), "medlar"),
        ("data.json", "json", b"{\"tower\": {\"height\": 320, \"city\": \"Paris\"}}".to_vec(), "tower height"),
        (
            "code.rs",
            "code",
            b"fn parse_manifest(text: &str) -> usize {\n    text.len()\n}\n".to_vec(),
            "parse manifest",
        ),
    ];
    let files: Vec<File<'_>> = kinds.iter().map(|(name, _, bytes, _)| File::new(name, bytes.clone())).collect();
    let sent = library.send("", &files, &[]).await.json();
    for (one, (name, kind, _, query)) in sent.as_array().unwrap().iter().zip(&kinds) {
        let document = library.ready(one["id"].as_str().unwrap()).await;
        assert_eq!((&document["kind"], &document["source"]["uri"]), (&json!(kind), &json!(name)));
        let best = library.search(query).await.into_iter().next().unwrap_or_else(|| panic!("{name}: nothing found"));
        assert_eq!(best["document_id"], one["id"], "{name}: {best}");
        let only = library.search_as(&library.key, json!({"query": query, "kinds": [kind]})).await;
        assert!(only.iter().all(|found| found["document_id"] == one["id"]), "{name}: {only:?}");
    }
    let unknown = library.ask(&library.key, "POST", "/search", json!({"query": "manifest", "kinds": ["doc"]})).await;
    assert_eq!(unknown.status, 400);
    assert!(unknown.text().contains("unknown variant `doc`, expected one of `pdf`, `docx`"), "{}", unknown.text());
    let page = &library.search("walnut ledger").await[0];
    assert_eq!(page["page"], 2, "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_found_under_their_header() {
    let library = Library::open().await;
    let rows: String = (0..400).map(|n| format!("employee {n},{},room {}\n", 3000 + n, n % 40)).collect();
    library.upload("staff.csv", format!("name,salary,office\n{rows}")).await;
    let found = library.search("employee 371").await;
    assert!(found.iter().any(|one| one["text"].as_str().unwrap().contains("employee 371\t3371")), "{found:?}");
    assert!(library.count("SELECT count(*) FROM chunks WHERE context = 'name\tsalary\toffice'") > 3);
}

/// A server that answers every request with one page, which a test may change.
async fn page(head: &'static str, body: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 8_192];
            let _ = stream.read(&mut request).await;
            let head = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(&[head.as_bytes(), body].concat()).await;
        }
    });
    address.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_article_of_an_address_is_taken_in() {
    const PAGE: &[u8] = b"<html><head><title>Storks - Birds</title></head><body><nav><a href=/shop>Buy binoculars</a></nav><article>\
        <h1>Storks</h1><p>The stork returns to its nest in M\xfcnster every March, and its clattering can be heard all over the \
        town, from the market to the river, until late in the summer.</p><p>Both parents feed the young, who leave the nest \
        after two months and gather on the meadows before they fly south across the sea.</p></article></body></html>";
    let library = Library::open().await;
    let host = page("200 OK\r\nContent-Type: text/html; charset=ISO-8859-1", PAGE).await;
    let url = json!({"url": format!("http://{host}/storks")});
    let refused = library.ask(&library.key, "POST", "/documents", url.clone()).await;
    assert_eq!(refused.status, 403, "{}", refused.text());
    library.server.app.set(json!({"outbound": {"exceptions": [host]}})).await;
    let id = library.do_it("POST", "/documents", url).await["id"].as_str().unwrap().to_owned();
    let document = library.ready(&id).await;
    assert_eq!((&document["kind"], &document["mime"]), (&json!("html"), &json!("text/html")));
    assert!(document["title"].as_str().unwrap().contains("Storks"), "{document}");
    let content = library.do_it("GET", &format!("/documents/{id}/content"), Value::Null).await;
    let text = content["text"].as_str().unwrap();
    assert!(text.contains("Münster") && !text.contains("binoculars"), "{text}");
    library.do_it("POST", &format!("/documents/{id}/update"), json!({})).await;
    library.until(&id, |document| document["version"] == 2 && document["status"] == "ready").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_fails_is_tried_again_and_then_given_up() {
    let library = Library::open().await;
    let busy = page("503 Busy\r\nContent-Type: text/html", b"later").await;
    let gone = page("404 Gone\r\nContent-Type: text/html", b"gone").await;
    library.server.app.set(json!({"outbound": {"exceptions": [busy, gone]}})).await;
    let add = async |host: &str| {
        let url = json!({"url": format!("http://{host}/x")});
        library.do_it("POST", "/documents", url).await["id"].as_str().unwrap().to_owned()
    };
    let missing = library.settled(&add(&gone).await).await;
    assert_eq!(missing["status"], "failed");
    assert!(missing["reason"].as_str().unwrap().contains("status 404"), "{missing}");
    let id = add(&busy).await;
    let (begun, mut waits) = (Instant::now(), 0);
    let failed = loop {
        assert!(begun.elapsed() < PATIENCE, "neither tried again nor given up");
        let document = library.do_it("GET", &format!("/documents/{id}"), Value::Null).await;
        if document["status"] == "failed" {
            break document;
        }
        // Between two attempts it waits its turn and says why: let that time pass.
        if document["status"] == "queued" && !document["reason"].is_null() {
            waits += 1;
            library.server.app.satchel.app.clock.advance(Duration::from_secs(60));
            library.server.app.satchel.app.stores.knowledge.ingest.wake(satchel::store::ingest::Worker::Reader);
        }
        pause().await;
    };
    assert!(waits >= 2, "given up after {waits} waits");
    assert!(failed["reason"].as_str().unwrap().contains("status 503"), "{failed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watched_folder_is_followed() {
    let library = Library::open().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    fs::create_dir(path.join("deep")).unwrap();
    fs::write(path.join("deep/one.md"), "# Kites\n\nA kite needs wind.").unwrap();
    let own = library.server.app.dir.path().to_str().unwrap();
    for (wrong, status) in [("relative", 400), ("/no/such/folder", 400), (own, 403)] {
        let refused = library.ask(&library.key, "POST", "/folders", json!({"path": wrong})).await;
        assert_eq!(refused.status, status, "{}", refused.text());
    }
    let added = library.do_it("POST", "/folders", json!({"path": path, "watch": true})).await;
    let found = async |query: &str, text: &str, there: bool| {
        let begun = Instant::now();
        loop {
            let found = library.search(query).await;
            if found.iter().any(|one| one["text"].as_str().unwrap().contains(text)) == there {
                return found;
            }
            assert!(begun.elapsed() < PATIENCE, "{query}: {found:?}");
            pause().await;
        }
    };
    let kites = found("kite wind", "needs wind", true).await;
    let id = kites[0]["document_id"].as_str().unwrap().to_owned();
    assert_eq!(library.document(&id).await["source"]["kind"], "folder");
    fs::write(path.join("two.txt"), "A sledge needs snow.").unwrap();
    found("sledge", "needs snow", true).await;
    fs::write(path.join("deep/one.md"), "# Kites\n\nA kite needs a long string.").unwrap();
    found("kite", "long string", true).await;
    assert_eq!(library.document(&id).await["version"], 2);
    fs::remove_file(path.join("two.txt")).unwrap();
    found("sledge snow", "needs snow", false).await;
    let folders = library.do_it("GET", "/folders", Value::Null).await;
    assert_eq!((&folders[0]["id"], &folders[0]["documents"]), (&added["id"], &json!(1)));
    library.do_it("DELETE", &format!("/folders/{}", added["id"].as_str().unwrap()), Value::Null).await;
    assert!(library.search("kite").await.is_empty());
    assert!(path.join("deep/one.md").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_text_is_read_in_parts_with_exact_places() {
    let library = Library::open().await;
    let line = |n: usize| format!("Größe {n}: the {n}th measurement of the canal 𝄞 was taken at dawn by the keeper.\n");
    let text: String = (0..30_000).map(|n| if n % 10 == 9 { line(n) + "\n" } else { line(n) }).collect();
    assert!(text.len() > (2 << 20) + (256 << 10));
    let sent = library.send("", &[File::new("long.txt", text)], &[]).await.json();
    let id = sent["id"].as_str().unwrap();
    library.until(id, |document| document["status"] == "embedding").await;
    assert!(library.count("SELECT count(*) FROM document_texts") >= 2);
    let wrong =
        "SELECT count(*) FROM chunks c JOIN document_texts t ON t.document = c.document AND t.version = c.version
                   AND c.start >= t.start AND c.until <= t.start + length(t.text)
                 WHERE substr(t.text, c.start - t.start + 1, c.until - c.start) <> c.text";
    assert_eq!(library.count(wrong), 0);
    assert!(library.count("SELECT count(*) FROM chunks") > 2_000);
    library.do_it("DELETE", &format!("/documents/{id}?forever=true"), Value::Null).await;
    assert!(titles(&library.search("canal keeper").await).is_empty());
}
