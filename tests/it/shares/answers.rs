//! Answers: how much of a result they hold, how the rest is read, and how many bytes of one person are on their way.

#![expect(clippy::disallowed_methods, reason = "puts files where tools find them")]

use std::path::{Path, PathBuf};

use satchel::model::user::UserId;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::http::{Answer, Request, TestServer};

/// A person's key, and where their file is, with this content.
async fn person(server: &TestServer, name: &str, content: &[u8]) -> (String, PathBuf) {
    let user = server.add(name, "administrator").await.parse().unwrap();
    let key = server.key(&server.sign_in(name).await, None).await;
    let files = server.app.satchel.app.files_of(user).unwrap();
    let path = files.workspace().join("file");
    std::fs::write(&path, content).unwrap();
    (key, path)
}

fn invoke(key: &str, tool: &str, params: Value) -> Request {
    Request::post(&format!("/api/tools/{tool}/invoke"), &json!({"params": params})).bearer(key)
}

fn read(key: &str) -> Request {
    invoke(key, "read", json!({"path": "file"}))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_answer_holds_comes_whole_and_the_rest_lies_under_a_handle() {
    let server = TestServer::start().await;
    let whole = "a heron\n".repeat(300_000);
    let (mara, _) = person(&server, "mara", whole.as_bytes()).await;
    let answer = server.send(read(&mara)).await.json();
    assert_eq!(answer["data"]["content"], whole);
    let large = format!("needle\n{}", "x".repeat(9_900_000));
    let (otto, path) = person(&server, "otto", large.as_bytes()).await;
    let answer = server.send(read(&otto)).await;
    assert!(answer.status == 200 && answer.body.len() < 64 << 10, "{} bytes", answer.body.len());
    let answer = answer.json();
    assert_eq!(answer["success"], true);
    let handle = answer["meta"]["handle"].as_str().unwrap();
    assert_eq!(answer["data"]["handle"], handle);
    assert!(answer["data"]["bytes"].as_u64().unwrap() > 9_900_000);
    assert!(answer["data"]["preview"].as_str().unwrap().contains("needle"));
    let shown = answer["content"][0]["text"].as_str().unwrap();
    assert!(shown.contains(handle) && shown.contains("an answer at most 8 MB"), "{}", &shown[shown.len() - 300..]);
    let grep = |key: &str| invoke(key, "grep_result", json!({"data": handle, "pattern": "needle"}));
    let found = server.send(grep(&otto)).await.json();
    assert_eq!(found["success"], true, "{found}");
    assert!(found["data"].to_string().contains("needle"), "{found}");
    let others = server.send(grep(&mara)).await.json();
    assert_eq!(others["success"], false, "a handle is its person's own: {others}");
    // Each byte takes six on the wire: too long to be kept.
    std::fs::write(path, "\u{1}".repeat(9_900_000)).unwrap();
    let answer = server.send(read(&otto)).await.json();
    assert_eq!((&answer["data"]["handle"], &answer["meta"]["handle"]), (&Value::Null, &Value::Null));
    assert!(answer["content"][0]["text"].as_str().unwrap().contains("ask for less"));
}

/// The person whose workspace holds this file.
fn owner_of(path: &Path) -> UserId {
    path.parent().and_then(|folder| folder.file_name()?.to_str()?.parse().ok()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn while_one_persons_results_fill_their_room_no_more_of_theirs_are_read_and_another_persons_is() {
    let server = TestServer::start().await;
    let large = "x".repeat(3_000_000);
    let (mara, path) = person(&server, "mara", large.as_bytes()).await;
    let (otto, _) = person(&server, "otto", large.as_bytes()).await;
    std::fs::write(path.with_file_name("small"), "small").unwrap();
    let work = &server.app.satchel.app.host.work;
    let room = work.room(Some(owner_of(&path)), u64::MAX).await.unwrap();
    let document = invoke(&mara, "document_read", json!({"file_path": "file"}));
    let both =
        invoke(&mara, "parallel", json!({"tool_uses": [{"recipient_name": "read", "parameters": {"path": "file"}}]}));
    let waiting = futures_util::future::join_all([read(&mara), document, both].map(|request| server.send(request)));
    let is_whole = |answer: &Answer| answer.status == 200 && answer.text().contains(&large);
    tokio::pin!(waiting);
    tokio::select! {
        biased;
        _ = &mut waiting => panic!("more of their results were read than there is room for"),
        answer = server.send(read(&otto)) => assert!(is_whole(&answer)),
    }
    let small = server.send(invoke(&mara, "read", json!({"path": "small"}))).await.json();
    assert_eq!(small["data"]["content"], "small", "what is small needs no room");
    drop(room);
    assert!(waiting.await.iter().all(is_whole));
    work.room(Some(owner_of(&path)), u64::MAX).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn large_results_of_calls_made_together_do_not_wait_for_each_other() {
    let server = TestServer::start().await;
    let (mara, path) = person(&server, "mara", "x".repeat(6_000_000).as_bytes()).await;
    let together = |calls: usize| {
        let one = json!({"recipient_name": "read", "parameters": {"path": "file"}});
        invoke(&mara, "parallel", json!({"tool_uses": vec![one; calls]}))
    };
    // Three are more than a person's room; the last ones of ten are too much for anybody.
    for (calls, is_ok) in [(3, "true"), (10, "false")] {
        let answer = server.send(together(calls)).await.json();
        let told = answer["data"].to_string();
        assert!(told.contains(&format!("{{\\\"ok\\\":{is_ok}")), "{calls}: {}", &told[..told.len().min(300)]);
    }
    let work = &server.app.satchel.app.host.work;
    work.room(Some(owner_of(&path)), u64::MAX).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_known_sends_nothing_large_and_takes_nobodys_room() {
    let server = TestServer::start().await;
    let (mara, _) = person(&server, "mara", b"").await;
    let login = Request::new("POST", "/api/auth/login").raw("application/json", "[".repeat(100_000));
    let announced = server.send(login).await;
    assert_eq!((announced.status, announced.problem().as_str()), (413, "The body is larger than 64 KB."));
    let mut chunked = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST /api/auth/login HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        server.address
    );
    let chunk = format!("{:x}\r\n{}\r\n", 70_000, "[".repeat(70_000));
    chunked.write_all(format!("{head}{chunk}").as_bytes()).await.unwrap();
    let mut status = [0; 12];
    chunked.read_exact(&mut status).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 413");
    let long = invoke(&mara, "calculator", json!({"expression": format!("1{}", " + 1".repeat(30_000))}));
    assert_eq!(server.send(long).await.status, 200, "a person's own is answered");
}

/// A request whose answer nobody reads but for its first byte.
async fn unread(server: &TestServer, request: &Request) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(&request.bytes(server.address)).await.unwrap();
    stream.read_u8().await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn while_one_persons_answers_fill_their_part_another_persons_is_sent() {
    let server = TestServer::start().await;
    let large = "x".repeat(4_100_000);
    let (mara, _) = person(&server, "mara", large.as_bytes()).await;
    let (otto, _) = person(&server, "otto", large.as_bytes()).await;
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(unread(&server, &read(&mara)).await);
    }
    let is_whole = |answer: &Answer| answer.status == 200 && answer.json()["data"]["content"] == large;
    let one_more = server.send(read(&mara));
    tokio::pin!(one_more);
    tokio::select! {
        biased;
        _ = &mut one_more => panic!("more than their part is on its way"),
        answer = server.send(read(&otto)) => assert!(is_whole(&answer)),
    }
    // Small ones need no part.
    let sum = server.send(invoke(&mara, "calculator", json!({"expression": "2 + 2"}))).await.json();
    assert_eq!(sum["success"], true, "{sum}");
    drop(held);
    assert!(is_whole(&one_more.await));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_sent_as_it_is_read_however_large_it_is() {
    let server = TestServer::start().await;
    let (mara, path) = person(&server, "mara", b"").await;
    // More than was read whole before.
    let bytes = 80 << 20;
    std::fs::File::create(path).unwrap().set_len(bytes).unwrap();
    let answer = server.send(Request::get("/api/files/content?path=file").bearer(&mara)).await;
    assert_eq!((answer.status, answer.body.len() as u64), (200, bytes));
    assert_eq!(answer.header("content-length"), Some(bytes.to_string().as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_large_comes_whole() {
    let server = TestServer::start().await;
    for number in 0..90 {
        let text = format!("m{number} ").repeat(800);
        server.owner("POST", "/api/memories", &json!({"content": text})).await;
    }
    let export = server.send(Request::get("/api/memories/export").bearer(server.app.satchel.token.expose())).await;
    assert_eq!((export.status, export.header("content-type")), (200, Some("application/json")));
    assert!(export.body.len() > 256 << 10, "{} bytes", export.body.len());
    assert_eq!(export.header("content-disposition"), Some("attachment; filename=\"memories.json\""));
    assert_eq!(export.json().as_array().map(Vec::len), Some(90));
}
