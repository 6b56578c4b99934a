//! Requests that are wrong: each is refused in the dialect's words, and nothing happens.

use serde_json::{Value, json};

use super::stage::{asking, own, program};
use crate::support::{
    chat::{Chat, Person},
    fake_llm::say,
    http::{Request, send},
};

const PATH: &str = "/v1/chat/completions";

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_type_is_refused_by_its_field_and_nothing_is_asked() {
    let chat = Chat::start(vec![]).await;
    let program = own(&chat).await;
    let with = |field: &str, value: Value| {
        let mut body = asking("satchel/assistant", "Hi.");
        body[field] = value;
        body
    };
    for (body, field) in [
        (with("temperature", json!("hot")), "temperature"),
        (with("messages", json!("Hi.")), "messages"),
        (with("messages", json!([{"role": "user", "content": 7}])), "messages[0].content"),
        (with("messages", json!([{"role": "user", "content": [{"type": "video"}]}])), "messages[0].content[0]"),
        (with("stream", json!("yes")), "stream"),
        (with("n", json!(2)), "n"),
        (with("tools", json!([{"type": "function", "function": {"name": "not a name"}}])), "tools[0].name"),
        (with("tools", json!([{"type": "web_search"}])), "tools[0]"),
        (with("tool_choice", json!("always")), "tool_choice"),
        (with("model", json!("satchel/nobody")), "model"),
        (with("model", json!("nobody:nothing")), "model"),
    ] {
        let (status, told) = program.ask("POST", PATH, body).await;
        assert!(status == 400 || (status == 404 && field == "model"), "{field}: {status} {told}");
        assert_eq!(told["error"]["param"], field, "{told}");
        assert_eq!(told["error"]["type"], "invalid_request_error");
    }
    for messages in [json!([]), json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])] {
        assert_eq!(program.ask("POST", PATH, with("messages", messages)).await.0, 400);
    }
    assert_eq!(chat.llm.asked(), 0);
    assert_eq!(chat.owner.do_it("GET", "/api/conversations", Value::Null).await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_megabytes_of_tools_are_refused_and_the_server_goes_on() {
    let chat = Chat::start(vec![say("Here.")]).await;
    let program = own(&chat).await;
    let mut body = asking("satchel/assistant", "Hi.");
    let tool = |n: usize| json!({"type": "function", "function": {"name": format!("t{n}"), "description": "x".repeat(10_000)}});
    body["tools"] = (0..1_000).map(tool).collect();
    let key = super::stage::key(&chat.owner, json!({})).await;
    let address = chat.app.satchel.url.socket_addrs(|| None).unwrap()[0];
    let refused = send(address, &Request::post(PATH, &body).bearer(&key)).await;
    assert_eq!((refused.status, &refused.json()["error"]["type"]), (413, &json!("invalid_request_error")));
    body["tools"] = (0..300).map(tool).collect();
    let (status, told) = program.ask("POST", PATH, body).await;
    assert_eq!((status, &told["error"]["param"]), (400, &json!("tools")));
    program.do_it("POST", PATH, asking("satchel/assistant", "Hi.")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_let_in_without_a_key_and_each_dialect_says_so() {
    let chat = Chat::start(vec![]).await;
    let url = &chat.app.satchel.url;
    for header in
        [("x-nothing", String::new()), ("x-api-key", "wrong".to_owned()), ("authorization", "Bearer wrong".to_owned())]
    {
        let nobody = Person::showing(url, header.clone());
        let (status, told) = nobody.ask("POST", PATH, asking("satchel/assistant", "Hi.")).await;
        assert_eq!((status, &told["error"]["code"]), (401, &json!("invalid_api_key")), "{header:?}");
        let (status, told) = nobody.ask("POST", "/v1/messages", json!({})).await;
        assert_eq!((status, &told["error"]["type"]), (401, &json!("authentication_error")), "{header:?}");
    }
    // The header is a key of `/v1` alone.
    let key = super::stage::key(&chat.owner, json!({})).await;
    let program = Person::showing(url, ("x-api-key", key));
    assert_eq!(program.ask("GET", "/v1/models", Value::Null).await.0, 200);
    assert_eq!(program.ask("GET", "/api/conversations", Value::Null).await.0, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_not_personal_spends_nothing_of_its_persons_and_fetches_nothing() {
    let chat = Chat::start(vec![]).await;
    let narrow = program(&chat, &chat.owner, json!({"permissions": ["knowledge:read"]})).await;
    let picture = json!([{"type": "image_url", "image_url": {"url": "http://127.0.0.1:9/a.png"}}]);
    let mut looking = asking("satchel/assistant", "");
    looking["messages"][0]["content"] = picture;
    for (path, body) in [
        (PATH, asking("openai:fake-1", "Hi.")),
        (PATH, looking),
        ("/v1/responses", json!({"model": "openai:fake-1", "input": "Hi."})),
        ("/v1/messages/count_tokens", asking("openai:fake-1", "Hi.")),
    ] {
        let (status, told) = narrow.ask("POST", path, body).await;
        assert_eq!(status, 403, "{path}: {told}");
        assert!(told["error"]["message"].as_str().unwrap().contains("may not ask models"), "{told}");
    }
    assert_eq!(chat.llm.asked(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_of_thousands_of_messages_is_refused_and_one_of_many_is_answered() {
    let chat = Chat::start(vec![say("Here.")]).await;
    let program = own(&chat).await;
    let with = |count: usize| {
        let mut body = asking("satchel/assistant", "Hi.");
        body["messages"] = (0..count).map(|_| json!({"role": "user", "content": "a"})).collect();
        body
    };
    let (status, told) = program.ask("POST", PATH, with(2_001)).await;
    assert_eq!(status, 400);
    assert!(told["error"]["message"].as_str().unwrap().contains("at most 2000 messages"), "{told}");
    assert_eq!(program.do_it("POST", PATH, with(2_000)).await["choices"][0]["message"]["content"], "Here.");
}
