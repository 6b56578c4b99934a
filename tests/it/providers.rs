//! Models over HTTP: the three dialects, retries, the fallback list, keys that never come out.

use std::time::Duration;

use satchel::{
    model::{
        error::Kind,
        llm::{ChatMessage, ChatRequest, Event, Provider, ProviderId, ProviderKind, StopReason, Usage},
        provider::parameters::Parameters,
        secret::Secret,
    },
    net::llm::{answer::Patience, breaker::Pace, chain::Models},
};
use serde_json::{Value, json};

use super::support::{
    chat::{Chat, find, text},
    fake_llm::{FakeLlm, Piece, Reply, call, refuse, say},
    way::{breakers, way_out},
};

const KINDS: [ProviderKind; 3] = [ProviderKind::Openai, ProviderKind::Anthropic, ProviderKind::Ollama];

fn provider(kind: ProviderKind, llm: &FakeLlm) -> Provider {
    Provider {
        id: ProviderId::new(),
        kind,
        name: "Fake".to_owned(),
        base_url: format!("http://{}", llm.address).parse().unwrap(),
        model: "fake-1".to_owned(),
        api_key: Some(Secret::new("sk-canary-1")),
        priority: 0,
        enabled: true,
        context_tokens: None,
        parameters: Parameters::default(),
        from_environment: false,
    }
}

fn question() -> ChatRequest {
    let messages = vec![ChatMessage::User { text: "Hello?".to_owned(), images: Vec::new() }];
    ChatRequest { messages, ..ChatRequest::default() }
}

fn models() -> Models {
    patient(Duration::from_secs(60))
}

/// Models that may be silent for so long once they have begun.
fn patient(stall: Duration) -> Models {
    let patience = Patience { first: Duration::from_secs(60), stall, ..Patience::default() };
    Models::new(way_out(), patience, breakers(Pace::default()))
}

#[tokio::test]
async fn every_dialect_streams_text_calls_and_usage() {
    let pieces = vec![
        Piece::Text("Hel".to_owned()),
        Piece::Text("lo".to_owned()),
        Piece::Call("calculator", json!({"expression": "1"})),
        Piece::Usage(7, 3),
    ];
    for kind in KINDS {
        let llm = FakeLlm::start(vec![Reply::Answer(pieces.clone())]).await;
        let mut answer = models().ask(&[provider(kind, &llm)], &question()).await.unwrap();
        let (mut said, mut called, mut usage, mut stops) = (String::new(), Vec::new(), Usage::default(), Vec::new());
        while let Some(event) = answer.next().await.unwrap() {
            match event {
                Event::Text(text) => said.push_str(&text),
                Event::ToolCall(call) => called.push((call.name, call.arguments)),
                Event::Usage(latest) => usage = latest,
                Event::Stop(stop) => stops.push(stop),
                Event::Raw(frame) => panic!("nothing was passed on: {frame}"),
            }
        }
        assert_eq!(said, "Hello", "{kind:?}");
        assert_eq!(called, [("calculator".to_owned(), json!({"expression": "1"}))], "{kind:?}");
        assert_eq!(usage, Usage::new(7, 3), "{kind:?}");
        assert_eq!(stops.len(), 1, "{kind:?}");
        assert!(matches!(stops[0], StopReason::ToolUse | StopReason::Complete), "{kind:?}");
        assert!(llm.seen().remove(0).head.contains("sk-canary-1"), "{kind:?} sent no key");
    }
}

#[tokio::test]
async fn a_busy_provider_is_asked_again_and_a_refused_key_is_not() {
    for kind in KINDS {
        let llm = FakeLlm::start(vec![refuse(429), refuse(503), say("At last.")]).await;
        let answer = models().ask(&[provider(kind, &llm)], &question()).await.unwrap();
        assert_eq!(answer.text().await.unwrap().0, "At last.", "{kind:?}");
        assert_eq!(llm.seen().len(), 3);
        let llm = FakeLlm::start(vec![refuse(401), say("never said")]).await;
        let error = models().ask(&[provider(kind, &llm)], &question()).await.err().unwrap();
        assert_eq!(error.kind(), Kind::Unconfigured);
        assert!(error.message().contains("The key was refused"), "{error}");
        assert_eq!(llm.seen().len(), 1);
    }
}

#[tokio::test]
async fn an_error_never_repeats_the_key() {
    let body = json!({"error": {"message": "bad request of sk-canary-1"}}).to_string();
    let llm = FakeLlm::start(vec![Reply::Refuse(400, Vec::new(), body)]).await;
    let error = models().ask(&[provider(ProviderKind::Openai, &llm)], &question()).await.err().unwrap();
    assert!(error.message().contains("bad request of ***"), "{error}");
    assert!(!format!("{error:?}").contains("sk-canary-1"));
}

