//! What a gRPC system describes of itself is read in a confined process: a hostile description, or a process that is killed
//! or lies, ends the call with a sentence and nothing else.

#![expect(clippy::disallowed_methods, reason = "writes the program that its readers are, and what they say")]

use std::{fs, os::unix::fs::PermissionsExt, path::Path, sync::Arc};

use prost::Message;
use prost_reflect::prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};
use satchel::{
    boot::Satchel,
    config::Config,
    model::{
        caller::Caller,
        egress::{Origin, Part},
        error::{Error, Kind},
    },
    services::catalog::grpc_import,
};
use serde_json::{Value, json};
use tonic_reflection::pb::v1::{
    ListServiceResponse, ServiceResponse, server_reflection_request::MessageRequest as Asked,
    server_reflection_response::MessageResponse,
};

use crate::support::program::binary;
use crate::support::{
    app::{TestApp, config},
    remote::{
        described::{self, Says, files},
        grpc::{Reflection, start},
        systems::{draft, open},
    },
};

fn file(name: &str, imports: &[String], messages: Vec<DescriptorProto>) -> Vec<u8> {
    FileDescriptorProto {
        name: Some(name.to_owned()),
        dependency: imports.to_vec(),
        public_dependency: (0..).take(imports.len()).collect(),
        message_type: messages,
        ..FileDescriptorProto::default()
    }
    .encode_to_vec()
}

fn message(name: &str) -> DescriptorProto {
    DescriptorProto { name: Some(name.to_owned()), ..DescriptorProto::default() }
}

fn with_fields(count: i32) -> DescriptorProto {
    let field = |number| FieldDescriptorProto {
        name: Some(format!("f{number}")),
        number: Some(number),
        ..FieldDescriptorProto::default()
    };
    DescriptorProto { field: (1..=count).map(field).collect(), ..message("M") }
}

fn services(names: Vec<String>) -> MessageResponse {
    let service = names.into_iter().map(|name| ServiceResponse { name }).collect();
    MessageResponse::ListServicesResponse(ListServiceResponse { service })
}

/// A hostile description, and a part of what is said of it.
fn hostile() -> Vec<(&'static str, Says)> {
    let always = |bytes: Vec<u8>| -> Says { Arc::new(move |_| files(vec![bytes.clone()])) };
    let deep = (0..300).fold(message("M"), |inner, _| DescriptorProto { nested_type: vec![inner], ..message("M") });
    let many: Vec<String> = (0..1_500).map(|number| format!("{number}.proto")).collect();
    let circle = ["a".to_owned(), "b".to_owned()];
    vec![
        ("more than is read", always(file("a", &[], vec![with_fields(25_000)]))),
        ("more than is read", always(file("a", &[], vec![deep]))),
        ("more than is read", always(file("a", &[], vec![message(&"M".repeat(1 << 20))]))),
        ("more than is read", Arc::new(|_| files(vec![file("", &[], vec![message(""); 1_000]); 200]))),
        ("more than 1000 files", always(file("a", &many, Vec::new()))),
        ("cannot be read", always(b"\x0a\x01\xff\x07".to_vec())),
        ("do not fit together", always(file("a", &[], vec![message("M"), message("M")]))),
        ("something else", Arc::new(|_| services(vec!["a.B".to_owned()]))),
        ("other types than those asked for", always(file("a", &["b".to_owned()], Vec::new()))),
        // Whoever imports one is told of the next, without end.
        (
            "more than 100 files deep",
            Arc::new(|asked| {
                let number = match asked {
                    Asked::FileByFilename(name) => name.parse().unwrap_or(0),
                    _ => 0,
                };
                files(vec![file(&number.to_string(), &[(number + 1).to_string()], Vec::new())])
            }),
        ),
        // A circle of public imports is whole: there is only no such service in it.
        (
            "no gRPC service",
            Arc::new(move |asked| {
                let name = match asked {
                    Asked::FileByFilename(name) => name,
                    _ => "a".to_owned(),
                };
                files(vec![file(&name, &circle, vec![message(&format!("M{name}"))])])
            }),
        ),
    ]
}

async fn refusal(app: &TestApp, caller: &Caller, system: &str) -> Error {
    let ask = json!({"system_id": system, "service": "a.B", "method": "C", "body": {}});
    app.call(caller, "call_grpc_endpoint", ask).await.err().unwrap()
}

