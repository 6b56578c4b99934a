//! The bounds of an agent hold where calls are made, whatever its model was shown.

use serde_json::{Value, json};

use super::{made, shown, with_agent};
use crate::support::{
    chat::{Chat, find, results},
    fake_llm::{call, calls, say},
};

/// Has an agent with these bounds make calls. Gives what its model read of them.
async fn read_of(parts: Value, wanted: Vec<(&'static str, Value)>) -> (Vec<String>, Vec<String>) {
    let chat = Chat::start(vec![calls(wanted), say("Done.")]).await;
    made(&chat.owner, "worker", parts).await;
    let conversation = with_agent(&chat.owner, "worker").await;
    let events = chat.owner.say(&conversation, "Do it.").await.rest().await;
    assert_eq!(find(&events, "done").data["state"], "done");
    (results(&chat.llm.body(1)), shown(&chat, 0))
}

#[tokio::test]
async fn a_call_that_the_agent_may_not_make_is_refused_and_its_tool_not_shown() {
    let sum = || ("calculator", json!({"expression": "6 * 7"}));
    let write = || ("write", json!({"path": "a.txt", "content": "x"}));
    for (parts, refused) in [
        (json!({"deny": ["calc*"]}), "deny: calc*"),
        (json!({"allow": ["group:fs"]}), "allow: nothing there fits it"),
        (json!({"profile": "coding"}), "profile: coding"),
        (json!({"tools": false}), "it is a specialist"),
    ] {
        let (read, shown) = read_of(parts.clone(), vec![sum()]).await;
        assert!(read[0].contains(refused), "{parts}: {read:?}");
        assert!(!shown.iter().any(|name| name == "calculator"), "{parts}: {shown:?}");
    }
    let (read, _) = read_of(json!({"max_risk": "read"}), vec![sum(), write()]).await;
    assert!(read[0].contains("42") && read[1].contains("its calls are read at most"), "{read:?}");
    let (read, _) = read_of(json!({"allow": ["calculator"], "exposure": "selected"}), vec![sum()]).await;
    assert!(read[0].contains("42"), "{read:?}");
}

#[tokio::test]
async fn calls_within_calls_keep_to_the_agent_as_well() {
    let wanted = json!({"tool_uses": [
        {"recipient_name": "functions.calculator", "parameters": {"expression": "6 * 7"}},
    ]});
    let (read, _) = read_of(json!({"deny": ["calculator"]}), vec![("multi_tool_use.parallel", wanted)]).await;
    assert!(read[0].contains("deny: calculator"), "{read:?}");
}

#[tokio::test]
async fn a_yes_of_a_person_does_not_widen_the_agent() {
    let chat = Chat::start(vec![call("delete_list", json!({"name": "Holiday"})), say("Done.")]).await;
    made(&chat.owner, "worker", json!({"max_risk": "high_write"})).await;
    let conversation = with_agent(&chat.owner, "worker").await;
    let events = chat.owner.say(&conversation, "Do it.").await.rest().await;
    assert!(events.iter().all(|event| event.name != "confirmation"), "nobody is asked about what is refused");
}

#[tokio::test]
async fn only_the_collections_of_the_agent_are_searched() {
    let chat = Chat::start(vec![call("search_knowledge", json!({"query": "heron weir"})), say("Nothing.")]).await;
    chat.owner.add_text("Herons", "The heron stands at the weir and waits for fish for hours.").await;
    let other = json!({"name": "Empty"});
    let other = chat.owner.do_it("POST", "/api/knowledge/collections", other).await;
    let agent = made(&chat.owner, "worker", json!({"collections": ["empty"]})).await;
    assert_eq!(agent["collections"], json!([other["id"]]));
    let conversation = with_agent(&chat.owner, "worker").await;
    chat.owner.say(&conversation, "Where does the heron stand at the weir and wait for fish?").await.rest().await;
    let told = chat.llm.body(0)["messages"].to_string();
    assert!(!told.contains("waits for fish for hours"), "{told}");
    let read = results(&chat.llm.body(1));
    assert!(!read[0].contains("waits for fish for hours"), "{read:?}");
}

/// Tools that give something of documents, each with arguments that would find the one named.
fn readers(document: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("search_knowledge", json!({"query": "heron weir"})),
        ("document", json!({"action": "list"})),
        ("document", json!({"action": "search", "query": "heron weir"})),
        ("document", json!({"action": "view", "document_id": document})),
        ("document", json!({"action": "delete", "document_id": document})),
        ("search", json!({"query": "Herons"})),
        ("graph_get_node", json!({"id": format!("document:{document}")})),
        ("graph_neighbors", json!({"id": format!("document:{document}"), "rel": "mentions"})),
        ("get_platform_status", json!({})),
    ]
}

#[tokio::test]
async fn no_tool_gives_an_agent_anything_of_other_collections_than_its_own() {
    let chat = Chat::start(Vec::new()).await;
    let document = chat.owner.add_text("Herons", "The heron stands at the weir and waits for fish for hours.").await;
    chat.owner.do_it("POST", "/api/knowledge/collections", json!({"name": "Open"})).await;
    made(&chat.owner, "bounded", json!({"collections": ["Open"]})).await;
    made(&chat.owner, "free", json!({})).await;
    let tools = readers(&document);
    let read = async |agent: &str, tools: Vec<(&'static str, Value)>| {
        chat.llm.then(vec![calls(tools), say("Done.")]);
        let asked = chat.llm.asked();
        let conversation = with_agent(&chat.owner, agent).await;
        chat.owner.say(&conversation, "Read it all.").await.rest().await;
        results(&chat.llm.body(asked + 1))
    };
    let told = read("bounded", tools.clone()).await;
    assert_eq!(told.len(), tools.len(), "nobody is asked about a document that is not there: {told:?}");
    for (told, (tool, arguments)) in told.iter().zip(&tools) {
        assert!(!told.contains("waits for fish") && !told.contains("Herons"), "{tool} {arguments}: {told}");
    }
    let found = tools.into_iter().filter(|(_, arguments)| arguments["action"] != "delete").collect();
    let told = read("free", found).await.join("\n");
    assert!(told.matches("Herons").count() >= 4, "{told}");
}
