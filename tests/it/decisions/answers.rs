//! An answer's `error` is words, what programs want stands in `problem`, and what a model reads has a bound.

use serde_json::{Value, json};

use crate::support::{
    chat::Chat,
    fake_llm::{call, say},
    http::{Request, TestServer},
};

/// Returns what stands between the markers of a tool's text.
fn between(text: &str) -> &str {
    let (_, rest) = text.split_once(']').unwrap();
    rest.strip_suffix("[/TOOL]").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn r24_an_answers_error_is_words_or_null_and_its_problem_is_for_programs() {
    let server = TestServer::start().await;
    let key = server.key(&server.sign_in("owner").await, None).await;
    let invoke = async |tool: &str, params: Value| {
        let request = Request::post(&format!("/api/tools/{tool}/invoke"), &json!({"params": params})).bearer(&key);
        server.send(request).await.json()
    };
    let good = invoke("calculator", json!({"expression": "6 * 7"})).await;
    assert_eq!([&good["error"], &good["problem"]], [&Value::Null, &Value::Null]);
    let bad = invoke("read", json!({"path": "none.txt"})).await;
    assert!(bad["error"].as_str().unwrap().contains("none.txt"), "{bad}");
    assert_eq!(bad["problem"], json!({"kind": "not_found", "details": null}));
}

#[tokio::test(flavor = "multi_thread")]
async fn r24_the_chat_tells_a_failure_in_the_same_shape() {
    let chat = Chat::start(vec![call("read", json!({"path": "none.txt"})), say("It is not there.")]).await;
    let (conversation, events) = chat.owner.turn("Read it").await;
    let ended = crate::support::chat::find(&events, "tool_end").data.clone();
    let output = &chat.owner.view(&conversation).await["messages"][1]["steps"][0]["output"].clone();
    for told in [&ended["error"], &ended["output"]["error"], &output["error"]] {
        assert!(told.as_str().unwrap().contains("none.txt"), "{told}");
    }
    assert_eq!(output["problem"]["kind"], "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn r39_3000_characters_stand_between_the_markers_and_every_conversation_names_the_handle() {
    let chat = Chat::start(vec![]).await;
    let owner = &chat.owner;
    let rows: Vec<Value> = (0..900).map(|n| json!({"n": n, "é": "ü"})).collect();
    let params = json!({"data": Value::from(rows).to_string(), "field": "n", "operator": "gte", "value": "0"});
    let conversation = owner.conversation().await;
    let topic = conversation.rsplit('/').next().unwrap();
    let path = "/api/tools/filter_rows/invoke";
    let with = owner.do_it("POST", path, json!({"params": params, "topic": topic})).await;
    let without = owner.do_it("POST", path, json!({"params": params})).await;
    let text = with["meta"]["model_text"].as_str().unwrap();
    for told in [text, without["meta"]["model_text"].as_str().unwrap()] {
        assert_eq!(between(told).chars().count(), 3_000, "{told}");
        assert!(told.contains("(cut: "), "{told}");
    }
    assert!(!without["meta"]["model_text"].as_str().unwrap().contains("result:"), "there is no conversation to ask in");
    let handle = text.split('\'').find(|part| part.starts_with("result:")).unwrap();
    let rest = json!({"data": handle, "path": "count"});
    let read = owner.do_it("POST", "/api/tools/parse_json/invoke", json!({"params": rest, "topic": topic})).await;
    assert_eq!(read["data"]["result"], 900, "{read}");
    let chat_says = vec![call("filter_rows", params), say("Long.")];
    chat.llm.then(chat_says);
    owner.turn("Filter").await;
    let told = crate::support::chat::results(&chat.llm.body(1)).remove(0);
    assert_eq!(between(&told).chars().count(), 3_000);
    assert!(told.contains("give 'result:"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn proposing_processes_without_a_model_is_409() {
    let server = TestServer::start().await;
    let key = server.key(&server.sign_in("owner").await, None).await;
    let ask = Request::post("/api/processes/propose", &json!({"about": "money"})).bearer(&key);
    let answer = server.send(ask).await;
    assert_eq!(answer.status, 409, "{}", answer.text());
    assert!(answer.text().contains("No model is connected"), "{}", answer.text());
}
