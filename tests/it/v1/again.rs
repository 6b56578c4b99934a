//! Requests that are sent again: with an `Idempotency-Key` each is answered once.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::stage::{asking, frames, key, said};
use crate::support::{
    chat::{Chat, Person},
    fake_llm::{Piece, Reply, call, say},
};

const PATH: &str = "/v1/chat/completions";

async fn program(chat: &Chat) -> Person {
    Person::bearer(&chat.app.satchel.url, &key(&chat.owner, json!({})).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_begun_once_and_answers_whoever_asks_again() {
    let script = vec![call("list", json!({"action": "add", "list": "errands", "items": ["milk"]})), say("Added.")];
    let chat = Chat::start(script).await;
    let program = program(&chat).await.with("idempotency-key", "one");
    let mut body = asking("satchel/assistant", "Add milk.");
    let first = program.do_it("POST", PATH, body.clone()).await;
    let again = program.do_it("POST", PATH, body.clone()).await;
    assert_eq!((&again["id"], &again["choices"]), (&first["id"], &first["choices"]));
    assert_eq!(chat.llm.asked(), 2);
    assert_eq!(chat.owner.do_it("GET", "/api/runs", Value::Null).await.as_array().unwrap().len(), 1);
    body["messages"][0]["content"] = json!("Add tea.");
    let (status, told) = program.ask("POST", PATH, body).await;
    assert_eq!(status, 400, "{told}");
    assert!(told["error"]["message"].as_str().unwrap().contains("Idempotency-Key"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_hangs_up_and_asks_again_has_the_answer_of_the_first_time() {
    let go_on = Arc::new(Notify::new());
    let held =
        Reply::Answer(vec![Piece::Hold(Arc::clone(&go_on)), Piece::Text("Here.".to_owned()), Piece::Usage(1, 1)]);
    let chat = Chat::start(vec![held]).await;
    let program = Arc::new(program(&chat).await.with("idempotency-key", "two"));
    let first = Arc::clone(&program);
    let first = tokio::spawn(async move { first.ask("POST", PATH, asking("satchel/assistant", "Slowly.")).await });
    chat.llm.until_asked(1).await;
    first.abort();
    let again = tokio::spawn(async move { program.ask("POST", PATH, asking("satchel/assistant", "Slowly.")).await });
    go_on.notify_one();
    let (status, answer) = again.await.unwrap();
    assert_eq!((status, &answer["choices"][0]["message"]["content"]), (200, &json!("Here.")));
    assert_eq!(chat.llm.asked(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_answered_is_sent_again_as_it_was_and_a_refusal_is_not_kept() {
    let refused = Reply::Refuse(400, vec![], json!({"error": {"message": "no"}}).to_string());
    let chat = Chat::start(vec![refused, say("Hello."), say("Other.")]).await;
    let program = program(&chat).await;
    let ask = async |name: &str| {
        let mut body = asking("openai:fake-1", "Hi.");
        body["stream"] = json!(true);
        program.with("idempotency-key", name).ask("POST", PATH, body).await
    };
    assert_eq!(ask("three").await.0, 400);
    let mut first = ask("three").await;
    // The name of the refused one is let go a moment after it.
    while first.0 == 409 {
        crate::support::library::pause().await;
        first = ask("three").await;
    }
    let again = ask("three").await;
    let text = |(_, text): &(u16, Value)| said(&frames(text.as_str().unwrap()));
    assert_eq!((text(&first), text(&again)), ("Hello.".to_owned(), "Hello.".to_owned()));
    assert_eq!(text(&ask("four").await), "Other.");
}