async fn says(app: &TestApp, caller: &Caller) -> Result<Value, Error> {
    let ask = json!({"system_id": "users", "service": "echo.v1.Echo", "method": "Say", "body": {"text": "hello"}});
    app.data(caller, "call_grpc_endpoint", ask).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_description_is_refused_in_words_and_others_are_read() {
    let app = TestApp::start().await;
    open(&app, "users", &format!("http://{}", start(Reflection::V1).await)).await;
    let owner = app.caller(&["*"]).await;
    for (number, (words, hostile)) in hostile().into_iter().enumerate() {
        let name = format!("hostile {number}");
        open(&app, &name, &format!("http://{}", described::start(hostile).await)).await;
        let error = refusal(&app, &owner, &name).await;
        assert!(error.message().contains(words), "{number}: {error}");
        assert_ne!(error.kind(), Kind::Internal, "{number}: {error}");
    }
    assert_eq!(says(&app, &owner).await.unwrap()["message"]["question"]["text"], "hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_system_of_endless_services_is_not_imported() {
    let app = TestApp::start().await;
    for (number, names) in [vec![String::new(); 100_000], vec!["a".repeat(100_000)]].into_iter().enumerate() {
        let address = described::start(Arc::new(move |_| services(names.clone()))).await;
        let system = draft(&app, &format!("many {number}"), &format!("http://{address}"), json!({})).await;
        let http = app.satchel.app.outbound(Origin::part(Part::Ingest, None)).unwrap();
        let error = grpc_import::read(&app.satchel.app, &http, &system).await.err().unwrap();
        assert!(error.message().contains("more than 200 services"), "{error}");
    }
}

/// An application whose readers do as a file beside its data says: `killed` while they read, or `lie`, whose bytes are their
/// answer.
async fn with_readers() -> TestApp {
    let dir = tempfile::tempdir().unwrap();
    let (program, place) = (dir.path().join("program"), dir.path().display());
    let real = binary();
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = __reader ]; then\n\
         if [ -e '{place}/killed' ]; then head -c 20 > /dev/null; kill -9 $$; fi\n\
         if [ -e '{place}/lie' ]; then cat > /dev/null; cat '{place}/lie'; exit 0; fi\nfi\nexec '{real}' \"$@\"\n"
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let satchel = Satchel::start(Config { program, ..config(&dir) }).await.unwrap();
    TestApp { satchel, dir }
}

fn lie(dir: &Path, head: &str, set: Option<DescriptorProto>) {
    let file = set.map(|message| FileDescriptorProto {
        name: Some("x".to_owned()),
        message_type: vec![message],
        ..FileDescriptorProto::default()
    });
    let set = FileDescriptorSet { file: file.into_iter().collect() };
    fs::write(dir.join("lie"), [head.as_bytes(), b"\n", &set.encode_to_vec()].concat()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_is_killed_or_lies_ends_one_call() {
    let app = with_readers().await;
    open(&app, "users", &format!("http://{}", start(Reflection::V1).await)).await;
    let (owner, dir) = (app.caller(&["*"]).await, app.dir.path());
    fs::write(dir.join("killed"), "").unwrap();
    let error = says(&app, &owner).await.unwrap_err();
    assert!(error.message().contains("description of types was not read"), "{error}");
    fs::remove_file(dir.join("killed")).unwrap();

    let deep = (0..40).fold(message("M"), |inner, _| DescriptorProto { nested_type: vec![inner], ..message("M") });
    for (head, set, words) in [
        (r#"{"Done":"Whole"}"#, Some(with_fields(200_000)), "more than is read"),
        (r#"{"Done":"Whole"}"#, Some(deep), "more than is read"),
        (r#"{"Done":"Whole"}"#, Some(message("M")), "no gRPC service 'echo.v1.Echo'"),
        (r#"{"Done":"Unknown"}"#, None, "no gRPC service 'echo.v1.Echo'"),
        (r#"{"Done":{"Missing":["x"]}}"#, None, "does not describe its types"),
        (r#"{"Done":{"Services":[]}}"#, None, "something else"),
        (r#"{"Done":1}"#, None, ""),
        ("nothing", None, ""),
    ] {
        lie(dir, head, set);
        app.satchel.app.net.calling.forget_types();
        let error = says(&app, &owner).await.unwrap_err();
        assert!(error.message().contains(words), "{head}: {error}");
    }
    fs::remove_file(dir.join("lie")).unwrap();
    app.satchel.app.net.calling.forget_types();
    assert_eq!(says(&app, &owner).await.unwrap()["message"]["question"]["text"], "hello");
}
