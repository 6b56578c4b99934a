//! Omissions of the audit: values of calls that went wrong beside a private tool, and secrets within texts.

use serde_json::{Value, json};

use crate::support::{
    http::{Request, TestServer},
    library::Library,
};

/// The whole export, as whoever may read the audit gets it.
async fn export(server: &TestServer) -> String {
    let cookie = server.sign_in("owner").await;
    let answer = server.send(Request::get("/api/audit/export").cookie(&cookie)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_slightly_wrong_leaves_no_private_text() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    for (tool, params) in [
        ("save_memorry", json!({"content": "MARK"})),
        ("SAVE_MEMORY", json!({"content": "MARK"})),
        ("save_memory", json!({"Content": "MARK"})),
        ("save_memory", json!("MARK")),
        ("save_memory", json!({"content": "x", "category": "MARK"})),
        ("memorize", json!({"gistz": ["MARK"]})),
        ("recall", json!({"layers": ["MARK"], "query": "x"})),
        ("parallel", json!({"tool_uses": [{"recipient_name": "save_memory", "params": {"content": "MARK"}}]})),
        ("list", json!({"action": "create", "list": "MARK"})),
        ("list", json!({"action": "rename", "list": "MARK", "new_name": "MARK again"})),
        ("no_such_tool", json!({"MARK of a person": 1})),
    ] {
        let request = Request::post(&format!("/api/tools/{tool}/invoke"), &json!({"params": params}));
        server.send(request.cookie(&cookie)).await;
    }
    let kept = export(&server).await;
    assert!(kept.contains("save_memorry") && kept.contains("builtin:list"));
    assert!(!kept.contains("MARK"), "{}", kept.lines().filter(|line| line.contains("MARK")).collect::<String>());
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_within_texts_are_masked() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    let texts = [
        "password=MARK5-hush",
        "Authorization: Bearer MARK9-hush",
        "https://bob:MARK@a.example/x",
        "{\"api_key\": \"MARK\"}",
        "sk-MARKMARKMARKMARKMARK",
        "ghp_MARKMARKMARKMARKMARKMARK",
    ];
    for text in texts {
        let params = json!({"params": {"data": text, "pattern": "x"}});
        let answer = server.send(Request::post("/api/tools/grep_result/invoke", &params).cookie(&cookie)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let kept = export(&server).await;
    assert!(!kept.contains("MARK"), "{kept}");
    let rows = server.owner("GET", "/api/audit?tool=builtin:grep_result", &Value::Null).await;
    assert_eq!(rows["entries"].as_array().unwrap().len(), texts.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn contents_of_files_and_titles_of_restricted_documents_stay_out() {
    let library = Library::open().await;
    let server = &library.server;
    let cookie = server.sign_in("owner").await;
    let diff = "@@ -1 +1 @@\n-MARK and more\n+MARK\n";
    for (tool, params) in [
        ("write", json!({"path": "kept.txt", "content": "MARK"})),
        ("edit", json!({"path": "kept.txt", "old_text": "MARK", "new_text": "MARK and more"})),
        ("apply_patch", json!({"path": "kept.txt", "patch": diff})),
        ("edit", json!({"path": "kept.txt", "old_text": "MARK that is not there", "new_text": "x"})),
    ] {
        let request = Request::post(&format!("/api/tools/{tool}/invoke"), &json!({"params": params}));
        let answer = server.send(request.cookie(&cookie)).await;
        assert_eq!(answer.status, 200, "{tool}: {}", answer.text());
    }
    let board = library.do_it("POST", "/collections", json!({"name": "Board", "roles": ["operator"]})).await;
    let hidden = json!({"title": "MARK of the board", "text": "x", "collection": board["id"]});
    let hidden = library.do_it("POST", "/documents", hidden).await["id"].as_str().unwrap().to_owned();
    library.ready(&hidden).await;
    library.do_it("DELETE", &format!("/documents/{hidden}"), Value::Null).await;
    library.do_it("POST", "/documents", json!({"title": "Open minutes", "text": "x"})).await;
    let kept = export(server).await;
    assert!(kept.contains("kept.txt") && kept.contains(&hidden) && kept.contains("Open minutes"), "{kept}");
    assert!(!kept.contains("MARK"), "{}", kept.lines().filter(|line| line.contains("MARK")).collect::<String>());
}
