//! A turn whose question was changed waits for the question in its place.

use serde_json::{Value, json};

use crate::{
    scripts::reach::save,
    support::{
        chat::{Chat, find, names, results, text},
        fake_llm::{call, say},
    },
};

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_waits_for_the_question_in_the_place_of_one_that_was_changed() {
    let chat = Chat::start(vec![call("job", json!({})), say("It is done.")]).await;
    let job = async |content: &str| {
        let body = format!("tool(\"write\", #{{ path: \"a.txt\", content: \"{content}\" }}); \"{content}\"");
        save(&chat.app, "job", "// @uses write", &body).await;
    };
    job("ok").await;
    let mara = chat.person(&["host:fs.read", "host:fs.write"]).await;
    let (conversation, parked) = mara.turn("Do the job.").await;
    let old = format!("/api/tickets/{}", find(&parked, "confirmation").data["ticket"]["id"].as_str().unwrap());
    job("other").await;
    let (status, told) = mara.ask("POST", &old, json!({"decision": "approve"})).await;
    assert_eq!(status, 409, "{told}");
    let mut stream = mara.follow(&conversation, Some(&parked.last().unwrap().id)).await;
    let asked = stream.until("done").await;
    assert_eq!(names(&asked), ["ticket_decided", "confirmation", "done"]);
    assert_eq!(asked[0].data["ticket"]["state"], "changed");
    assert_eq!(find(&asked, "confirmation").data["ticket"]["id"], told["ticket"]);
    assert_eq!(mara.view(&conversation).await["state"], "waiting");
    mara.decide(find(&asked, "confirmation"), json!({"decision": "approve"})).await;
    let events = mara.follow(&conversation, Some(&asked.last().unwrap().id)).await.rest().await;
    assert_eq!(text(&events), "It is done.");
    assert!(results(&chat.llm.body(1))[0].contains("other"));
    assert_eq!(mara.do_it("GET", "/api/tickets", Value::Null).await, json!([]));
}
