//! Results too large for an answer, in a conversation: how much of them is kept there, and how it is sent.

#![expect(clippy::disallowed_methods, reason = "puts files where tools find them")]

use satchel::model::caller::Caller;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{
    chat::{Chat, Person, find, results},
    fake_llm::{Reply, call, say},
    http::Request,
};

fn read() -> Reply {
    call("read", json!({"path": "file"}))
}

/// Puts this into the file that is read.
fn put(chat: &Chat, caller: &Caller, content: &str) {
    let files = chat.app.satchel.app.files_of(caller.user).unwrap();
    std::fs::write(files.workspace().join("file"), content).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_keeps_no_more_of_a_result_than_an_answer_holds() {
    let chat = Chat::start(vec![read(), say("It is long."), read(), say("It is long again.")]).await;
    let owner = chat.app.owner().await.caller;
    // Each takes six bytes on the wire.
    put(&chat, &owner, &"\u{1}".repeat(9_900_000));
    let (conversation, events) = chat.owner.turn("Read it.").await;
    let ended = &find(&events, "tool_end").data;
    assert_eq!((&ended["state"], &ended["success"]), (&json!("done"), &json!(true)));
    let told = results(&chat.llm.body(1)).remove(0);
    assert!(told.contains("cut: the result has"), "{told}");
    chat.owner.post(&format!("{conversation}/regenerate"), Value::Null).await.rest().await;
    let view = chat.owner.bytes(&conversation).await;
    assert!(view.len() < 256 << 10, "{} bytes", view.len());
    let view: Value = serde_json::from_slice(&view).unwrap();
    let question = &view["messages"][0];
    let former = format!("{conversation}/messages/{}/former/1", question["id"].as_str().unwrap());
    let former = chat.owner.do_it("GET", &former, Value::Null).await;
    for messages in [&view["messages"][1], &former["messages"][0]] {
        let output = &messages["steps"][0]["output"];
        assert!(output["data"]["bytes"].as_u64().unwrap() > 9_900_000, "{output}");
        assert_eq!(output["data"]["preview"].as_str().unwrap().chars().count(), 2_000);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn while_one_persons_conversations_fill_their_part_another_persons_is_sent() {
    let chat = Chat::start(vec![read(), say("Long."), read(), say("Long."), read(), say("Long.")]).await;
    let large = "x".repeat(4_100_000);
    put(&chat, &chat.app.owner().await.caller, &large);
    let (conversation, _) = chat.owner.turn("Read it.").await;
    let asked = chat.owner.view(&conversation).await["messages"][0]["id"].as_str().unwrap().to_owned();
    chat.owner.post(&format!("{conversation}/regenerate"), Value::Null).await.rest().await;
    let caller = chat.app.caller(&["host:fs.read"]).await;
    put(&chat, &caller, &large);
    let mara = Person::sign_in(&chat.app.satchel.url, &caller.username).await;
    let (hers, _) = mara.turn("Read it.").await;
    let address = chat.app.satchel.url.socket_addrs(|| None).unwrap()[0];
    let former = format!("{conversation}/messages/{asked}/former/1");
    let mut held = Vec::new();
    for path in [&conversation, &former, &conversation, &former] {
        let request = Request::get(path).bearer(chat.app.satchel.token.expose());
        let mut unread = TcpStream::connect(address).await.unwrap();
        unread.write_all(&request.bytes(address)).await.unwrap();
        unread.read_u8().await.unwrap();
        held.push(unread);
    }
    let content = |message: &Value| message["steps"][0]["output"]["data"]["content"] == large.as_str();
    for path in [&conversation, &former] {
        let one_more = chat.owner.do_it("GET", path, Value::Null);
        tokio::select! {
            biased;
            _ = one_more => panic!("more than their part is on its way"),
            () = async {
                for _ in 0..3 {
                    assert!(content(&mara.view(&hers).await["messages"][1]));
                }
            } => {}
        }
    }
    drop(held);
    assert!(content(&chat.owner.view(&conversation).await["messages"][1]));
    assert!(content(&chat.owner.do_it("GET", &former, Value::Null).await["messages"][0]));
}
