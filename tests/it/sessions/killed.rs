//! A tree of sessions, when the server is killed in the middle: it is whole afterwards, and nothing in it is done twice.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::stage::{begin, path, runs, spawn};
use crate::support::{
    chat::{Person, results},
    fake_llm::{FakeLlm, Piece, Reply, call, say},
    library::pause,
    program::{Home, Serving},
};

fn person(home: &Home, served: &Serving) -> Person {
    Person::bearer(&served.url, &home.token())
}

fn never() -> Reply {
    Reply::Answer(vec![Piece::Text("Half".to_owned()), Piece::Hold(Arc::new(Notify::new()))])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_of_sessions_goes_on_after_a_kill_and_begins_none_twice() {
    let llm = FakeLlm::start(Vec::new()).await;
    llm.when("Lead.", vec![begin("Beside."), spawn("Below."), say("Both are done."), say("And the other.")]);
    llm.when("Beside.", vec![never(), say("Done beside.")]);
    let sum = call("calculator", json!({"expression": "6 * 7"}));
    llm.when("Below.", vec![sum, never(), say("Done below.")]);
    let url = format!("http://{}/v1", llm.address);
    let env = [("SATCHEL_MODEL", "openai:fake-1"), ("SATCHEL_MODEL_URL", url.as_str())];
    let home = Home::new().await;
    let served = home.serve(&env).await;
    let owner = person(&home, &served);
    // A title would be asked for of the same script.
    owner.do_it("PUT", "/api/settings", json!({"chat": {"titles": "words"}})).await;
    let conversation = owner.conversation().await;
    let mut stream = owner.say(&conversation, "Lead.").await;
    stream.until("session").await;
    stream.until("session").await;
    while llm.bodies("Below.").len() < 2 || llm.bodies("Beside.").is_empty() {
        pause().await;
    }
    let before: Vec<Value> = runs(&owner).await.iter().map(|run| run["id"].clone()).collect();
    served.kill().await;
    let served = home.serve(&env).await;
    let owner = person(&home, &served);
    let told = loop {
        let told = llm.bodies("Lead.").last().map(|request| results(request).join("\n")).unwrap_or_default();
        let is_at_rest = owner.view(&conversation).await["state"] == "idle";
        if is_at_rest && ["Done below.", "Done beside."].iter().all(|words| told.contains(words)) {
            break told;
        }
        pause().await;
    };
    assert_eq!(told.matches("Done below.").count(), 1, "{told}");
    assert_eq!(told.matches("Done beside.").count(), 1, "{told}");
    let all = runs(&owner).await;
    let ids: Vec<Value> = all.iter().map(|run| run["id"].clone()).collect();
    assert_eq!(ids[..3], before, "each goes on");
    assert!(all.iter().all(|run| run["state"] == "done"), "{all:?}");
    assert_eq!((&all[1]["parent"], &all[2]["parent"]), (&all[0]["id"], &all[0]["id"]));
    let below = owner.view(&path(&all[2])).await;
    assert_eq!(below["messages"][1]["steps"][0]["output"]["data"], json!(42), "what was done before stays");
    drop(served);
}
