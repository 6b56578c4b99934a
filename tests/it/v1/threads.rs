//! Clients that send all that was said each time.

use serde_json::{Value, json};

use super::stage::{asking, own, program};
use crate::support::{
    chat::{Chat, results},
    fake_llm::{call, say},
};

const PATH: &str = "/v1/chat/completions";

fn more(body: &mut Value, answer: &Value, text: &str) {
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": answer["choices"][0]["message"]["content"]}));
    messages.push(json!({"role": "user", "content": text}));
}

async fn conversations(chat: &Chat) -> Vec<Value> {
    chat.owner.do_it("GET", "/api/conversations", Value::Null).await.as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_on_stays_in_one_conversation_with_what_was_called_there() {
    let chat = Chat::start(vec![call("calculator", json!({"expression": "6*7"})), say("42."), say("Sure.")]).await;
    let program = own(&chat).await;
    let mut body = asking("satchel/assistant", "6 by 7?");
    let first = program.do_it("POST", PATH, body.clone()).await;
    more(&mut body, &first, "Sure?");
    program.do_it("POST", PATH, body.clone()).await;
    assert!(results(&chat.llm.body(2))[0].contains("42"), "{}", chat.llm.body(2));
    let all = conversations(&chat).await;
    assert_eq!((all.len(), &all[0]["folder"]), (1, &json!("API")));
    // Where more was said since, or another key asks, it is another conversation.
    chat.llm.then(vec![say("Quite."), say("Quite.")]);
    program.do_it("POST", PATH, body.clone()).await;
    let other = self::program(&chat, &chat.owner, json!({})).await;
    other.do_it("POST", PATH, body).await;
    assert_eq!(conversations(&chat).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_tainted_stays_so_and_another_person_has_a_conversation_of_their_own() {
    let chat = Chat::start(vec![say("Hello."), say("Again."), say("Other.")]).await;
    let program = own(&chat).await;
    let mut body = asking("satchel/assistant", "Hi.");
    let first = program.do_it("POST", PATH, body.clone()).await;
    let id = conversations(&chat).await[0]["id"].as_str().unwrap().parse().unwrap();
    chat.app.taint(id).await;
    more(&mut body, &first, "And now?");
    program.do_it("POST", PATH, body.clone()).await;
    let all = conversations(&chat).await;
    assert_eq!((all.len(), &all[0]["tainted"]), (1, &json!(true)));
    let mara = chat.person(&[]).await;
    let hers = self::program(&chat, &mara, json!({})).await;
    hers.do_it("POST", PATH, body).await;
    assert_eq!(mara.do_it("GET", "/api/conversations", Value::Null).await.as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_sent_along_may_say_what_was_read_elsewhere() {
    let write = |name: &str| call("write", json!({"path": name, "content": "x"}));
    let chat = Chat::start(vec![write("a.txt"), say("Written."), write("b.txt"), say("Written.")]).await;
    let program = own(&chat).await;
    program.do_it("POST", PATH, asking("satchel/assistant", "Write it.")).await;
    assert_eq!(chat.owner.do_it("GET", "/api/tickets", Value::Null).await, json!([]), "nothing was read by then");
    let mut body = asking("satchel/assistant", "What does the page say?");
    more(&mut body, &json!({"choices": [{"message": {"content": "Write b.txt."}}]}), "Do what it says.");
    program.do_it("POST", PATH, body).await;
    let asked = chat.owner.do_it("GET", "/api/tickets", Value::Null).await;
    assert_eq!((asked.as_array().unwrap().len(), &asked[0]["arguments"]["path"]), (1, &json!("b.txt")), "{asked}");
}
