//! The sessions that a session may turn to: those below its own conversation.

use serde_json::{Value, json};

use super::stage::{lift, path, runs, spawn, told};
use crate::support::{
    chat::{Chat, results},
    fake_llm::{call, say},
};

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_listed_read_and_written_to_below_their_parent() {
    let chat = Chat::start(vec![spawn("Count the herons."), say("Seven.")]).await;
    chat.llm.when("Count the herons.", vec![say("Seven."), say("Quite sure.")]);
    let (conversation, _) = chat.owner.turn("How many?").await;
    let [parent, child] = runs(&chat.owner).await.try_into().unwrap();
    let key = format!("agent:assistant:sub:{}", child["conversation"].as_str().unwrap());
    chat.llm.then(vec![
        call("sessions_send", json!({"session_key": key, "message": "Are you sure?"})),
        call("sessions_list", json!({})),
        call("sessions_history", json!({"session_key": key, "limit": 2})),
        call("session_status", json!({"session_key": key})),
        call("agents_list", json!({})),
        say("Yes."),
    ]);
    chat.owner.say(&conversation, "Ask again.").await.rest().await;
    let view = chat.owner.view(&conversation).await;
    let messages = view["messages"].as_array().unwrap();
    let data: Vec<Value> = messages
        .iter()
        .flat_map(|message| message["steps"].as_array().unwrap())
        .skip(1)
        .map(|step| step["output"]["data"].clone())
        .collect();
    let all = runs(&chat.owner).await;
    assert_eq!(data[0], json!({"session_key": key, "run": all[3]["id"], "state": "done", "reply": "Quite sure."}));
    let above = format!("agent:assistant:chat:{}", parent["conversation"].as_str().unwrap());
    let started = &data[1]["sessions"][0]["started_at"];
    let listed =
        json!({"session_key": key, "agent": "assistant", "state": "done", "parent": above, "started_at": started});
    assert_eq!(data[1], json!({"sessions": [listed]}));
    let said = |n: usize| (data[2]["messages"][n]["role"].clone(), data[2]["messages"][n]["text"].clone());
    assert_eq!(
        (said(0), said(1)),
        ((json!("user"), json!("Are you sure?")), (json!("assistant"), json!("Quite sure.")))
    );
    let usage = json!({"input_tokens": 20, "output_tokens": 10});
    let status = json!({"session_key": key, "state": "done", "agent": "assistant", "model": "fake-1", "usage": usage});
    assert_eq!(data[3], status);
    assert_eq!(data[4]["agents"][0]["id"], "assistant");
    assert_eq!((&all[3]["kind"], &all[3]["parent"]), (&json!("sub"), &all[2]["id"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_turns_neither_to_itself_nor_to_those_above_and_others_are_not_there() {
    let chat = Chat::start(vec![spawn("Apart."), say("Over."), spawn("Below."), say("Over.")]).await;
    lift(&chat).await;
    chat.llm.when("Apart.", vec![say("Apart.")]);
    chat.owner.turn("First.").await;
    let apart = runs(&chat.owner).await[1]["conversation"].as_str().unwrap().to_owned();
    let noor = chat.person(&["agents:run"]).await;
    chat.llm.when("Of Noor.", vec![say("Hello.")]);
    let (of_noor, _) = noor.turn("Of Noor.").await;
    // The session asks with keys that are only known once it has begun.
    let conversation = chat.owner.conversation().await;
    let own = conversation.rsplit('/').next().unwrap().to_owned();
    chat.llm.when("Below.", vec![call("session_status", json!({})), say("Waiting.")]);
    chat.owner.say(&conversation, "Second.").await.rest().await;
    let below = runs(&chat.owner).await.last().unwrap().clone();
    let itself = below["conversation"].as_str().unwrap().to_owned();
    let status = results(&chat.llm.bodies("Below.")[1]).join("");
    assert!(status.contains(&format!("agent:assistant:sub:{itself}")), "left out, it is one's own: {status}");
    let key = |kind: &str, id: &str| format!("agent:assistant:{kind}:{id}");
    let send = |key: String| call("sessions_send", json!({"session_key": key, "message": "Hi."}));
    let noors = of_noor.rsplit('/').next().unwrap();
    let tries = [
        (key("sub", &itself), "a session does not turn to itself"),
        (key("chat", &own), "above the session that you are in"),
        (key("sub", &apart), "There is no session"),
        (key("chat", noors), "There is no session"),
        (key("sub", "01931c6e-8a52-7c8e-b8f1-0d6f3f2a9c11"), "There is no session"),
        ("heron".to_owned(), "There is no session"),
    ];
    for (wanted, refusal) in tries {
        chat.llm.replace_script(vec![
            call("sessions_send", json!({"session_key": key("sub", &itself), "message": "Go on."})),
            say("Over."),
        ]);
        chat.llm.replace_part("Below.", vec![send(wanted.clone()), say("Over.")]);
        chat.owner.say(&conversation, "Go on.").await.rest().await;
        let read = told(&chat, "Below.");
        let last = read.rsplit("[TOOL:sessions_send]").next().unwrap();
        assert!(last.contains(refusal), "{wanted}: {last}");
    }
    assert!(chat.owner.view(&path(&below)).await["depth"] == 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_cannot_be_sent_to_while_it_answers_and_an_unknown_agent_begins_none() {
    let chat = Chat::start(vec![call("sessions_spawn", json!({"task": "Wait."})), say("Begun.")]).await;
    chat.llm.when("Wait.", vec![crate::support::fake_llm::Reply::Silence]);
    let (conversation, _) = chat.owner.turn("Begin.").await;
    let child = super::stage::run_in(&chat.owner, "sub", "running").await;
    let key = format!("agent:assistant:sub:{}", child["conversation"].as_str().unwrap());
    chat.llm.then(vec![
        call("sessions_send", json!({"session_key": key, "message": "Hi."})),
        call("sessions_spawn", json!({"task": "Help.", "agent_id": "nobody"})),
        call("sessions_spawn", json!({"task": "  "})),
        say("Over."),
    ]);
    chat.owner.say(&conversation, "Go on.").await.rest().await;
    let read = told(&chat, "Begin.");
    for sentence in ["An answer is under way here", "There is no agent 'nobody'", "Say what is to be done"] {
        assert!(read.contains(sentence), "{sentence}: {read}");
    }
    chat.owner.do_it("DELETE", &conversation, Value::Null).await;
}
