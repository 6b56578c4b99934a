//! Files of the workspace sent to a system: as fields of a form, and as they are.

use actix_multipart::Multipart;
use actix_web::http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use satchel::{
    host::files::Parents,
    model::{call::Call, caller::Caller, error::Kind},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::Connected;
use crate::support::remote::http::{self, Remote, Seen};

/// A byte that is no text, and a line break as forms have them.
const IMAGE: &[u8] = b"\x89PNG\r\n\x1a\n--\xff\r\n";

/// A part of a form: name, name of the file, media type, content.
type Part = (String, Option<String>, Option<String>, Vec<u8>);

/// The parts of a form as a server reads them.
async fn parts(seen: &Seen) -> Vec<Part> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_str(seen.header("content-type")).unwrap());
    let body = seen.body.clone();
    let mut form = Multipart::new(&headers, futures_util::stream::once(async move { Ok(body) }));
    let mut parts = Vec::new();
    while let Some(part) = form.next().await {
        let mut part = part.unwrap();
        let mut content = Vec::new();
        while let Some(piece) = part.try_next().await.unwrap() {
            let piece: Bytes = piece;
            content.extend_from_slice(&piece);
        }
        let file = part.content_disposition().and_then(|head| head.get_filename()).map(str::to_owned);
        let media = part.content_type().map(ToString::to_string);
        parts.push((part.name().unwrap().to_owned(), file, media, content));
    }
    parts
}

fn document() -> Value {
    let form = json!({"required": ["file"], "properties": {
        "file": {"type": "string", "format": "binary", "description": "The receipt."},
        "pages": {"type": "array", "items": {"type": "string", "contentMediaType": "image/png"}},
        "title": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "details": {"type": "object", "properties": {"total": {"type": "number"}}},
        "marks": {"type": "object"},
    }});
    let encoding = json!({"file": {"contentType": "application/pdf"}, "marks": {"style": "deepObject"}});
    json!({
        "openapi": "3.1.0", "info": {"title": "Receipts", "version": "1"},
        "paths": {
            "/receipts": {"post": {"operationId": "send", "summary": "Hands in a receipt.", "requestBody": {"required": true,
                "content": {"multipart/form-data": {"schema": form, "encoding": encoding}}}}},
            "/photo": {"put": {"operationId": "photo", "summary": "Sets the photo.", "requestBody": {"required": true, "description": "A face.",
                "content": {"image/*": {}}}}},
            "/blob": {"put": {"operationId": "blob", "summary": "Keeps what it is given.", "requestBody": {"required": true,
                "content": {"application/octet-stream": {}}}}},
        },
    })
}

