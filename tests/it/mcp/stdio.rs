//! `satchel mcp`: the protocol on standard input and output, beside a server and without one.

use serde_json::{Value, json};

use crate::support::{
    mcp::{about, initialize},
    program::{Home, With},
};

/// The messages of a client of revision 2025-11-25, and of one of 2026-07-28.
fn lines() -> String {
    let meta = about("2026-07-28", json!({}));
    let call = |id: i64, meta: Option<&Value>| {
        let mut params = json!({"name": "calculator", "arguments": {"expression": "6 * 7"}});
        if let Some(meta) = meta {
            params["_meta"] = meta.clone();
        }
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    [call(1, Some(&meta)), json!("nonsense")].map(|line| format!("{line}\n")).concat() + "{not json\n"
}

/// What came back, by the id it answers; errors without one by their code.
fn answers(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

fn by_id(answers: &[Value], id: i64) -> &Value {
    answers.iter().find(|answer| answer["id"] == id).unwrap_or_else(|| panic!("nothing answers {id}: {answers:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_speaks_as_the_owner_of_the_directory_without_a_server() {
    let home = Home::new().await;
    let told = home.run_with(&["mcp"], With { stdin: &lines(), env: &[] }).await;
    let answers = answers(&told.out);
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(by_id(&answers, 1)["result"]["isError"], false, "{answers:?}");
    assert!(answers.iter().any(|answer| answer["error"]["code"] == -32700), "{answers:?}");
    assert!(answers.iter().any(|answer| answer["error"]["code"] == -32600), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_speaks_with_a_key_to_a_server_elsewhere() {
    let home = Home::new().await;
    let server = home.serve(&[]).await;
    let made = home.json(&["key", "create", "--user", "owner", "--permissions", "knowledge:read"]).await;
    let key = made["key"].as_str().unwrap();
    let env = [("SATCHEL_URL", server.url.as_str()), ("SATCHEL_KEY", key)];
    let elsewhere = Home::empty();
    let begin = initialize("2025-11-25", json!({})).to_string() + "\n";
    let told = elsewhere.run_with(&["mcp"], With { stdin: &begin, env: &env }).await;
    assert_eq!(by_id(&answers(&told.out), 0)["result"]["protocolVersion"], "2025-11-25", "{told:?}");
    let told = elsewhere.run_with(&["mcp"], With { stdin: &lines(), env: &env }).await;
    assert_eq!(by_id(&answers(&told.out), 1)["result"]["isError"], false, "{told:?}");
    let wrong = [("SATCHEL_URL", server.url.as_str()), ("SATCHEL_KEY", "sk_satchel_no")];
    let told = elsewhere.run_with(&["mcp"], With { stdin: &lines(), env: &wrong }).await;
    let refused = answers(&told.out);
    assert!(by_id(&refused, 1)["error"]["message"].as_str().unwrap().contains("API key is not known"), "{told:?}");
    let half = elsewhere.run_with(&["mcp"], With { stdin: "", env: &env[..1] }).await;
    assert_eq!(half.code, 2, "{half:?}");
}