#[tokio::test]
async fn the_next_provider_answers_where_the_first_cannot() {
    let (first, second) = (FakeLlm::start(vec![refuse(400)]).await, FakeLlm::start(vec![say("I can.")]).await);
    let chain = [provider(ProviderKind::Openai, &first), provider(ProviderKind::Anthropic, &second)];
    let answer = models().ask(&chain, &question()).await.unwrap();
    assert_eq!(answer.provider.id, chain[1].id);
    assert_eq!(answer.text().await.unwrap().0, "I can.");
    let neither = models().ask(&chain, &question()).await.err().unwrap();
    assert!(neither.message().contains("the script is over"), "{neither}");
    let nobody = models().ask(&[], &question()).await.err().unwrap();
    assert_eq!(nobody.kind(), Kind::Unconfigured);
}

#[tokio::test]
async fn after_the_first_word_nothing_is_asked_again() {
    let broken = Reply::Answer(vec![Piece::Text("Half".to_owned()), Piece::Break]);
    let llm = FakeLlm::start(vec![broken, say("never said")]).await;
    let mut answer = models().ask(&[provider(ProviderKind::Openai, &llm)], &question()).await.unwrap();
    assert_eq!(answer.next().await.unwrap(), Some(Event::Text("Half".to_owned())));
    let error = answer.next().await.unwrap_err();
    assert!(error.message().contains("broke off"), "{error}");
    assert_eq!(llm.seen().len(), 1);
}

#[tokio::test]
async fn a_stream_that_stalls_is_given_up() {
    let silent = Reply::Answer(vec![Piece::Text("Well".to_owned()), Piece::Hold(Default::default())]);
    let llm = FakeLlm::start(vec![silent]).await;
    let models = patient(Duration::from_millis(200));
    let mut answer = models.ask(&[provider(ProviderKind::Openai, &llm)], &question()).await.unwrap();
    answer.next().await.unwrap();
    assert_eq!(answer.next().await.unwrap_err().kind(), Kind::Timeout);
}

#[tokio::test]
async fn a_provider_on_this_machine_is_reached_only_because_an_administrator_named_it() {
    let llm = FakeLlm::start(vec![]).await;
    let url = format!("http://{}/v1/models", llm.address).parse().unwrap();
    let error = way_out().send(satchel::net::http::Request::get(url)).await.err().unwrap();
    assert_eq!(error.kind(), Kind::Denied);
    assert_eq!(models().list(&provider(ProviderKind::Openai, &llm)).await.unwrap().unwrap(), ["fake-1"]);
}

#[tokio::test]
async fn providers_are_managed_and_their_keys_stay_inside() {
    let chat = Chat::start(vec![]).await;
    let other = FakeLlm::start(vec![say("I am the other.")]).await;
    let base_url = format!("http://{}", other.address);
    let body = json!({"kind": "anthropic", "model": "fake-1", "base_url": base_url, "api_key": "sk-canary-2"});
    let made = chat.owner.do_it("POST", "/api/providers", body).await;
    assert_eq!((&made["api_key"], &made["name"], &made["enabled"]), (&json!("***"), &json!("fake-1"), &json!(true)));
    let path = format!("/api/providers/{}", made["id"].as_str().unwrap());
    let tested = chat.owner.do_it("POST", &format!("{path}/test"), Value::Null).await;
    assert_eq!((&tested["ok"], &tested["models"]), (&json!(true), &json!(["fake-1"])));
    let list = chat.owner.do_it("GET", "/api/providers", Value::Null).await;
    let from: Vec<_> = list.as_array().unwrap().iter().map(|p| p["from_environment"].as_bool().unwrap()).collect();
    assert_eq!(from, [true, false]);
    assert!(!list.to_string().contains("sk-canary"));
    let conversation = chat.owner.conversation().await;
    let body = json!({"content": "Who?", "provider": made["id"]});
    let events = chat.owner.post(&format!("{conversation}/messages"), body).await.rest().await;
    assert_eq!(text(&events), "I am the other.");
    assert!(other.seen()[0].head.contains("sk-canary-2"));
    let elsewhere = json!({"base_url": "http://127.0.0.1:1"});
    assert_eq!(chat.owner.ask("PUT", &path, elsewhere).await.0, 400);
    let renamed = chat.owner.do_it("PUT", &path, json!({"name": "Other", "api_key": "***"})).await;
    assert_eq!((&renamed["name"], &renamed["api_key"]), (&json!("Other"), &json!("***")));
    let environment = format!("/api/providers/{}", list[0]["id"].as_str().unwrap());
    assert_eq!(chat.owner.ask("DELETE", &environment, Value::Null).await.0, 409);
    chat.owner.do_it("DELETE", &path, Value::Null).await;
    assert_eq!(chat.owner.ask("POST", &format!("{path}/test"), Value::Null).await.0, 404);
    let audit = chat.owner.do_it("GET", "/api/audit?event_type=admin_action", Value::Null).await.to_string();
    assert!(audit.contains("provider.create") && audit.contains("provider.delete") && !audit.contains("sk-canary"));
}

