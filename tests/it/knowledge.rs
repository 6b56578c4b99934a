//! Documents: taken in, found, read, replaced, stopped, deleted and brought back.

use serde_json::{Value, json};

use crate::support::library::{File, Library, marked, titles};

const HERONS: &str = "# Herons\n\nA grey heron waits at the water's edge for hours.\n\n## Food\n\nIt eats fish, frogs and voles. \
                      Größere Fische 🐟 are swallowed whole by the heron.";

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_found_by_its_words_with_exact_places() {
    let library = Library::open().await;
    let document = library.upload("birds.md", HERONS).await;
    let told = [&document["title"], &document["kind"], &document["source"], &document["version"]];
    assert_eq!(told, [&json!("Herons"), &json!("markdown"), &json!({"kind": "upload", "uri": "birds.md"}), &json!(1)]);
    assert_eq!(document["progress"], 1.0);
    let found = library.search("which fish do herons swallow").await;
    assert_eq!(titles(&found), ["Herons"]);
    let words = marked(&found[0]);
    assert!(words.contains(&"heron".to_owned()) && words.contains(&"fish".to_owned()), "{words:?}");
    assert!(words.contains(&"swallowed".to_owned()), "{words:?}");
    let id = document["id"].as_str().unwrap();
    let content = library.do_it("GET", &format!("/documents/{id}/content"), Value::Null).await;
    let text: Vec<char> = content["text"].as_str().unwrap().chars().collect();
    let chunks = library.do_it("GET", &format!("/documents/{id}/chunks"), Value::Null).await;
    for chunk in chunks.as_array().unwrap() {
        let place = chunk["start"].as_u64().unwrap() as usize..chunk["end"].as_u64().unwrap() as usize;
        assert_eq!(text[place].iter().collect::<String>(), chunk["text"].as_str().unwrap());
    }
    assert_eq!(found[0]["chunk_id"], content["chunks"][0]["id"]);
    let part = library.do_it("GET", &format!("/documents/{id}/content?start=2&length=5"), Value::Null).await;
    assert_eq!(part["text"].as_str().unwrap(), text[2..7].iter().collect::<String>());
    let file = library.ask(&library.key, "GET", &format!("/documents/{id}/file"), Value::Null).await;
    assert_eq!(file.body, HERONS.as_bytes());
    assert!(file.header("content-disposition").unwrap().starts_with("attachment; filename=\"birds.md\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn meaning_finds_what_no_word_does() {
    let library = Library::open().await;
    library.text("Payroll", "Salaries are transferred on the last working day of the month.").await;
    library.text("Garden", "The hedge is trimmed in autumn by a company from the village.").await;
    let found =
        library.search_as(&library.key, json!({"query": "when do employees get their wages", "explain": true})).await;
    assert_eq!(titles(&found)[0], "Payroll");
    let why = &found[0]["explain"];
    assert!(why["cosine"].as_f64().unwrap() > 0.3, "{why}");
    assert!(why["rank_vector"] == 1 && why["bm25"].is_null(), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn several_files_come_in_one_request_and_each_has_its_own_end() {
    let library = Library::open().await;
    let files = [
        File::new("a.txt", "The first file is about otters."),
        File::new("b.pdf", "%PDF-1.7 this is no document"),
        File::new("c.csv", "name,price\nTea,2\nCake,3\n"),
    ];
    let answer = library.send("", &files, &[]).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    let ids: Vec<String> =
        answer.json().as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect();
    let mut ended = Vec::new();
    for id in &ids {
        ended.push(library.settled(id).await);
    }
    let statuses: Vec<&str> = ended.iter().map(|document| document["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["ready", "failed", "ready"]);
    assert!(!ended[1]["reason"].as_str().unwrap().is_empty());
    let failed = library.do_it("GET", "/documents?status=failed", Value::Null).await;
    assert_eq!(failed.as_array().unwrap().len(), 1);
    let retried = library.ask(&library.key, "POST", &format!("/documents/{}/retry", ids[1]), Value::Null).await;
    assert_eq!((retried.status, &retried.json()["status"]), (202, &json!("queued")));
    assert_eq!(library.settled(&ids[1]).await["status"], "failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_content_takes_the_place_of_the_old_at_once() {
    let library = Library::open().await;
    let document = library.text("Hours", "The office opens at nine.").await;
    let id = document["id"].as_str().unwrap();
    library
        .do_it("POST", &format!("/documents/{id}/update"), json!({"text": "The office opens at seven o'clock."}))
        .await;
    let updated = library.until(id, |document| document["version"] == 2 && document["status"] == "ready").await;
    assert_eq!(updated["title"], "Hours");
    let found = library.search("when does the office open").await;
    assert_eq!(found.len(), 1);
    assert!(found[0]["text"].as_str().unwrap().contains("seven"), "{found:?}");
    assert_eq!(library.count("SELECT count(*) FROM chunks"), 1);
    assert_eq!(library.count("SELECT count(*) FROM document_texts"), 1);
    assert_eq!(library.count("SELECT count(*) FROM vectors"), 1);
    let refused = library.ask(&library.key, "POST", &format!("/documents/{id}/update"), json!({})).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_leaves_nothing_behind() {
    let library = Library::open().await;
    let kept = library.text("Kept", "Swans mate for life.").await;
    let document = library.upload("birds.md", HERONS).await;
    let id = document["id"].as_str().unwrap();
    assert_eq!(library.ask(&library.key, "DELETE", &format!("/documents/{id}"), Value::Null).await.status, 204);
    assert!(library.search("heron").await.iter().all(|found| found["title"] != "Herons"));
    for (table, left) in [("chunks", 1), ("document_texts", 1), ("vectors", 1), ("documents", 2)] {
        assert_eq!(library.count(&format!("SELECT count(*) FROM {table}")), left, "{table}");
    }
    let listed = library.do_it("GET", "/documents", Value::Null).await;
    assert_eq!(listed.as_array().unwrap().iter().map(|d| d["id"].clone()).collect::<Vec<_>>(), [kept["id"].clone()]);
    assert_eq!(library.document(id).await["status"], "deleted");
    let hash = document["sha256"].as_str().unwrap();
    let file = library.server.app.dir.path().join("files").join(&hash[..2]).join(hash);
    assert!(file.exists(), "the trash keeps it");
    library.do_it("POST", &format!("/documents/{id}/restore"), Value::Null).await;
    library.ready(id).await;
    assert_eq!(titles(&library.search("heron").await)[0], "Herons");
    library.do_it("DELETE", &format!("/documents/{id}?forever=true"), Value::Null).await;
    assert_eq!(library.ask(&library.key, "GET", &format!("/documents/{id}"), Value::Null).await.status, 404);
    for (table, left) in [("chunks", 1), ("document_texts", 1), ("vectors", 1), ("documents", 1)] {
        assert_eq!(library.count(&format!("SELECT count(*) FROM {table}")), left, "{table}");
    }
    assert!(!file.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_content_is_embedded_and_kept_once() {
    let library = Library::open().await;
    let first = library.upload("one.md", HERONS).await;
    let second = library.upload("two.md", HERONS).await;
    assert_eq!(first["sha256"], second["sha256"]);
    assert_eq!(library.count("SELECT count(*) FROM vectors"), library.count("SELECT count(*) FROM chunks") / 2);
    let path = |document: &Value| format!("/documents/{}?forever=true", document["id"].as_str().unwrap());
    library.do_it("DELETE", &path(&first), Value::Null).await;
    assert_eq!(library.count("SELECT count(*) FROM vectors"), library.count("SELECT count(*) FROM chunks"));
    let file = format!("/documents/{}/file", second["id"].as_str().unwrap());
    assert_eq!(library.ask(&library.key, "GET", &file, Value::Null).await.body, HERONS.as_bytes());
}

#[tokio::test(flavor = "multi_thread")]
async fn work_is_stopped_at_once_and_taken_up_again() {
    let library = Library::open().await;
    let long: String =
        (0..4_000).map(|n| format!("Paragraph {n} speaks of the {n}th lock on the canal.\n\n")).collect();
    let answer = library.send("", &[File::new("long.txt", long)], &[]).await.json();
    let id = answer["id"].as_str().unwrap();
    library.until(id, |document| document["status"] == "embedding").await;
    let stopped = library.do_it("POST", &format!("/documents/{id}/cancel"), Value::Null).await;
    assert_eq!(stopped["status"], "cancelled");
    assert_eq!(library.count("SELECT count(*) FROM chunks"), 0);
    assert!(library.search("lock on the canal").await.is_empty());
    let again = library.ask(&library.key, "POST", &format!("/documents/{id}/cancel"), Value::Null).await;
    assert_eq!(again.status, 409);
    library.do_it("POST", &format!("/documents/{id}/retry"), Value::Null).await;
    library.until(id, |document| document["status"] == "embedding").await;
    library.do_it("DELETE", &format!("/documents/{id}?forever=true"), Value::Null).await;
    assert_eq!(library.count("SELECT count(*) FROM documents"), 0);
    assert_eq!(library.count("SELECT count(*) FROM chunks"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_taken_in_is_refused_with_a_reason() {
    let library = Library::open().await;
    for (body, wanted) in [
        (json!({}), "either 'title' and 'text', or 'url'"),
        (json!({"text": "x"}), "'title' is missing"),
        (json!({"title": "x", "text": " "}), "'text' is empty"),
        (json!({"url": "ftp://a.example/x"}), "use http or https"),
        (json!({"url": "http://127.0.0.1:1/x"}), "127.0.0.1"),
        (json!({"url": "x"}), "not an address"),
    ] {
        let answer = library.ask(&library.key, "POST", "/documents", body).await;
        assert!((400..404).contains(&answer.status), "{}", answer.text());
        assert!(answer.problem().contains(wanted), "{}", answer.text());
    }
    let missing = json!({"title": "x", "text": "y", "collection": "01900000-0000-7000-8000-0000000000ff"});
    assert_eq!(library.ask(&library.key, "POST", "/documents", missing).await.status, 404);
    assert_eq!(library.send("", &[], &[]).await.status, 400);
    assert_eq!(library.send("", &[File::new("empty.txt", "")], &[]).await.status, 400);
    library.server.app.set(json!({"knowledge": {"max_file_mb": 1}})).await;
    let large = [File::new("small.txt", "small"), File::new("large.txt", vec![b'x'; (1 << 20) + 1])];
    let refused = library.send("", &large, &[]).await;
    assert_eq!(refused.status, 413);
    assert!(refused.problem().contains("larger than 1 MB"), "{}", refused.text());
    let kept = library.do_it("GET", "/documents", Value::Null).await;
    assert_eq!(library.count("SELECT count(*) FROM documents"), 0, "all or nothing: {kept}");
    let files = library.server.app.dir.path().join("files");
    let left: usize =
        std::fs::read_dir(files).unwrap().map(|group| std::fs::read_dir(group.unwrap().path()).unwrap().count()).sum();
    assert_eq!(left, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_stage_says_what_became_of_a_passage() {
    let library = Library::open().await;
    let herons = library.upload("birds.md", HERONS).await;
    for n in 0..6 {
        library.text(&format!("Lake {n}"), &format!("Lake number {n} has fish and a boat house for {n} boats.")).await;
    }
    let ask = async |body: Value| library.do_it("POST", "/why", body).await["stages"].as_array().unwrap().clone();
    let found = ask(json!({"query": "heron", "document_id": herons["id"]})).await;
    let names: Vec<&str> = found.iter().map(|stage| stage["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["access", "ready", "text", "vector", "fusion", "limit"]);
    assert!(found.iter().all(|stage| stage["passed"] == true), "{found:?}");
    let cut = ask(json!({"query": "boat house at a lake", "document_id": herons["id"], "limit": 2})).await;
    assert_eq!(cut[2]["passed"], false, "{cut:?}");
    let last = cut.last().unwrap();
    assert_eq!((&last["name"], &last["passed"]), (&json!("limit"), &json!(false)), "{cut:?}");
    library.do_it("DELETE", &format!("/documents/{}", herons["id"].as_str().unwrap()), Value::Null).await;
    let gone = ask(json!({"query": "heron", "document_id": herons["id"]})).await;
    assert!(gone[1]["detail"].as_str().unwrap().contains("trash"), "{gone:?}");
    let unclear = library.ask(&library.key, "POST", "/why", json!({"query": "x"})).await;
    assert_eq!(unclear.status, 400);
}
