//! Parameters of a provider: sent in the form of its dialect, refused out of their range, named where a server refuses them.

use serde_json::{Value, json};

use super::support::{
    chat::{Chat, Event, find},
    fake_llm::{FakeLlm, Reply, call, say},
};

const KINDS: [&str; 3] = ["openai", "anthropic", "ollama"];

/// Connects a provider with these parameters.
async fn connect(chat: &Chat, llm: &FakeLlm, kind: &str, parameters: Value) -> Value {
    let base_url = format!("http://{}", llm.address);
    let body = json!({"kind": kind, "model": "fake-1", "base_url": base_url, "parameters": parameters});
    chat.owner.do_it("POST", "/api/providers", body).await
}

/// A turn that this provider is asked for.
async fn turn(chat: &Chat, provider: &Value) -> Vec<Event> {
    let conversation = chat.owner.conversation().await;
    let body = json!({"content": "6 * 7?", "provider": provider["id"]});
    chat.owner.post(&format!("{conversation}/messages"), body).await.rest().await
}

/// The fields of a request besides the conversation and its tools.
fn besides(body: &Value) -> Value {
    let mut rest = body.as_object().unwrap().clone();
    for known in ["model", "messages", "system", "stream", "stream_options", "tools"] {
        rest.shift_remove(known);
    }
    Value::Object(rest)
}

fn system(body: &Value) -> &str {
    body.get("system").unwrap_or(&body["messages"][0]["content"]).as_str().unwrap()
}

#[tokio::test]
async fn every_request_of_a_turn_has_the_parameters_that_are_set_and_no_others() {
    let set = json!({
        "temperature": 0.5, "top_p": 0.9, "max_tokens": 700, "reasoning_effort": "low", "instructions": "Answer in French.",
    });
    let sent = [
        json!({"temperature": 0.5, "top_p": 0.9, "max_tokens": 700, "reasoning_effort": "low"}),
        json!({"temperature": 0.5, "top_p": 0.9, "max_tokens": 700, "output_config": {"effort": "low"}}),
        json!({"options": {"num_ctx": 16_384, "temperature": 0.5, "top_p": 0.9, "num_predict": 700}, "think": "low"}),
    ];
    let plain = [json!({}), json!({"max_tokens": 4_096}), json!({"options": {"num_ctx": 16_384}})];
    let chat = Chat::start(vec![]).await;
    for ((kind, sent), plain) in KINDS.iter().zip(sent).zip(plain) {
        let script = || vec![call("calculator", json!({"expression": "6 * 7"})), say("42.")];
        let (llm, other) = (FakeLlm::start(script()).await, FakeLlm::start(script()).await);
        let made = connect(&chat, &llm, kind, set.clone()).await;
        assert_eq!(made["parameters"], set);
        assert_eq!(find(&turn(&chat, &made).await, "done").data["state"], "done");
        for step in 0..2 {
            let body = llm.body(step);
            assert_eq!(besides(&body), sent, "{kind} {step}");
            assert!(system(&body).contains("\n\nStanding instructions for you:\nAnswer in French."), "{kind} {step}");
        }
        let made = connect(&chat, &other, kind, Value::Null).await;
        assert_eq!(made["parameters"], json!({}));
        turn(&chat, &made).await;
        assert_eq!(besides(&other.body(0)), plain, "{kind}");
        assert!(!system(&other.body(0)).contains("Standing instructions"), "{kind}");
    }
}

#[tokio::test]
async fn parameters_stay_until_they_are_changed_and_the_audit_has_the_change() {
    let chat = Chat::start(vec![]).await;
    let llm = FakeLlm::start(vec![]).await;
    let made = connect(&chat, &llm, "openai", json!({"temperature": 0, "instructions": "  Be kind. "})).await;
    let path = format!("/api/providers/{}", made["id"].as_str().unwrap());
    let change = async |body: Value| chat.owner.do_it("PUT", &path, body).await["parameters"].clone();
    assert_eq!(change(json!({"name": "Kind"})).await, json!({"temperature": 0.0, "instructions": "Be kind."}));
    assert_eq!(change(json!({"parameters": {"top_p": 0.25}})).await, json!({"top_p": 0.25}));
    let listed = chat.owner.do_it("GET", "/api/providers", Value::Null).await;
    assert_eq!(listed[1]["parameters"], json!({"top_p": 0.25}));
    assert_eq!(change(json!({"parameters": null})).await, json!({}));
    let audit = chat.owner.do_it("GET", "/api/audit?event_type=admin_action", Value::Null).await;
    let changes: Vec<&Value> = audit["entries"].as_array().unwrap().iter().map(|entry| &entry["arguments"]).collect();
    assert!(changes.iter().any(|change| change["parameters"] == json!({"top_p": 0.25})), "{changes:?}");
}

#[tokio::test]
async fn what_no_server_takes_is_refused_at_its_field() {
    let chat = Chat::start(vec![]).await;
    for (kind, parameters, field) in [
        ("openai", json!({"temperature": 2.5}), "temperature"),
        ("anthropic", json!({"temperature": 1.5}), "temperature"),
        ("openai", json!({"top_p": -0.5}), "top_p"),
        ("ollama", json!({"max_tokens": 0}), "max_tokens"),
        ("openai", json!({"instructions": "x".repeat(8_001)}), "instructions"),
    ] {
        let body = json!({"kind": kind, "model": "m", "parameters": parameters});
        let (status, problem) = chat.owner.ask("POST", "/api/providers", body).await;
        assert_eq!((status, &problem["field"]), (400, &json!(field)), "{problem}");
    }
    for wrong in [json!({"reasoning_effort": "extreme"}), json!({"top_k": 5}), json!({"temperature": "warm"})] {
        let body = json!({"kind": "openai", "model": "m", "parameters": wrong});
        assert_eq!(chat.owner.ask("POST", "/api/providers", body).await.0, 400, "{wrong}");
    }
    assert_eq!(chat.owner.do_it("GET", "/api/providers", Value::Null).await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_parameter_that_a_server_does_not_take_is_named_by_the_turn_and_by_the_test() {
    let chat = Chat::start(vec![]).await;
    let refusal = json!({"error": {"message": "Unsupported value: it is 1 with this model.", "param": "temperature"}});
    let llm = FakeLlm::start(vec![Reply::Refuse(400, Vec::new(), refusal.to_string()); 5]).await;
    let made = connect(&chat, &llm, "openai", json!({"temperature": 0.5, "top_p": 0.5})).await;
    let error = find(&turn(&chat, &made).await, "error").data.clone();
    let told = error["message"].as_str().unwrap();
    assert!(told.contains("It does not take the parameter temperature as it is set: Unsupported value"), "{told}");
    assert_eq!(error["failure"]["parameter"], "temperature");
    let path = format!("/api/providers/{}/test", made["id"].as_str().unwrap());
    let tested = chat.owner.do_it("POST", &path, Value::Null).await;
    assert_eq!((&tested["ok"], &tested["field"]), (&json!(false), &json!("temperature")), "{tested}");
    let plain = connect(&chat, &llm, "openai", json!({"instructions": "Be kind."})).await;
    let path = format!("/api/providers/{}/test", plain["id"].as_str().unwrap());
    assert_eq!(chat.owner.do_it("POST", &path, Value::Null).await["ok"], true);
}
