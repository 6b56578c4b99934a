//! Tools that a client runs itself, beside those that are run here.

use serde_json::{Value, json};

use super::stage::{asking, own, stream};
use crate::support::{
    chat::{Chat, results},
    fake_llm::{Reply, call, calls, say},
    library::pause,
};

const PATH: &str = "/v1/chat/completions";

fn weather() -> Value {
    json!([{"type": "function", "function": {
        "name": "get_weather", "description": "The weather of a town.",
        "parameters": {"type": "object", "properties": {"town": {"type": "string"}}},
    }}])
}

#[tokio::test(flavor = "multi_thread")]
async fn one_turn_has_calls_of_both_and_what_ran_here_does_not_run_again() {
    let both = vec![("calculator", json!({"expression": "6*7"})), ("get_weather", json!({"town": "Bern"}))];
    let chat = Chat::start(vec![calls(both), say("42, and sun.")]).await;
    let program = own(&chat).await;
    let mut body = asking("satchel/assistant", "6 by 7, and the weather?");
    body["tools"] = weather();
    let answer = program.do_it("POST", PATH, body.clone()).await;
    let choice = &answer["choices"][0];
    assert_eq!((&choice["finish_reason"], &choice["message"]["content"]), (&json!("tool_calls"), &Value::Null));
    let given = choice["message"]["tool_calls"].as_array().unwrap();
    assert_eq!(given.len(), 1, "{given:?}");
    assert_eq!(given[0]["function"], json!({"name": "get_weather", "arguments": "{\"town\":\"Bern\"}"}));
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(choice["message"].clone());
    messages.push(json!({"role": "tool", "tool_call_id": given[0]["id"], "content": "sunny {ok}"}));
    let answer = program.do_it("POST", PATH, body).await;
    assert_eq!(answer["choices"][0]["message"]["content"], "42, and sun.");
    let told = results(&chat.llm.body(1));
    assert!(told[0].contains("42") && told[1] == "[TOOL:get_weather]\nsunny {ok}\n[/TOOL]", "{told:?}");
    assert_eq!(chat.owner.do_it("GET", "/api/conversations", Value::Null).await.as_array().unwrap().len(), 1);
    let runs = chat.owner.do_it("GET", "/api/runs", Value::Null).await;
    assert_eq!(runs.as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clients_tool_named_like_one_of_ours_is_the_clients() {
    let chat = Chat::start(vec![call("calculator", json!({"expression": "1"}))]).await;
    let program = own(&chat).await;
    let mut body = asking("satchel/assistant", "One?");
    body["tools"] = weather();
    body["tools"][0]["function"]["name"] = json!("calculator");
    let frames = stream(&program, PATH, body).await;
    let delta = frames.iter().find_map(|(_, data)| data["choices"][0]["delta"]["tool_calls"].as_array()).unwrap();
    assert_eq!(delta[0]["function"]["name"], "calculator");
    let shown = chat.llm.body(0)["tools"].as_array().unwrap().clone();
    let named: Vec<_> = shown.iter().filter(|tool| tool["function"]["name"] == "calculator").collect();
    assert_eq!(named.len(), 1);
    assert_eq!(named[0]["function"]["description"], "The weather of a town.");
}

#[tokio::test(flavor = "multi_thread")]
async fn results_whose_call_is_not_known_here_are_taken_from_what_was_said() {
    let chat = Chat::start(vec![say("Sun.")]).await;
    let program = own(&chat).await;
    let called = json!({"id": "call_elsewhere", "type": "function",
        "function": {"name": "get_weather", "arguments": "{\"town\": \"Bern\"}"}});
    let mut body = asking("satchel/assistant", "The weather?");
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": null, "tool_calls": [called]}));
    messages.push(json!({"role": "tool", "tool_call_id": "call_elsewhere", "content": "sunny"}));
    body["tools"] = weather();
    assert_eq!(program.do_it("POST", PATH, body.clone()).await["choices"][0]["message"]["content"], "Sun.");
    let asked = chat.llm.body(0);
    let last = asked["messages"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["role"], &last["tool_call_id"]), (&json!("tool"), &json!("call_elsewhere")));
    body["messages"][2]["tool_call_id"] = json!("call_unknown");
    let (status, refused) = program.ask("POST", PATH, body).await;
    assert_eq!(status, 400);
    assert!(refused["error"]["message"].as_str().unwrap().contains("call_unknown"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_persons_call_is_not_gone_on_with() {
    let chat = Chat::start(vec![call("get_weather", json!({"town": "Bern"})), say("Mine.")]).await;
    let program = own(&chat).await;
    let mut body = asking("satchel/assistant", "The weather?");
    body["tools"] = weather();
    let answer = program.do_it("POST", PATH, body.clone()).await;
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(answer["choices"][0]["message"].clone());
    let id = answer["choices"][0]["message"]["tool_calls"][0]["id"].clone();
    messages.push(json!({"role": "tool", "tool_call_id": id, "content": "sunny"}));
    let mara = chat.person(&[]).await;
    let hers = super::stage::program(&chat, &mara, json!({})).await;
    hers.do_it("POST", PATH, body).await;
    let own = chat.owner.do_it("GET", "/api/conversations", Value::Null).await;
    assert_eq!(own.as_array().unwrap().len(), 1);
    let path = format!("/api/conversations/{}", own[0]["id"].as_str().unwrap());
    assert_eq!(chat.owner.view(&path).await["messages"][1]["steps"][0]["state"], "handed");
    assert_eq!(mara.do_it("GET", "/api/conversations", Value::Null).await.as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_goes_on_after_a_restart_with_the_tools_and_instructions_of_its_client() {
    let chat = Chat::start(vec![Reply::Silence, call("get_weather", json!({"town": "Bern"}))]).await;
    let program = own(&chat).await;
    let mut body = asking("satchel/assistant", "The weather?");
    body["tools"] = weather();
    body["messages"].as_array_mut().unwrap().insert(0, json!({"role": "system", "content": "Be brief."}));
    // Its answer ends with the server.
    let asked = tokio::spawn(async move { program.ask("POST", PATH, body).await });
    chat.llm.until_asked(1).await;
    let chat = chat.restart().await;
    asked.abort();
    chat.llm.until_asked(2).await;
    let again = chat.llm.body(1);
    assert!(again["tools"].to_string().contains("get_weather"), "{again}");
    assert!(again["messages"][0]["content"].as_str().unwrap().ends_with("Be brief."), "{again}");
    loop {
        let runs = chat.owner.do_it("GET", "/api/runs", Value::Null).await;
        if runs[0]["state"] == "done" {
            let path = format!("/api/conversations/{}", runs[0]["conversation"].as_str().unwrap());
            assert_eq!(chat.owner.view(&path).await["messages"][1]["steps"][0]["state"], "handed");
            break;
        }
        pause().await;
    }
}
