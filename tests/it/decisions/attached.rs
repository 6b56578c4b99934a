//! Documents that are attached to a message: read into the turn, or said to be too long with what reads the rest.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{
    documents::fixture::bytes,
    support::{
        chat::{Chat, find},
        fake_llm::{call, say},
        http::{Request, TestServer},
        library::{File, form},
    },
};

fn attached(name: &str, bytes: &[u8]) -> Value {
    json!({"name": name, "mime": "application/octet-stream", "data": STANDARD.encode(bytes)})
}

async fn send(chat: &Chat, attachments: Value) -> String {
    let conversation = chat.owner.conversation().await;
    let body = json!({"content": "What does it say?", "attachments": attachments});
    chat.owner.post(&format!("{conversation}/messages"), body).await.rest().await;
    conversation
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attached_pdf_and_an_office_file_are_read_into_the_turn() {
    let chat = Chat::start(vec![say("I see.")]).await;
    let files =
        json!([attached("report.pdf", &bytes("libreoffice.pdf")), attached("letter.docx", &bytes("libreoffice.docx"))]);
    let conversation = send(&chat, files).await;
    let told = chat.llm.body(0)["messages"].to_string();
    assert!(told.contains("[ATTACHMENT:report.pdf]") && told.contains("4.2 million euros"), "{told}");
    assert!(told.contains("[ATTACHMENT:letter.docx]"), "{told}");
    let view = chat.owner.view(&conversation).await;
    assert_eq!(view["tainted"], false, "what a person uploads is theirs: {view}");
    assert!(view["messages"][0]["attachments"][0]["path"].as_str().unwrap().starts_with("documents/report"), "{view}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_too_long_says_so_and_its_reader_is_among_the_tools() {
    let chat = Chat::start(vec![say("Long."), say("Still long.")]).await;
    chat.set(json!({"chat": {"exposure": "discover", "context_tokens": 16_384}})).await;
    let long: String = (0..6_000).map(|n| format!("line {n}\n\n")).collect();
    let conversation = send(&chat, json!([attached("long.md", long.as_bytes())])).await;
    let body = chat.llm.body(0);
    let told = body["messages"].to_string();
    assert!(told.contains("too long to stand here whole") && told.contains("document_read reads all of it"), "cut");
    assert!(told.contains("line 1\\n") && !told.contains("line 5999"));
    let names = |body: &Value| -> Vec<String> {
        body["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["function"]["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(names(&body).contains(&"document_read".to_owned()), "{:?}", names(&body));
    chat.owner.say(&conversation, "And then?").await.rest().await;
    assert!(names(&chat.llm.body(1)).contains(&"document_read".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nothing_can_read_is_refused_with_a_sentence_and_no_message_is_kept() {
    let chat = Chat::start(vec![]).await;
    let heic = [b"\0\0\0\x18ftypheic\0\0\0\0mif1heic".to_vec(), [0xff, 0, 0x13, 0x88].repeat(400)].concat();
    let conversation = chat.owner.conversation().await;
    let as_mime = |mime: &str| json!({"name": "IMG_1.heic", "mime": mime, "data": STANDARD.encode(&heic)});
    let read_before = json!({"name": "a.pdf", "mime": "application/pdf", "path": "documents/a.pdf",
        "data": STANDARD.encode(b"%PDF-1.7\n\xe2\xe3\xcf\xd3\n")});
    for attachments in [
        json!([attached("IMG_1.heic", &heic)]),
        json!([as_mime("text/plain")]),
        json!([as_mime("image/png")]),
        json!([read_before]),
        json!([attached("report.pdf", &bytes("libreoffice.pdf")), attached("x.pdf", b"%PDF-1.7 and nothing")]),
    ] {
        let body = json!({"content": "Look", "attachments": attachments});
        let (status, told) = chat.owner.ask("POST", &format!("{conversation}/messages"), body).await;
        assert_eq!(status, 400, "{told}");
        assert!(told["detail"].as_str().unwrap().contains("cannot be attached: "), "{told}");
    }
    assert_eq!(chat.owner.view(&conversation).await["messages"], json!([]));
    assert!(chat.llm.seen().is_empty());
    let (status, told) = chat.owner.ask("GET", "/api/files/content?path=documents/report.pdf", Value::Null).await;
    assert_eq!(status, 404, "a file of a message that was refused is not stored: {told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_refused_leaves_the_open_question_open() {
    let write = call("write", json!({"path": "a.txt", "content": "x"}));
    let chat = Chat::start(vec![write, say("Written.")]).await;
    let mara = chat.person(&["host:fs.write", "knowledge:read"]).await;
    let (conversation, events) = mara.turn("Write a file.").await;
    let question = find(&events, "confirmation");
    let body = json!({"content": "Look", "attachments": [attached("x.pdf", b"%PDF-1.7 and nothing")]});
    let (status, told) = mara.ask("POST", &format!("{conversation}/messages"), body).await;
    assert_eq!(status, 400, "{told}");
    let path = format!("/api/tickets/{}", question.data["ticket"]["id"].as_str().unwrap());
    assert_eq!(mara.do_it("GET", &path, Value::Null).await["state"], "pending");
    let decided = mara.decide(question, json!({"decision": "approve"})).await;
    assert_eq!(decided["state"], "done", "{decided}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_that_is_attached_is_read_with_the_callers_rights() {
    let chat = Chat::start(vec![say("Yes.")]).await;
    let without = chat.person(&["knowledge:write"]).await;
    let file = |path: &str| json!({"name": "a.txt", "mime": "text/plain", "data": "", "path": path});
    let conversation = without.conversation().await;
    let body = json!({"content": "Look", "attachments": [file("documents/a.txt")]});
    let (status, told) = without.ask("POST", &format!("{conversation}/messages"), body).await;
    assert_eq!(status, 403, "{told}");
    let conversation = chat.owner.conversation().await;
    for path in ["../../vault.key", "/etc/passwd"] {
        let body = json!({"content": "Look", "attachments": [file(path)]});
        let (status, told) = chat.owner.ask("POST", &format!("{conversation}/messages"), body).await;
        assert_eq!(status, 403, "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_is_to_be_read_tells_its_length_or_is_not_stored() {
    let server = TestServer::start().await;
    let key = server.key(&server.sign_in("owner").await, None).await;
    let upload = async |name: &str, bytes: Vec<u8>, fields: &[(&str, &str)]| {
        let (kind, body) = form(&[File::new(name, bytes)], fields);
        server.send(Request::new("POST", "/api/files").bearer(&key).raw(&kind, body)).await
    };
    let answer = upload("report.pdf", bytes("libreoffice.pdf"), &[("read", "true")]).await;
    let told = answer.json()[0].clone();
    assert!(told["pages"].as_u64().unwrap() > 0 && told["characters"].as_u64().unwrap() > 100, "{told}");
    let answer = upload("IMG_1.heic", b"\0\0\0\x18ftypheic\0\0\xff\xfe".repeat(99), &[("read", "true")]).await;
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("'IMG_1.heic' cannot be read: "), "{}", answer.text());
    let path = Request::get("/api/files/content?path=documents/IMG_1.heic").bearer(&key);
    assert_eq!(server.send(path).await.status, 404);
    assert_eq!(upload("a.bin", vec![0, 1, 2], &[]).await.status, 200, "tools may send anything on");
}