/// A system that takes files, with the operations of the document, and a workspace with two files in it.
async fn receipts() -> (Connected, Remote) {
    let crm = Connected::with(json!({"type": "none"})).await;
    let remote = Remote::start(|_| http::json(201, &json!({"ok": true}))).await;
    let app = &crm.server.app;
    let exceptions = json!({"outbound": {"exceptions": [remote.address.to_string()]}});
    app.set(exceptions).await;
    crm.ask("PATCH", &format!("/systems/{}", crm.id), &json!({"base_url": remote.url()})).await;
    let source = json!({"source": {"text": document().to_string()}, "system_id": crm.id});
    let shown = crm.ask("POST", "/import/preview", &source).await;
    assert_eq!(shown["operations"].as_array().unwrap().len(), 3, "{shown}");
    let chosen: Vec<Value> = shown["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| json!({"operation": row["operation"], "risk": "low_write"}))
        .collect();
    crm.ask("POST", "/import/apply", &json!({"system_id": crm.id, "operations": chosen})).await;
    crm.activate().await;
    let files = app.satchel.app.files_of(crm.owner().await.caller.user).unwrap();
    files.write("in/receipt \"7\".pdf", b"%PDF".to_vec(), Parents::Create).await.unwrap();
    files.write("photo.png", IMAGE.to_vec(), Parents::Create).await.unwrap();
    (crm, remote)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_takes_files_by_their_path_beside_other_fields() {
    let (crm, remote) = receipts().await;
    let registry = crm.server.app.satchel.invoker.registry();
    let schema = registry.find("catalog:crm.send").unwrap().tool.spec().parameters.document();
    let told = &schema["properties"]["body"]["properties"]["file"]["description"];
    assert_eq!(told, "The receipt. Path of a file in the workspace.", "{schema}");
    let body = json!({"file": "in/receipt \"7\".pdf", "pages": ["photo.png", "photo.png"], "title": "Zoë",
        "tags": ["a", "b"], "details": {"total": 7.5}, "marks": {"k": ["v"]}, "more": null});
    let answer = crm.call("catalog:crm.send", json!({"body": body})).await;
    assert_eq!((&answer["status"], &answer["body"]), (&json!(201), &json!({"ok": true})));
    let text = |name: &str, text: &str| (name.to_owned(), None, None, text.as_bytes().to_vec());
    let file = |name: &str, file: &str, media: &str, content: &[u8]| {
        (name.to_owned(), Some(file.to_owned()), Some(media.to_owned()), content.to_vec())
    };
    let mut wanted = vec![
        file("file", "receipt \"7\".pdf", "application/pdf", b"%PDF"),
        file("pages", "photo.png", "image/png", IMAGE),
        file("pages", "photo.png", "image/png", IMAGE),
        text("title", "Zoë"),
        text("tags", "a"),
        text("tags", "b"),
        text("marks[k][0]", "v"),
        ("details".to_owned(), None, Some("application/json".to_owned()), br#"{"total":7.5}"#.to_vec()),
    ];
    let mut sent = parts(&remote.last()).await;
    wanted.sort();
    sent.sort();
    assert_eq!(sent, wanted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_no_text_is_a_file() {
    let (crm, remote) = receipts().await;
    let registry = crm.server.app.satchel.invoker.registry();
    let schema = registry.find("catalog:crm.photo").unwrap().tool.spec().parameters.document();
    assert_eq!(schema["properties"]["body"]["description"], "A face. Path of a file in the workspace.", "{schema}");
    crm.call("catalog:crm.photo", json!({"body": "photo.png"})).await;
    let seen = remote.last();
    assert_eq!((seen.header("content-type"), &seen.body[..]), ("image/png", IMAGE));
    let id = crm.ask("GET", &format!("/systems/{}/endpoints", crm.id), &Value::Null).await;
    let photo = id.as_array().unwrap().iter().find(|one| one["slug"] == "photo").unwrap()["id"].clone();
    let path = format!("/endpoints/{}/test", photo.as_str().unwrap());
    let trial = crm.ask("POST", &path, &json!({"arguments": {"body": "photo.png"}})).await;
    assert_eq!((&trial["ok"], remote.seen().len()), (&json!(true), 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_goes_out_as_what_is_declared_whatever_its_name_says() {
    let (crm, remote) = receipts().await;
    let files = crm.server.app.satchel.app.files_of(crm.owner().await.caller.user).unwrap();
    files.write("notes.json", b"{}".to_vec(), Parents::Create).await.unwrap();
    crm.call("catalog:crm.blob", json!({"body": "notes.json"})).await;
    let seen = remote.last();
    assert_eq!((seen.header("content-type"), &seen.body[..]), ("application/octet-stream", &b"{}"[..]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_told_and_nothing_is_sent() {
    let (crm, remote) = receipts().await;
    let files = crm.server.app.satchel.app.files_of(crm.owner().await.caller.user).unwrap();
    files.write("huge", vec![0; 6 << 20], Parents::Must).await.unwrap();
    for (body, told) in [
        (json!({"file": "none.pdf"}), "none.pdf"),
        (json!({"file": "../../etc/passwd"}), "../../etc/passwd"),
        (json!({"file": ""}), "by its path"),
        (json!({"file": "huge", "pages": ["huge"]}), "more than 10 MB together"),
        (json!({"file": "photo.png", "x\"; y=\"": "1"}), "no quotes"),
    ] {
        let said = crm.refused("catalog:crm.send", json!({"body": body})).await;
        assert!(said.contains(told), "{body}: {said}");
    }
    let app = &crm.server.app;
    let viewer = app.caller(&["catalog:read"]).await;
    // Nobody is asked about a call that could not run.
    let topic = app.conversation(&viewer).await;
    app.taint(topic).await;
    let call = |caller: &Caller, body: Value| Call {
        topic: Some(topic),
        ..Call::new(caller.clone(), "catalog:crm.send", json!({"body": body}))
    };
    let invoker = &app.satchel.invoker;
    let denied = invoker.invoke(call(&viewer, json!({"file": "photo.png"})), CancellationToken::new()).await;
    let denied = denied.unwrap_err();
    assert_eq!(denied.kind(), Kind::Denied);
    assert!(denied.message().contains("host:fs.read"), "{}", denied.message());
    let denied = app.call(&viewer, "catalog:crm.photo", json!({"body": "photo.png"})).await;
    assert_eq!(denied.unwrap_err().kind(), Kind::Denied);
    assert!(remote.seen().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_opens_nothing_of_its_owner_sends_none_of_their_files() {
    let (crm, remote) = receipts().await;
    let owner = crm.owner().await.caller;
    let app = &crm.server.app;
    let key = Caller { personal: false, ..owner };
    for (tool, body) in [("photo", json!("photo.png")), ("send", json!({"file": "photo.png"}))] {
        let refused = app.call(&key, &format!("catalog:crm.{tool}"), json!({"body": body})).await.unwrap_err();
        assert_eq!(refused.kind(), Kind::NotFound, "{tool}: {refused}");
        let found = app.satchel.invoker.registry().find(&format!("catalog:crm.{tool}")).unwrap();
        assert_eq!(found.tool.personal_things(), Some("your files"), "a script of another asks: {tool}");
    }
    assert!(remote.seen().is_empty());
}
