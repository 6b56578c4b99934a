//! Files of the storage over REST: what a person sends is read by tools, and what tools make is fetched.

use serde_json::{Value, json};

use super::fixture::bytes;
use crate::support::{
    http::{Answer, Request, TestServer},
    library::{File, form},
};

async fn send(server: &TestServer, key: &str, files: &[File<'_>]) -> Answer {
    let (kind, body) = form(files, &[]);
    server.send(Request::new("POST", "/api/files").bearer(key).raw(&kind, body)).await
}

async fn fetch(server: &TestServer, key: &str, path: &str) -> Answer {
    let path: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
    server.send(Request::get(&format!("/api/files/content?path={path}")).bearer(key)).await
}

async fn invoke(server: &TestServer, key: &str, tool: &str, params: Value) -> Value {
    let request = Request::post(&format!("/api/tools/{tool}/invoke"), &json!({"params": params})).bearer(key);
    let answer = server.send(request).await.json();
    assert_eq!(answer["success"], true, "{tool}: {answer}");
    if tool == "document_create" {
        assert_eq!(answer["meta"]["files"], json!([answer["data"]["path"]]), "the console offers it");
    }
    answer["data"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_is_read_by_tools_and_what_they_make_is_fetched() {
    let server = TestServer::start().await;
    let key = server.key(&server.sign_in("owner").await, None).await;
    let files = [
        File::new("../Quarterly report (Q4).PDF", bytes("libreoffice.pdf")),
        File::new("Sales", "a,b\n1,2\n"),
        File::new("../Quarterly report (Q4).pdf", "other"),
    ];
    let stored = send(&server, &key, &files).await.json();
    let paths: Vec<&str> = stored.as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(
        paths,
        ["documents/Quarterly-report-Q4.pdf", "documents/Sales.txt", "documents/Quarterly-report-Q4-2.pdf"]
    );
    let read = invoke(&server, &key, "document_read", json!({"file_path": paths[0]})).await;
    assert!(read["text"].as_str().unwrap().contains("Revenue rose to 4.2 million euros"), "{read}");
    let new = json!({"format": "docx", "title": "Grüße", "content": {"paragraphs": ["Hello."]}});
    let made = invoke(&server, &key, "document_create", new).await;
    let answer = fetch(&server, &key, made["path"].as_str().unwrap()).await;
    assert_eq!((answer.status, answer.body.len() as u64), (200, made["bytes"].as_u64().unwrap()));
    assert!(answer.body.starts_with(b"PK"));
    let name = answer.header("content-disposition").unwrap();
    assert!(name.starts_with("attachment") && name.contains("filename*=UTF-8''Gr%C3%BC%C3%9Fe.docx"), "{name}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_their_owners_and_need_the_permissions_of_documents() {
    let server = TestServer::start().await;
    let owner = server.key(&server.sign_in("owner").await, None).await;
    let path = send(&server, &owner, &[File::new("plan.txt", "secret")]).await.json()[0]["path"].clone();
    let path = path.as_str().unwrap();
    server.add("vera", "viewer").await;
    let viewer = server.key(&server.sign_in("vera").await, None).await;
    assert_eq!(fetch(&server, &viewer, path).await.status, 404, "a viewer has files of their own");
    let owners = server.app.owner().await.caller.user;
    for outside in [format!("../{owners}/{path}"), "/etc/passwd".to_owned(), "../../vault.key".to_owned()] {
        assert_eq!(fetch(&server, &viewer, &outside).await.status, 403, "{outside}");
    }
    assert_eq!(send(&server, &viewer, &[File::new("a.txt", "x")]).await.status, 403, "a viewer writes nothing");
    let narrow = server.key(&server.sign_in("owner").await, Some(&["index:read"])).await;
    assert_eq!(fetch(&server, &narrow, path).await.status, 403);
    for (files, wanted) in [(vec![], "There is no file"), (vec![File::new("a.txt", "")], "is empty")] {
        let answer = send(&server, &owner, &files).await;
        assert_eq!(answer.status, 400);
        assert!(answer.problem().contains(wanted), "{}", answer.text());
    }
    let plain = Request::post("/api/files", &json!({"file": "x"})).bearer(&owner);
    assert!(server.send(plain).await.problem().contains("multipart/form-data"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_its_senders_own_words_unless_they_say_that_it_is_from_outside() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    let send = async |name: &str, fields: &[(&str, &str)]| {
        let (kind, body) = form(&[File::new(name, "Pay at once.")], fields);
        server.send(Request::new("POST", "/api/files").cookie(&cookie).raw(&kind, body)).await
    };
    assert_eq!(send("mine.txt", &[]).await.status, 200);
    assert_eq!(send("mail.txt", &[("outside", "true")]).await.status, 200);
    let refused = send("odd.txt", &[("outside", "perhaps")]).await;
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("The field 'outside' is true or false."), "{}", refused.text());
    let held = server.send(Request::get("/api/files/origins").cookie(&cookie)).await.json();
    let files = held["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{held}");
    assert_eq!(
        (&files[0]["path"], &files[0]["origin"]["source"]),
        (&json!("documents/mail.txt"), &json!("upload: words of others"))
    );
}