/// Tries a provider as the console does, saves it, and tests what was saved.
async fn saved(chat: &Chat, llm: &FakeLlm, model: &str) -> (Value, Value, Value) {
    let draft = json!({"kind": "openai", "model": model, "base_url": format!("http://{}", llm.address)});
    let tried =
        chat.owner.do_it("POST", "/api/providers/test", json!({"stored": null, "provider": draft.clone()})).await;
    let made = chat.owner.do_it("POST", "/api/providers", draft).await;
    let path = format!("/api/providers/{}/test", made["id"].as_str().unwrap());
    (tried, made, chat.owner.do_it("POST", &path, Value::Null).await)
}

#[tokio::test]
async fn a_server_without_a_list_and_a_model_that_stands_in_none_are_saved_in_use_once_they_answer() {
    let chat = Chat::start(vec![]).await;
    for (listing, model, models) in [
        (404, "fake-1", Value::Null),
        (405, "fake-1", Value::Null),
        (403, "fake-1", Value::Null),
        (200, "fake-latest", json!(["fake-1"])),
    ] {
        let llm = FakeLlm::start(vec![say("pong"); 9]).await;
        llm.refuse_list(listing);
        let (tried, made, tested) = saved(&chat, &llm, model).await;
        for found in [&tried, &tested] {
            assert_eq!(
                (&found["ok"], &found["field"], &found["models"]),
                (&json!(true), &Value::Null, &models),
                "{found}"
            );
        }
        assert_eq!((&made["model"], &made["enabled"], llm.probed()), (&json!(model), &json!(true), 2));
    }
    let checks = chat.owner.do_it("GET", "/api/doctor", Value::Null).await["checks"].clone();
    let of_models =
        checks.as_array().unwrap().iter().filter(|check| check["name"].as_str().unwrap().starts_with("model"));
    let verdicts: Vec<_> = of_models.map(|check| &check["ok"]).collect();
    assert_eq!(verdicts, vec![true; 6], "{checks}");
}

#[tokio::test]
async fn a_model_that_takes_no_limit_of_one_token_is_asked_without_one() {
    let chat = Chat::start(vec![]).await;
    let llm = FakeLlm::start(vec![refuse(400), say("pong")]).await;
    llm.refuse_list(404);
    let draft = json!({"kind": "openai", "model": "o", "base_url": format!("http://{}", llm.address)});
    let tried = chat.owner.do_it("POST", "/api/providers/test", json!({"stored": null, "provider": draft})).await;
    assert_eq!((&tried["ok"], llm.probed(), llm.asked()), (&json!(true), 1, 1), "{tried}");
}

#[tokio::test]
async fn a_test_that_finds_neither_list_nor_answer_says_at_which_field() {
    let chat = Chat::start(vec![]).await;
    for (listing, answer, field) in [
        (404, 404, "base_url"),
        (404, 401, "api_key"),
        (200, 404, "model"),
        (200, 402, "api_key"),
        (500, 404, "base_url"),
    ] {
        let llm = FakeLlm::start(vec![refuse(answer); 9]).await;
        llm.refuse_list(listing);
        let (tried, _, tested) = saved(&chat, &llm, "fake-9").await;
        for found in [tried, tested] {
            assert_eq!((&found["ok"], &found["field"]), (&json!(false), &json!(field)), "{listing} {answer}: {found}");
        }
    }
}

#[tokio::test]
async fn a_server_without_a_list_asks_for_the_name_of_a_model() {
    let chat = Chat::start(vec![]).await;
    let llm = FakeLlm::start(vec![]).await;
    llm.refuse_list(404);
    let draft = json!({"kind": "openai", "base_url": format!("http://{}", llm.address)});
    let listed = chat.owner.do_it("POST", "/api/providers/test", json!({"stored": null, "provider": draft})).await;
    assert_eq!((&listed["ok"], &listed["models"], llm.seen().len()), (&json!(true), &Value::Null, 0));
    assert!(listed["message"].as_str().unwrap().contains("has no list of models"), "{listed}");
}

#[tokio::test]
async fn only_who_manages_settings_adds_a_provider() {
    let chat = Chat::start(vec![]).await;
    let viewer = chat.person(&["knowledge:read"]).await;
    assert_eq!(viewer.ask("POST", "/api/providers", json!({"kind": "openai", "model": "m"})).await.0, 403);
}

#[tokio::test]
async fn a_turn_survives_a_provider_that_fails() {
    let script = vec![call("calculator", json!({"expression": "1"})), refuse(500), refuse(500), refuse(500)];
    let chat = Chat::start(script).await;
    let other = FakeLlm::start(vec![say("One.")]).await;
    let body = json!({"kind": "ollama", "model": "m2", "base_url": format!("http://{}", other.address)});
    chat.owner.do_it("POST", "/api/providers", body).await;
    let (conversation, events) = chat.owner.turn("1?").await;
    assert_eq!((text(&events).as_str(), &find(&events, "done").data["state"]), ("One.", &json!("done")));
    let messages = chat.owner.view(&conversation).await["messages"].clone();
    assert_eq!((&messages[1]["model"], &messages[2]["model"]), (&json!("fake-1"), &json!("m2")));
    assert_eq!(other.body(0)["options"]["num_ctx"], 16_384);
}
