//! Skills are found by what they are for, where their words may be read.

use serde_json::json;

use super::{skill_md, taken, trust};
use crate::support::chat::{Chat, Person};

async fn found(by: &Person, need: &str) -> Vec<String> {
    let answer = by.do_it("POST", "/api/tools/find_tools/invoke", json!({"params": {"query": need}})).await;
    let skills = answer["data"]["skills"].as_array().cloned().unwrap_or_default();
    skills.iter().map(|skill| skill["name"].as_str().unwrap().to_owned()).collect()
}

#[cfg(feature = "embedded-model")]
#[tokio::test(flavor = "multi_thread")]
async fn a_trusted_skill_is_found_by_its_meaning_and_a_strangers_is_not_offered() {
    let chat = Chat::start(Vec::new()).await;
    let stranger = chat.person(&["agents:run"]).await;
    let skill = taken(&stranger, &skill_md("invoice-check", "", "Add it up.")).await;
    let need = "check whether the total of this bill is right before we pay it";
    assert_eq!(found(&chat.owner, need).await, Vec::<String>::new());
    assert_eq!(found(&stranger, need).await, ["invoice-check"]);
    trust(&chat.owner, &skill).await;
    assert_eq!(found(&chat.owner, need).await, ["invoice-check"]);
    assert_eq!(found(&chat.owner, "what is the weather like in Lisbon").await, Vec::<String>::new());
}
