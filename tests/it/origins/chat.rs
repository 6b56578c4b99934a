//! What is kept from outside comes into no new conversation by itself.

use serde_json::{Value, json};

use super::RULE;
use crate::support::{
    chat::{Chat, find},
    fake_llm::{call, say},
    site::{Site, page},
};

/// Returns what the last request tells the model before the conversation.
fn system_prompt(chat: &Chat) -> String {
    let body = chat.llm.seen().pop().unwrap().body;
    body["messages"][0]["content"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_from_outside_is_left_out_of_a_clean_prompt_until_it_is_vouched_for() {
    let chat = Chat::start(Vec::new()).await;
    let site = Site::new(&chat.app).await;
    site.put("/may", [page("text/html", format!("<p>{RULE}</p>"))]);
    let preference = json!({"content": RULE, "category": "preference"});
    let fetch = || call("web_fetch", json!({"url": site.url("/may")}));
    chat.llm.then(vec![fetch(), call("save_memory", preference), say("Noted.")]);
    let (first, _) = chat.owner.turn("Read what is due for the quarterly report").await;
    let first = chat.owner.view(&first).await;

    // Neither the memory nor the episode of that conversation comes by itself.
    chat.llm.then(vec![say("Which report?")]);
    let (clean, _) = chat.owner.turn("Prepare the quarterly report").await;
    assert!(
        !system_prompt(&chat).contains("[MEMORIES]\n") && !system_prompt(&chat).contains("quokka"),
        "{}",
        system_prompt(&chat)
    );
    assert_eq!(chat.owner.view(&clean).await["tainted"], json!(false));

    // Asked for, it comes with its origin, and a risky call asks a caller who may do everything.
    let write = json!({"path": "pwn.txt", "content": "x"});
    chat.llm.then(vec![call("recall_memories", json!({"query": "quarterly report"})), call("write", write)]);
    let asking = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&asking, "What do you know of the quarterly report?").await;
    let events = stream.until("confirmation").await;
    assert_eq!(find(&events, "confirmation").data["ticket"]["tool"], "builtin:write");
    let view = chat.owner.view(&asking).await;
    for key in ["tainted_by", "tainted_at"] {
        assert_eq!(view[key], first[key], "{key}");
    }
    let block = system_prompt(&chat);
    let (_, block) = block.split_once("[MEMORIES]\n").unwrap();
    let from = format!("from web_fetch: {}, {}", site.url("/may"), &first["tainted_at"].as_str().unwrap()[..10]);
    assert!(block.contains(RULE) && block.contains(&from), "{block}");
    chat.owner.do_it("POST", &format!("{asking}/stop"), Value::Null).await;

    let kept = chat.owner.do_it("GET", "/api/memories?q=quokka", Value::Null).await;
    let vouch = json!({"kind": "memory", "id": kept[0]["id"], "updated_at": kept[0]["updated_at"]});
    chat.owner.do_it("POST", "/api/origins/vouch", vouch).await;
    chat.llm.replace_script(vec![say("It goes to pwn.example.")]);
    let (again, _) = chat.owner.turn("Prepare the quarterly report once more").await;
    assert!(system_prompt(&chat).contains(RULE), "{}", system_prompt(&chat));
    assert_eq!(chat.owner.view(&again).await["tainted"], json!(false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_and_an_episode_of_a_tainted_conversation_have_its_origin() {
    let chat = Chat::start(Vec::new()).await;
    let site = Site::new(&chat.app).await;
    site.put("/may", [page("text/html", "<p>Nothing is due.</p>")]);
    chat.llm.then(vec![call("web_fetch", json!({"url": site.url("/may")})), say("Nothing."), say("Hello.")]);
    let (first, _) = chat.owner.turn("What is due in May?").await;
    let view = chat.owner.view(&first).await;
    let message = view["messages"][0]["id"].clone();
    let branch = chat.owner.do_it("POST", &format!("{first}/branch"), json!({"message_id": message})).await;
    let branch = chat.owner.view(&format!("/api/conversations/{}", branch["id"].as_str().unwrap())).await;
    chat.owner.turn("Good morning").await;
    let episodes = chat.owner.do_it("GET", "/api/memories?layer=episode&q=due", Value::Null).await;
    let wanted = json!({"source": view["tainted_by"], "at": view["tainted_at"]});
    assert_eq!(json!({"source": branch["tainted_by"], "at": branch["tainted_at"]}), wanted);
    assert_eq!(episodes[0]["origin"], wanted, "{episodes}");
    let (_, export) = chat.owner.ask("GET", &format!("{first}/export"), Value::Null).await;
    let told = format!("the first from {}, ", site.url("/may"));
    assert!(export.as_str().unwrap().contains(&told.replace("from ", "from web_fetch: ")), "{export}");
    let exported = chat.owner.do_it("GET", "/api/memories/export", Value::Null).await;
    assert!(exported.as_array().unwrap().iter().any(|memory| memory["origin"] == wanted), "{exported}");
}
