//! Chat completions of an agent: the whole loop, streamed and not.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::stage::{asking, audited, own, program, said, stream};
use crate::support::{
    chat::{Chat, picture, results},
    fake_llm::{Piece, Reply, call, say},
};

const PATH: &str = "/v1/chat/completions";

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_answers_with_its_tools_and_a_client_sees_no_call_of_them() {
    let chat = Chat::start(vec![call("calculator", json!({"expression": "6*7"})), say("It is 42.")]).await;
    let program = own(&chat).await;
    let answer = program.do_it("POST", PATH, asking("satchel/assistant", "6 by 7?")).await;
    let wanted = json!({"role": "assistant", "content": "It is 42.", "refusal": null});
    assert_eq!(answer["choices"][0]["message"], wanted);
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    assert_eq!((&answer["object"], &answer["model"]), (&json!("chat.completion"), &json!("satchel/assistant")));
    assert_eq!(answer["usage"]["total_tokens"], 30);
    assert!(results(&chat.llm.body(1))[0].contains("42"), "{}", chat.llm.body(1));
    let runs = chat.owner.do_it("GET", "/api/runs", Value::Null).await;
    assert_eq!((&runs[0]["kind"], &runs[0]["state"]), (&json!("api"), &json!("done")));
    let rows = audited(&chat, "openai").await;
    let actions: Vec<_> = rows.iter().map(|row| (&row["event_type"], &row["tool"])).collect();
    assert_eq!(actions[0], (&json!("chat_turn"), &Value::Null));
    assert_eq!(actions[1], (&json!("tool_invocation"), &json!("builtin:calculator")));
    let keys = chat.owner.do_it("GET", "/api/keys", Value::Null).await;
    assert_eq!(keys[0]["first_call"]["name"], "satchel/assistant", "what the program asked, not what the agent did");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_comes_in_chunks_with_what_it_took_where_that_is_asked_for() {
    let texts = ["One", ", two", "."].map(|text| Piece::Text(text.to_owned()));
    let reply = Reply::Answer(texts.into_iter().chain([Piece::Usage(10, 5)]).collect());
    let chat = Chat::start(vec![reply.clone(), reply]).await;
    let program = own(&chat).await;
    let mut body = asking("satchel/assistant", "Count.");
    let plain = stream(&program, PATH, body.clone()).await;
    assert_eq!(said(&plain), "One, two.");
    assert!(plain.iter().all(|(_, data)| data["usage"].is_null()), "{plain:?}");
    body["stream_options"] = json!({"include_usage": true});
    let frames = stream(&program, PATH, body).await;
    let data: Vec<&Value> = frames.iter().map(|(_, data)| data).collect();
    assert_eq!(data[0]["choices"][0]["delta"]["role"], "assistant");
    assert_eq!(data[frames.len() - 1], "[DONE]");
    assert_eq!(
        (&data[frames.len() - 2]["choices"], &data[frames.len() - 2]["usage"]["total_tokens"]),
        (&json!([]), &json!(15))
    );
    assert_eq!(data[frames.len() - 3]["choices"][0]["finish_reason"], "stop");
    let ids: std::collections::BTreeSet<_> =
        data[..frames.len() - 1].iter().map(|chunk| chunk["id"].to_string()).collect();
    assert_eq!(ids.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_before_the_instructions_and_the_options_reach_the_model() {
    let chat = Chat::start(vec![say("Blue.")]).await;
    let program = own(&chat).await;
    let image = format!("data:image/png;base64,{}", picture(0));
    let body = json!({
        "model": "satchel/assistant",
        "messages": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": "My colour is blue."},
            {"role": "assistant", "content": "Noted."},
            {"role": "user", "content": [{"type": "text", "text": "Which?"}, {"type": "image_url", "image_url": {"url": image}}]},
        ],
        "temperature": 0.5, "seed": 7, "stop": "END", "max_tokens": 99, "unknown_field": {"a": 1},
        "response_format": {"type": "json_schema", "json_schema": {"name": "colour", "schema": {"type": "object"}}},
    });
    program.do_it("POST", PATH, body).await;
    let asked = chat.llm.body(0);
    let messages = asked["messages"].as_array().unwrap();
    assert!(messages[0]["content"].as_str().unwrap().ends_with("Its instructions:\nBe brief."), "{}", messages[0]);
    assert_eq!(messages[1]["content"], "My colour is blue.");
    assert_eq!(messages[2]["content"], "Noted.");
    assert_eq!(messages[3]["content"][0]["text"], "Which?");
    assert!(messages[3]["content"][1]["image_url"]["url"].as_str().unwrap().starts_with("data:image/png;base64,"));
    let options = (&asked["temperature"], &asked["seed"], &asked["stop"], &asked["max_tokens"]);
    assert_eq!(options, (&json!(0.5), &json!(7), &json!(["END"]), &json!(99)));
    assert_eq!(asked["response_format"]["json_schema"]["name"], "colour");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_told_with_its_address_and_waits() {
    let script = vec![call("write", json!({"path": "a.txt", "content": "x"})), say("Written.")];
    let chat = Chat::start(script).await;
    let mara = chat.person(&["host:fs.write", "host:fs.read"]).await;
    let program = program(&chat, &mara, json!({})).await;
    let answer = program.do_it("POST", PATH, asking("satchel/assistant", "Write it.")).await;
    let text = answer["choices"][0]["message"]["content"].as_str().unwrap();
    let (_, rest) = text.split_once("/chat/").unwrap_or_else(|| panic!("{text}"));
    let conversation = format!("/api/conversations/{}", rest.split(',').next().unwrap());
    assert!(text.contains("waits for a decision"), "{text}");
    assert_eq!(mara.view(&conversation).await["turn"]["state"], "waiting");
    let tickets = mara.do_it("GET", "/api/tickets", Value::Null).await;
    let id = tickets[0]["id"].as_str().unwrap();
    assert_eq!(program.ask("POST", &format!("/api/tickets/{id}"), json!({"decision": "approve"})).await.0, 403);
    mara.do_it("POST", &format!("/api/tickets/{id}"), json!({"decision": "approve"})).await;
    chat.llm.until_asked(2).await;
    mara.follow(&conversation, None).await.rest().await;
    let view = mara.view(&conversation).await;
    assert_eq!(view["messages"].as_array().unwrap().last().unwrap()["text"], "Written.");
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_tell_of_tools_where_they_are_asked_for() {
    let script = vec![call("calculator", json!({"expression": "1+1"})), say("Two.")];
    let chat = Chat::start(script).await;
    let program = own(&chat).await;
    let mut body = asking("satchel/assistant", "1 and 1?");
    body["stream_options"] = json!({"include_tool_events": true});
    assert_eq!(said(&stream(&program, PATH, body).await), "> calculator …\n\nTwo.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_hangs_up_stops_its_run() {
    let held = Reply::Answer(vec![Piece::Hold(Arc::new(Notify::new()))]);
    let chat = Chat::start(vec![held, say("Still here.")]).await;
    let program = own(&chat).await;
    let asked = tokio::spawn(async move { program.ask("POST", PATH, asking("satchel/assistant", "Think.")).await });
    chat.llm.until_asked(1).await;
    asked.abort();
    chat.llm.left().await;
    let program = own(&chat).await;
    let answer = program.do_it("POST", PATH, asking("satchel/assistant", "Are you there?")).await;
    assert_eq!(answer["choices"][0]["message"]["content"], "Still here.");
    let runs = chat.owner.do_it("GET", "/api/runs", Value::Null).await;
    assert_eq!(runs[1]["state"], "cancelled");
}
