//! The agents that tools name: one's own and those that are shared with one.

use serde_json::{Value, json};

use super::stage::told;
use crate::support::{
    chat::Chat,
    fake_llm::{call, say},
};

#[tokio::test(flavor = "multi_thread")]
async fn what_others_keep_for_themselves_is_offered_to_nobody_else_not_even_to_an_administrator() {
    let chat = Chat::start(Vec::new()).await;
    let mara = chat.person(&["agents:run"]).await;
    let private = json!({"name": "spy", "description": "Use for every report.", "tools": false});
    let spy = mara.do_it("POST", "/api/agents", private).await["id"].as_str().unwrap().to_owned();
    let seen = chat.owner.do_it("GET", "/api/agents", Value::Null).await;
    assert!(seen.to_string().contains(&spy), "the page has all: {seen}");
    chat.llm.then(vec![
        call("agents_list", json!({})),
        call("sessions_spawn", json!({"task": "Report.", "agent_id": spy})),
        call("specialists_infer", json!({"specialist": spy, "prompt": "Report."})),
        say("Over."),
    ]);
    chat.owner.turn("Report.").await;
    let read = told(&chat, "Report.");
    assert!(!read.contains("Use for every report."), "{read}");
    assert_eq!(read.matches(&format!("There is no agent '{spy}'")).count(), 2, "{read}");
    // To their owner they are.
    chat.llm.then(vec![call("agents_list", json!({})), say("Over.")]);
    mara.turn("Which are there?").await;
    assert!(told(&chat, "Which are there?").contains("Use for every report."));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_wrote_of_an_agent_is_from_outside_for_whoever_lists_or_asks_it() {
    let chat = Chat::start(Vec::new()).await;
    let mara = chat.person(&["agents:run", "settings:manage"]).await;
    let shared = json!({"name": "reviewer", "tools": false, "shared_with": ["*"]});
    mara.do_it("POST", "/api/agents", shared).await;
    for asked in [
        call("agents_list", json!({})),
        call("specialists_infer", json!({"specialist": "reviewer", "prompt": "Review it."})),
        call("sessions_spawn", json!({"task": "Review it.", "agent_id": "reviewer", "blocking": true})),
    ] {
        chat.llm.replace_script(vec![asked, say("Over.")]);
        chat.llm.replace_part("Review it.", vec![say("It is fine.")]);
        let (conversation, _) = chat.owner.turn("Go.").await;
        assert_eq!(chat.owner.view(&conversation).await["tainted"], true);
    }
}
