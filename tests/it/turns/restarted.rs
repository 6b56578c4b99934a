//! Turns a stop of the server cut off: what is asked again, and what is never replayed.

use std::sync::Arc;

use satchel::{
    model::{
        agent::AgentId,
        call::CallId,
        conversation::{Message, MessageId, Role, Step, StepState},
        llm::{ProviderId, Usage},
        price::Spent,
        run::Purpose,
        spec::Risk,
    },
    store::{
        agents::Agents,
        turns::{NewTurn, OpenTurn, Question, Turns},
    },
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::{
    chat::{Chat, results, text},
    fake_llm::{Piece, Reply, say},
};

#[tokio::test]
async fn an_answer_the_stop_of_the_server_cut_off_is_asked_for_again() {
    let forever = Arc::new(Notify::new());
    let half = Reply::Answer(vec![Piece::Text("Half an".to_owned()), Piece::Hold(forever)]);
    let chat = Chat::start(vec![half, say("The whole answer.")]).await;
    let conversation = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&conversation, "Answer.").await;
    stream.until("token").await;
    let chat = chat.restart().await;
    let events = chat.owner.follow(&conversation, None).await.rest().await;
    assert_eq!(text(&events), "The whole answer.");
    let view = chat.owner.view(&conversation).await;
    assert_eq!(view["messages"].as_array().unwrap().len(), 2);
    assert_eq!(view["turn"]["state"], "done");
}

/// Leaves a turn as a crash in the middle of its calls leaves it.
async fn crash_amid(chat: &Chat, steps: Vec<(&str, Value, Risk, StepState)>) -> String {
    let app = &chat.app.satchel.app;
    let (turns, caller, now) = (Turns::new(&app.db), chat.app.owner().await.caller, app.clock.now());
    let agent = Agents::new(&app.db).current(&caller, AgentId::assistant()).await.unwrap();
    let made = chat.app.satchel.agent.conversations().create(caller.user, String::new(), now).await.unwrap();
    let new = NewTurn { conversation: made.id, caller, provider: None, agent, purpose: Purpose::default(), now };
    let question = Question { text: "Do it.".to_owned(), attachments: Vec::new(), title: "Do it".to_owned() };
    let (turn, ..): (OpenTurn, _, _) = turns.begin(new, question).await.unwrap();
    let step = |(position, (tool, arguments, risk, state)): (usize, (&str, Value, Risk, StepState))| Step {
        call_id: CallId::new(),
        asked_arguments: None,
        approved_by: None,
        edited: Vec::new(),
        tool: format!("builtin:{tool}"),
        asked_as: tool.to_owned(),
        arguments,
        risk,
        state,
        success: None,
        output: None,
        model_text: None,
        ticket: None,
        duration_ms: None,
        started_at: now,
        ticket_id: None,
        provider_id: format!("call_{position}"),
        malformed: None,
    };
    let message = Message {
        id: MessageId::new(),
        turn_id: turn.id,
        role: Role::Assistant,
        text: String::new(),
        attachments: Vec::new(),
        citations: Vec::new(),
        steps: steps.into_iter().enumerate().map(step).collect(),
        created_at: now,
        model: None,
        provider: None,
        instead_of: None,
        former: 0,
        agent: None,
        usage: None,
        error: None,
    };
    let spent =
        Spent { provider: ProviderId::new(), name: "Own".to_owned(), model: "m".to_owned(), usage: Usage::default() };
    turns.record(&turn, message, spent, 3).await.unwrap();
    format!("/api/conversations/{}", made.id)
}

#[tokio::test]
async fn a_restart_reads_again_and_never_replays_a_write() {
    let chat = Chat::start(vec![say("I looked and went on.")]).await;
    let add = |item: &str| json!({"action": "add", "list": "shopping", "item": item});
    let conversation = crash_amid(
        &chat,
        vec![
            ("calculator", json!({"expression": "6 * 7"}), Risk::Read, StepState::Running),
            ("list", add("milk"), Risk::LowWrite, StepState::Running),
            ("list", add("bread"), Risk::LowWrite, StepState::Pending),
        ],
    )
    .await;
    let chat = chat.restart().await;
    let events = chat.owner.follow(&conversation, None).await.rest().await;
    assert_eq!(text(&events), "I looked and went on.");
    let read = results(&chat.llm.body(0));
    assert_eq!(read[0], "[TOOL:calculator]\n42\n[/TOOL]");
    assert!(read[1].contains("may or may not have taken effect"), "{}", read[1]);
    let view = chat.owner.view(&conversation).await;
    let states: Vec<_> = view["messages"][1]["steps"].as_array().unwrap().iter().map(|s| s["state"].clone()).collect();
    assert_eq!(states, ["done", "uncertain", "done"]);
    let runs = chat.owner.do_it("GET", "/api/runs?state=uncertain", Value::Null).await;
    assert_eq!((&runs[0]["id"], &runs[0]["state"]), (&view["turn"]["id"], &json!("uncertain")), "{runs}");
    assert_eq!(chat.owner.do_it("GET", "/api/runs?state=done", Value::Null).await, json!([]));
    let body = json!({"params": {"action": "view", "list": "shopping"}});
    let list = chat.owner.do_it("POST", "/api/tools/list/invoke", body).await;
    assert!(list.to_string().contains("bread") && !list.to_string().contains("milk"), "{list}");
}

#[tokio::test]
async fn a_turn_that_was_to_stop_when_the_server_ended_is_not_gone_on_with() {
    let chat = Chat::start(Vec::new()).await;
    let add = json!({"action": "add", "list": "shopping", "item": "milk"});
    let conversation = crash_amid(&chat, vec![("list", add, Risk::LowWrite, StepState::Pending)]).await;
    let (status, told) = chat.owner.ask("POST", &format!("{conversation}/stop"), Value::Null).await;
    assert!(status == 504 && told["detail"].as_str().unwrap().contains("has not ended yet"), "{status} {told}");
    let chat = chat.restart().await;
    chat.owner.follow(&conversation, None).await.rest().await;
    let view = chat.owner.view(&conversation).await;
    assert_eq!(view["turn"]["state"], "cancelled");
    let lists = chat.owner.do_it("POST", "/api/tools/list/invoke", json!({"params": {"action": "list_all"}})).await;
    assert!(!lists.to_string().contains("shopping"), "{lists}");
}
