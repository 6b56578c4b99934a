//! The document tools, through the pipeline.

use satchel::model::{call::Outcome, error::Kind};
use serde_json::{Value, json};

use crate::support::app::TestApp;

const READ: &[&str] = &["knowledge:read"];
const WRITE: &[&str] = &["knowledge:write"];
const BOTH: &[&str] = &["knowledge:read", "knowledge:write"];

fn letter(title: &str) -> Value {
    json!({"format": "docx", "title": title, "content": {"paragraphs": ["Dear Mr Smith."]}})
}

#[tokio::test]
async fn reading_needs_one_permission_and_writing_the_other() {
    let app = TestApp::start().await;
    let (reader, writer) = (app.caller(READ).await, app.caller(WRITE).await);
    let owner = app.caller(&["*"]).await;
    let error = app.data(&reader, "document_create", letter("A")).await.unwrap_err();
    assert_eq!(error.kind(), Kind::NotFound);
    let path = app.data(&writer, "document_create", letter("A")).await.unwrap()["path"].clone();
    for (tool, arguments) in [
        ("document_read", json!({"file_path": path})),
        ("document_convert", json!({"file_path": path, "target_format": "text"})),
    ] {
        assert_eq!(app.data(&writer, tool, arguments).await.unwrap_err().kind(), Kind::NotFound, "{tool}");
    }
    let change = json!({"file_path": path, "operation": "append", "data": {"paragraphs": ["x"]}});
    assert_eq!(app.data(&reader, "document_modify", change.clone()).await.unwrap_err().kind(), Kind::NotFound);
    let asked = app.call(&writer, "document_modify", change.clone()).await.unwrap();
    assert!(
        matches!(asked, Outcome::Confirm(ticket) if ticket.question == "Change “documents/A.docx”?"),
        "it ran unasked"
    );
    app.data(&owner, "document_create", letter("A")).await.unwrap();
    assert_eq!(app.data(&owner, "document_modify", change).await.unwrap()["added"], 1);
}

#[tokio::test]
async fn a_document_is_never_replaced_by_a_new_one() {
    let app = TestApp::start().await;
    let caller = app.caller(BOTH).await;
    let mut paths = Vec::new();
    for _ in 0..3 {
        paths.push(app.data(&caller, "document_create", letter("../My letter")).await.unwrap()["path"].clone());
    }
    assert_eq!(paths, ["documents/My-letter.docx", "documents/My-letter-2.docx", "documents/My-letter-3.docx"]);
    let convert = json!({"file_path": "documents/My-letter.docx", "target_format": "text"});
    assert_eq!(
        app.data(&caller, "document_convert", convert.clone()).await.unwrap()["path"],
        "documents/My-letter.txt"
    );
    assert_eq!(app.data(&caller, "document_convert", convert).await.unwrap()["path"], "documents/My-letter-2.txt");
}

#[tokio::test]
async fn several_sheets_become_several_files() {
    let app = TestApp::start().await;
    let caller = app.caller(&["*"]).await;
    let sheets = json!([{"name": "A", "rows": [["x", 1]]}, {"name": "B & C", "rows": [["y, z", true]]}]);
    let made = json!({"format": "xlsx", "title": "Book", "content": {"sheets": sheets}});
    app.data(&caller, "document_create", made).await.unwrap();
    let all = json!({"file_path": "documents/Book.xlsx", "target_format": "csv"});
    let paths = app.data(&caller, "document_convert", all).await.unwrap()["paths"].clone();
    assert_eq!(paths, json!(["documents/Book-A.csv", "documents/Book-B-C.csv"]));
    let second = app.data(&caller, "read", json!({"path": "documents/Book-B-C.csv"})).await.unwrap();
    assert_eq!(second["content"], "\"y, z\",TRUE\n");
    let one = json!({"file_path": "documents/Book.xlsx", "target_format": "csv", "sheet": "A"});
    assert_eq!(app.data(&caller, "document_convert", one).await.unwrap()["path"], "documents/Book.csv");
}

#[tokio::test]
async fn other_peoples_documents_cannot_be_reached() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.caller(BOTH).await, app.caller(BOTH).await);
    app.data(&ann, "document_create", letter("Diary")).await.unwrap();
    let path = format!("../{}/documents/Diary.docx", ann.user);
    for (tool, arguments, wanted) in [
        ("document_read", json!({"file_path": path}), Kind::Denied),
        ("document_read", json!({"file_path": "documents/Diary.docx"}), Kind::NotFound),
        ("document_convert", json!({"file_path": path, "target_format": "text"}), Kind::Denied),
        (
            "document_modify",
            json!({"file_path": path, "operation": "append", "data": {"paragraphs": ["x"]}}),
            Kind::Denied,
        ),
    ] {
        assert_eq!(app.data(&bob, tool, arguments.clone()).await.unwrap_err().kind(), wanted, "{tool} {arguments}");
    }
}

#[tokio::test]
async fn data_that_does_not_fit_the_operation_is_refused_and_the_file_stays() {
    let app = TestApp::start().await;
    let caller = app.caller(&["*"]).await;
    app.data(&caller, "document_create", letter("A")).await.unwrap();
    for (operation, data, wanted) in [
        ("append", json!({"old_text": "a", "new_text": "b"}), "`data` of this operation is {\"paragraphs\""),
        ("replace", json!({"old_text": "a"}), "`data` of this operation is {\"old_text\""),
        ("replace", json!({"old_text": "a", "new_text": "b", "paragraphs": []}), "and nothing else"),
        ("replace", json!({"old_text": "Nobody", "new_text": "b"}), "does not occur"),
        ("update_cells", json!({"updates": []}), "works on XLSX files, and this one is docx"),
        ("merge", json!({"file_paths": []}), "names 1 to 50 PDFs"),
    ] {
        let arguments = json!({"file_path": "documents/A.docx", "operation": operation, "data": data});
        let error = app.data(&caller, "document_modify", arguments).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid, "{operation}: {error:?}");
        assert!(error.message().contains(wanted), "{operation}: {error}");
    }
    for (format, content) in
        [("docx", json!({"sheets": []})), ("xlsx", json!({"paragraphs": ["x"]})), ("pdf", json!({}))]
    {
        let arguments = json!({"format": format, "title": "A", "content": content});
        let error = app.data(&caller, "document_create", arguments).await.unwrap_err();
        assert!(error.message().contains("and nothing else"), "{format}: {error}");
    }
    let text = app.data(&caller, "document_read", json!({"file_path": "documents/A.docx"})).await.unwrap();
    assert_eq!(text["text"], "A\n\nDear Mr Smith.");
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_one_document_at_once_all_count() {
    let app = TestApp::start().await;
    let caller = app.caller(&["*"]).await;
    app.data(&caller, "document_create", letter("A")).await.unwrap();
    let change = |number: usize| {
        let paragraphs = json!({"paragraphs": [format!("number {number}")]});
        app.data(
            &caller,
            "document_modify",
            json!({"file_path": "documents/A.docx", "operation": "append", "data": paragraphs}),
        )
    };
    let done = futures_util::future::join_all((0..12).map(change)).await;
    assert!(done.iter().all(Result::is_ok), "{done:?}");
    let text = app.data(&caller, "document_read", json!({"file_path": "documents/A.docx"})).await.unwrap();
    let numbers = text["text"].as_str().unwrap().matches("number").count();
    assert_eq!(numbers, 12);
}
