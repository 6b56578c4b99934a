//! Sizes of what somebody fills: rows of the audit, questions and processes are bounded, and so is an answer that holds them.

use serde_json::{Map, Value, json};

use crate::support::http::{Request, TestServer};

/// The key of a person who is asked before they write.
async fn plain(server: &TestServer) -> String {
    let permissions = json!(["host:fs.read", "host:fs.write", "processes:read", "processes:write"]);
    server.owner("POST", "/api/roles", &json!({"name": "plain", "permissions": permissions})).await;
    server.add("mara", "plain").await;
    server.key(&server.sign_in("mara").await, None).await
}

fn invoke(key: &str, tool: &str, params: Value) -> Request {
    Request::post(&format!("/api/tools/{tool}/invoke"), &json!({"params": params})).bearer(key)
}

fn many(fields: usize, value: &str) -> Value {
    Value::Object((0..fields).map(|n| (format!("k{n}"), value.into())).collect::<Map<_, _>>())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_with_very_many_arguments_makes_a_small_answer_and_a_small_row() {
    let server = TestServer::start().await;
    let mara = plain(&server).await;
    let given = many(8_000, &"lorem ".repeat(160));
    let refused = server.send(invoke(&mara, "calculator", given)).await;
    assert!(refused.status == 400 && refused.body.len() < 4_000, "{}", refused.text());
    assert!(refused.text().contains("'k4' and 7995 more (known: 'expression')"), "{}", refused.text());
    let history = server.send(Request::get("/api/tools/calculator/history").bearer(&mara)).await;
    assert!(history.status == 200 && history.body.len() < 20_000, "{} bytes", history.body.len());
    let arguments = &history.json()[0]["arguments"];
    assert_eq!(arguments["…"], "… (8000 fields)");
    assert!(arguments["k0"].as_str().unwrap().starts_with("lorem lorem"), "{arguments}");
    let page = server.owner("GET", "/api/audit?limit=500&tool=calculator", &Value::Null).await;
    assert_eq!(&page["entries"][0]["arguments"], arguments);
    assert_eq!(page["next"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_persons_open_questions_hold_is_bounded_and_comes_whole() {
    let server = TestServer::start().await;
    let mara = plain(&server).await;
    let content = "x".repeat(7_800_000);
    let write = |name: &str| server.send(invoke(&mara, "write", json!({"path": name, "content": content})));
    let asked = [write("one").await, write("two").await];
    for one in &asked {
        assert_eq!((one.status, one.header("content-type")), (409, Some("application/problem+json")));
        assert_eq!(one.json()["arguments"]["content"], content);
    }
    let refused = write("three").await;
    assert!(refused.status == 429 && refused.problem().contains("large questions"), "{}", refused.status);
    let small = server.send(invoke(&mara, "write", json!({"path": "small", "content": "x"}))).await;
    assert_eq!(small.status, 409);
    let list = server.send(Request::get("/api/tickets").bearer(&mara)).await.json();
    let paths: Vec<&Value> = list.as_array().unwrap().iter().map(|one| &one["arguments"]["path"]).collect();
    assert_eq!(paths, ["one", "two", "small"]);
    let id = asked[1].json()["ticket"].as_str().unwrap().to_owned();
    let one = server.send(Request::get(&format!("/api/tickets/{id}")).bearer(&mara)).await.json();
    assert_eq!(one, list[1]);
}

/// A process of so many steps that say much.
fn process(name: &str, steps: usize) -> Value {
    let step = |n: usize| json!({"id": format!("s{n}"), "name": format!("Step {n}"), "description": "\u{1d11e}".repeat(4_000)});
    json!({"name": name, "steps": (0..steps).map(step).collect::<Vec<_>>()})
}

#[tokio::test(flavor = "multi_thread")]
async fn all_processes_together_are_bounded() {
    let server = TestServer::start().await;
    let mara = plain(&server).await;
    let put = |name: String| server.send(Request::post("/api/processes", &process(&name, 200)).bearer(&mara));
    let mut kept = 0;
    let refused = loop {
        let answer = put(format!("Process {kept}")).await;
        if answer.status != 201 {
            break answer;
        }
        kept += 1;
    };
    assert!(refused.status == 409 && refused.problem().contains("may have 16 MB"), "{}", refused.text());
    let list = server.send(Request::get("/api/processes").bearer(&mara)).await;
    assert!(list.body.len() < 18 << 20, "{} bytes", list.body.len());
    assert_eq!(list.json().as_array().unwrap().len(), kept);
}
