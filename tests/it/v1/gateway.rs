//! Models that are asked without an agent.

use serde_json::{Value, json};

use super::stage::{asking, audited, own, program, said, stream};
use crate::support::{
    chat::Chat,
    fake_llm::{FakeLlm, Piece, Reply, call, refuse, say},
};

const PATH: &str = "/v1/chat/completions";
const MODEL: &str = "openai:fake-1";

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_sends_is_passed_on_and_streamed_back_as_it_comes() {
    let chat = Chat::start(vec![say("Hello."), say("Again.")]).await;
    let program = own(&chat).await;
    let mut body = asking(MODEL, "Hi.");
    body["logit_bias"] = json!({"7": 1});
    body["prompt_cache_key"] = json!("k");
    let frames = stream(&program, PATH, body.clone()).await;
    assert_eq!(said(&frames), "Hello.");
    assert_eq!(frames.last().unwrap().1, "[DONE]");
    assert!(frames.iter().all(|(_, data)| data["usage"].is_null()), "{frames:?}");
    let sent = chat.llm.body(0);
    assert_eq!((&sent["model"], &sent["logit_bias"]["7"]), (&json!("fake-1"), &json!(1)));
    assert_eq!((&sent["prompt_cache_key"], &sent["messages"]), (&json!("k"), &body["messages"]));
    body["stream_options"] = json!({"include_usage": true});
    let frames = stream(&program, PATH, body).await;
    assert!(frames.iter().any(|(_, data)| data["usage"]["prompt_tokens"] == 10), "{frames:?}");
    let rows = audited(&chat, "openai").await;
    assert_eq!((&rows[0]["action"], &rows[0]["outcome"]), (&json!("model"), &json!("success")));
    assert_eq!(rows[0]["arguments"]["usage"], json!({"input_tokens": 10, "output_tokens": 5}));
    assert_eq!(chat.owner.do_it("GET", "/api/conversations", Value::Null).await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_other_dialect_is_understood() {
    let chat = Chat::start(vec![call("get_weather", json!({"town": "Bern"})), say("Sun.")]).await;
    let program = own(&chat).await;
    let body = json!({
        "model": MODEL, "max_tokens": 50, "system": [{"type": "text", "text": "Be brief."}],
        "messages": [{"role": "user", "content": "The weather?"}],
        "tools": [{"name": "get_weather", "description": "Weather.", "input_schema": {"type": "object"}}],
    });
    let answer = program.do_it("POST", "/v1/messages", body).await;
    assert_eq!(answer["stop_reason"], "tool_use");
    assert_eq!(answer["content"][0]["input"], json!({"town": "Bern"}));
    assert_eq!(answer["usage"]["output_tokens"], 5);
    let sent = chat.llm.body(0);
    assert_eq!(sent["messages"][0], json!({"role": "system", "content": "Be brief."}));
    assert_eq!((&sent["tools"][0]["function"]["name"], &sent["max_tokens"]), (&json!("get_weather"), &json!(50)));
    assert_eq!(audited(&chat, "anthropic").await[0]["action"], "model");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_holds_for_models_without_an_agent_too() {
    let chat = Chat::start(vec![say("Hello.")]).await;
    chat.set(json!({"chat": {"daily_token_budget": 10}})).await;
    let program = own(&chat).await;
    program.do_it("POST", PATH, asking(MODEL, "Hi.")).await;
    let (status, refused) = program.ask("POST", PATH, asking(MODEL, "Hi.")).await;
    assert_eq!((status, &refused["error"]["code"]), (429, &json!("insufficient_quota")));
    let (status, refused) = program.ask("POST", PATH, asking("satchel/assistant", "Hi.")).await;
    assert_eq!((status, &refused["error"]["type"]), (429, &json!("insufficient_quota")));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_stands_in_for_one_that_fails() {
    let chat = Chat::start(vec![]).await;
    let other = FakeLlm::start(vec![say("I stand in.")]).await;
    let url = format!("http://{}", other.address);
    let body = json!({"kind": "anthropic", "name": "second", "model": "fake-2", "base_url": url});
    chat.owner.do_it("POST", "/api/providers", body).await;
    chat.llm.replace_script(vec![refuse(401)]);
    let program = own(&chat).await;
    let answer = program.do_it("POST", PATH, asking(MODEL, "Hi.")).await;
    assert_eq!(answer["choices"][0]["message"]["content"], "I stand in.");
    assert_eq!(other.body(0)["messages"][0]["content"][0]["text"], "Hi.");
    let row = &audited(&chat, "openai").await[0];
    assert_eq!(row["arguments"]["model"], "second:fake-2");
    assert!(row["arguments"]["instead_of"].is_object(), "{row}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_told_in_the_dialect_and_is_in_the_audit() {
    let refused = Reply::Refuse(400, vec![], json!({"error": {"message": "no such thing"}}).to_string());
    let chat = Chat::start(vec![refused.clone(), refused]).await;
    let program = own(&chat).await;
    let (status, told) = program.ask("POST", PATH, asking(MODEL, "Hi.")).await;
    assert_eq!(status, 400, "{told}");
    assert!(told["error"]["message"].as_str().unwrap().contains("no such thing"), "{told}");
    assert_eq!(audited(&chat, "openai").await[0]["outcome"], "failure");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_breaks_off_ends_with_an_error_and_is_counted() {
    let broken = Reply::Answer(vec![Piece::Text("Hal".to_owned()), Piece::Break]);
    let chat = Chat::start(vec![broken]).await;
    let program = own(&chat).await;
    let frames = stream(&program, PATH, asking(MODEL, "Hi.")).await;
    assert_eq!(said(&frames), "Hal");
    assert_eq!(frames.last().unwrap().1["error"]["type"], "server_error");
    let usage = &audited(&chat, "openai").await[0]["arguments"]["usage"];
    assert_eq!(usage["output_tokens"], 1, "{usage}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_opens_nothing_personal_asks_models_and_no_agents() {
    let chat = Chat::start(vec![say("Hello.")]).await;
    let program = program(&chat, &chat.owner, json!({"permissions": ["agents:run"]})).await;
    let answer = program.do_it("POST", PATH, asking(MODEL, "Hi.")).await;
    assert_eq!(answer["choices"][0]["message"]["content"], "Hello.");
    let (status, told) = program.ask("POST", PATH, asking("satchel/assistant", "Hi.")).await;
    assert_eq!((status, &told["error"]["type"]), (403, &json!("permission_error")));
    let listed = program.do_it("GET", "/v1/models", Value::Null).await;
    assert!(!listed.to_string().contains("satchel/assistant"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_anthropic_client_sends_reaches_its_model_as_it_came() {
    let chat = Chat::start(vec![]).await;
    let other = FakeLlm::start(vec![say("Hello."), say("Hello.")]).await;
    let url = format!("http://{}", other.address);
    let body = json!({"kind": "anthropic", "name": "second", "model": "fake-2", "base_url": url});
    chat.owner.do_it("POST", "/api/providers", body).await;
    let program = own(&chat).await.with("anthropic-beta", "one-2026").with("anthropic-version", "2026-10-21");
    let block = json!({"type": "text", "text": "Hi.", "cache_control": {"type": "ephemeral"}});
    let document = json!({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}});
    let body = json!({
        "model": "second:fake-2", "max_tokens": 50, "thinking": {"type": "adaptive"},
        "tools": [{"type": "web_search_20260209", "name": "web_search"}],
        "messages": [{"role": "user", "content": [block, document]}],
    });
    let frames = stream(&program, "/v1/messages", body.clone()).await;
    assert_eq!(frames.last().unwrap().1["type"], "message_stop");
    let answer = program.do_it("POST", "/v1/messages", body.clone()).await;
    assert_eq!(answer["content"][0]["text"], "Hello.");
    let sent = &other.seen()[0];
    assert!(sent.head.contains("anthropic-beta: one-2026"), "{}", sent.head);
    assert!(sent.head.contains("anthropic-version: 2026-10-21"), "{}", sent.head);
    for field in ["thinking", "tools", "messages", "max_tokens"] {
        assert_eq!(sent.body[field], body[field]);
    }
}
