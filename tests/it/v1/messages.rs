//! Messages of an agent, as Anthropic's clients have them.

use serde_json::{Value, json};

use super::stage::{audited, key, own, stream};
use crate::support::{
    chat::{Chat, Person},
    fake_llm::{call, calls, say},
};

const PATH: &str = "/v1/messages";

fn asking(text: &str) -> Value {
    json!({"model": "satchel/assistant", "max_tokens": 100, "messages": [{"role": "user", "content": text}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_run_here_are_blocks_of_their_own_and_the_key_may_be_an_x_api_key() {
    let chat = Chat::start(vec![call("calculator", json!({"expression": "6*7"})), say("It is 42.")]).await;
    let header = ("x-api-key", key(&chat.owner, json!({})).await);
    let program = Person::showing(&chat.app.satchel.url, header);
    let answer = program.do_it("POST", &format!("{PATH}?beta=true"), asking("6 by 7?")).await;
    let kinds: Vec<_> = answer["content"].as_array().unwrap().iter().map(|block| block["type"].clone()).collect();
    assert_eq!(kinds, ["mcp_tool_use", "mcp_tool_result", "text"]);
    assert_eq!(answer["content"][0]["input"], json!({"expression": "6*7"}));
    assert_eq!(answer["content"][0]["id"], answer["content"][1]["tool_use_id"]);
    assert_eq!((&answer["content"][2]["text"], &answer["stop_reason"]), (&json!("It is 42."), &json!("end_turn")));
    assert_eq!((&answer["usage"]["input_tokens"], &answer["usage"]["output_tokens"]), (&json!(20), &json!(10)));
    assert_eq!(audited(&chat, "anthropic").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_has_the_events_of_the_dialect_in_their_order() {
    let both = vec![("calculator", json!({"expression": "1"})), ("look", json!({"at": "x"}))];
    let chat = Chat::start(vec![calls(both)]).await;
    let program = own(&chat).await;
    let mut body = asking("Look.");
    body["tools"] = json!([{"name": "look", "input_schema": {"type": "object"}}]);
    let frames = stream(&program, PATH, body).await;
    let names: Vec<&str> = frames.iter().map(|(event, _)| event.as_deref().unwrap()).collect();
    assert_eq!(names[..2], ["message_start", "ping"]);
    assert_eq!(names[names.len() - 2..], ["message_delta", "message_stop"]);
    for (event, data) in &frames {
        assert_eq!(event.as_deref().unwrap(), data["type"]);
    }
    let started: Vec<_> = frames.iter().filter(|(_, data)| data["type"] == "content_block_start").collect();
    let stopped = frames.iter().filter(|(_, data)| data["type"] == "content_block_stop").count();
    assert_eq!(started.len(), stopped);
    for (number, (_, data)) in started.iter().enumerate() {
        assert_eq!(data["index"], number);
    }
    let input = frames.iter().find_map(|(_, data)| data["delta"]["partial_json"].as_str()).unwrap();
    assert_eq!(input, "{\"at\":\"x\"}");
    assert_eq!(frames[frames.len() - 2].1["delta"]["stop_reason"], "tool_use");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_goes_on_with_the_call_it_is_of() {
    let chat = Chat::start(vec![call("look", json!({"at": "x"})), say("A heron.")]).await;
    let program = own(&chat).await;
    let mut body = asking("Look.");
    body["tools"] = json!([{"name": "look", "input_schema": {"type": "object"}}]);
    let answer = program.do_it("POST", PATH, body.clone()).await;
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": answer["content"]}));
    let result = json!({"type": "tool_result", "tool_use_id": answer["content"][0]["id"], "content": [{"type": "text", "text": "grey"}]});
    messages.push(json!({"role": "user", "content": [result, {"type": "text", "text": "What is it?"}]}));
    let answer = program.do_it("POST", PATH, body).await;
    assert_eq!(answer["content"], json!([{"type": "text", "text": "A heron."}]));
    let asked = chat.llm.body(1);
    let told = asked["messages"].as_array().unwrap();
    assert_eq!(told[told.len() - 1]["content"], "What is it?");
    assert_eq!(told[told.len() - 2]["content"], "[TOOL:look]\ngrey\n[/TOOL]");
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_counted_and_errors_have_the_dialects_shape() {
    let chat = Chat::start(vec![]).await;
    let program = own(&chat).await;
    let count = program.do_it("POST", "/v1/messages/count_tokens", asking("How long is this?")).await;
    assert!(count["input_tokens"].as_u64().unwrap() > 4, "{count}");
    let url = format!("http://{}", chat.llm.address);
    let second = json!({"kind": "anthropic", "name": "second", "model": "fake-2", "base_url": url});
    chat.owner.do_it("POST", "/api/providers", second).await;
    let mut body = asking("How long is this?");
    body["model"] = json!("second:fake-2");
    assert_eq!(program.do_it("POST", "/v1/messages/count_tokens", body).await["input_tokens"], 321);
    let (status, told) =
        program.ask("POST", PATH, json!({"model": "satchel/nobody", "max_tokens": 1, "messages": []})).await;
    assert_eq!((status, &told["type"], &told["error"]["type"]), (404, &json!("error"), &json!("not_found_error")));
    assert_eq!(told["request_id"].as_str().unwrap().len(), 32);
    let (status, told) =
        program.ask("POST", PATH, json!({"model": "satchel/assistant", "max_tokens": "many", "messages": []})).await;
    assert_eq!((status, &told["error"]["type"]), (400, &json!("invalid_request_error")));
    assert!(told["error"]["message"].as_str().unwrap().contains("`max_tokens`"), "{told}");
}
