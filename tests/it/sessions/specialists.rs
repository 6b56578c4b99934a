//! Questions to specialists: one request, by their instructions, within what may be spent.

use serde_json::{Value, json};

use super::stage::{agent, runs, told};
use crate::support::{
    chat::Chat,
    fake_llm::{Piece, Reply, call, say},
};

fn infer(arguments: Value) -> crate::support::fake_llm::Reply {
    call("specialists_infer", arguments)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_specialist_answers_one_question_by_its_instructions() {
    let asked = json!({"specialist": "reviewer", "prompt": "Review: x = y", "override_reasoning_effort": "high"});
    let chat = Chat::start(vec![infer(asked), say("It is fine.")]).await;
    let parts = json!({"tools": false, "instructions": "Say what is wrong.", "reasoning_effort": "low"});
    agent(&chat, "reviewer", parts).await;
    chat.llm.when("Review: x = y", vec![say("Nothing is wrong.")]);
    let (conversation, _) = chat.owner.turn("Have it reviewed.").await;
    let request = chat.llm.bodies("Review: x = y").remove(0);
    assert_eq!(request["reasoning_effort"], "high");
    assert!(request["messages"][0]["content"].as_str().unwrap().contains("Say what is wrong."));
    assert!(request.get("tools").is_none_or(|tools| tools.as_array().unwrap().is_empty()), "{request}");
    let view = chat.owner.view(&conversation).await;
    assert_eq!(
        view["messages"][1]["steps"][0]["output"]["data"],
        json!({"ok": true, "specialist": "reviewer", "model": "fake-1", "used_reasoning_effort": "high", "output": "Nothing is wrong."})
    );
    // The run that asks pays for it.
    assert_eq!(runs(&chat.owner).await[0]["usage"], json!({"input_tokens": 30, "output_tokens": 15}));
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_with_tools_unknown_ones_and_budgets_that_are_used_up_are_refused() {
    let chat = Chat::start(vec![
        infer(json!({"specialist": "assistant", "prompt": "Hi."})),
        infer(json!({"specialist": "nobody", "prompt": "Hi."})),
        infer(json!({"specialist": "reviewer", "prompt": " "})),
        say("Over."),
    ])
    .await;
    agent(&chat, "reviewer", json!({"tools": false})).await;
    chat.owner.turn("Ask them.").await;
    let read = told(&chat, "Ask them.");
    for sentence in ["assistant is an agent with tools", "There is no agent 'nobody'", "The prompt is empty"] {
        assert!(read.contains(sentence), "{sentence}: {read}");
    }
    let body = json!({"params": {"specialist": "reviewer", "prompt": "x".repeat(200_001)}});
    let told = chat.owner.do_it("POST", "/api/tools/specialists_infer/invoke", body).await;
    assert!(told["error"].as_str().unwrap().contains("A prompt has at most 200,000"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_breaks_off_is_paid_for_all_the_same() {
    let chat =
        Chat::start(vec![infer(json!({"specialist": "reviewer", "prompt": "Review: x = y"})), say("It broke.")]).await;
    agent(&chat, "reviewer", json!({"tools": false})).await;
    let half = Reply::Answer(vec![Piece::Text("Nothing".to_owned()), Piece::Break]);
    chat.llm.when("Review: x = y", vec![half; 8]);
    chat.owner.turn("Have it reviewed.").await;
    let usage = loop {
        let usage = runs(&chat.owner).await.remove(0)["usage"]["input_tokens"].as_u64().unwrap();
        if usage > 20 {
            break usage;
        }
        crate::support::library::pause().await;
    };
    assert!(usage > 25, "{usage}");
}
