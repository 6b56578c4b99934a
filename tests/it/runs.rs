//! Runs: begun with nobody before a browser, listed for those they act for, stopped with all that they began.

use satchel::{
    agent::chat::NewMessage,
    model::{
        conversation::ConversationId,
        job::{JobId, JobName},
        run::{Purpose, RunKind, RunState},
    },
};
use serde_json::{Value, json};

use crate::support::{
    chat::{Chat, Person},
    fake_llm::{Piece, Reply, call, say},
    library::pause,
};

fn says(content: &str) -> NewMessage {
    NewMessage { content: content.to_owned(), ..NewMessage::default() }
}

fn id(conversation: &str) -> ConversationId {
    conversation.rsplit('/').next().unwrap().parse().unwrap()
}

async fn runs(person: &Person, query: &str) -> Vec<Value> {
    let found = person.do_it("GET", &format!("/api/runs{query}"), Value::Null).await;
    found.as_array().unwrap().clone()
}

#[tokio::test]
async fn a_run_is_begun_without_a_browser_and_its_end_is_awaited() {
    let usage = Reply::Answer(vec![Piece::Text("All is well.".to_owned()), Piece::Usage(30, 4)]);
    let chat = Chat::start(vec![usage]).await;
    let caller = chat.app.owner().await.caller;
    let topic = chat.app.conversation(&caller).await;
    let job = JobName { id: JobId::new(), name: "nightly".to_owned() };
    let purpose = Purpose { kind: RunKind::Job, job: Some(job.clone()), ..Purpose::default() };
    let begun = chat.app.satchel.agent.begin(&caller, topic, says("Look around."), purpose).await.unwrap();
    let (run, ended) = (begun.id, begun.ended().await.unwrap());
    assert_eq!((ended.run.state, ended.answer.as_deref()), (RunState::Done, Some("All is well.")));
    let told = chat.owner.do_it("GET", &format!("/api/runs/{run}"), Value::Null).await;
    let wanted = json!({
        "id": run, "kind": "job", "agent": "assistant", "user": caller.username, "conversation": topic, "job": job.id,
        "state": "done", "started_at": told["started_at"], "ended_at": told["ended_at"],
        "usage": {"input_tokens": 30, "output_tokens": 4},
    });
    assert_eq!(told, wanted);
    assert_eq!(runs(&chat.owner, "?kind=job&agent=assistant&state=done").await, [wanted]);
    assert!(runs(&chat.owner, "?kind=chat").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_for_a_person_ends_once_they_have_decided() {
    let write = json!({"path": "a.txt", "content": "x"});
    let chat = Chat::start(vec![call("write", write), say("Written.")]).await;
    let caller = chat.app.caller(&["host:fs.write"]).await;
    let mara = Person::sign_in(&chat.app.satchel.url, &caller.username).await;
    let topic = chat.app.conversation(&caller).await;
    let purpose = Purpose { kind: RunKind::Job, ..Purpose::default() };
    let begun = chat.app.satchel.agent.begin(&caller, topic, says("Write it."), purpose).await.unwrap();
    let ended = tokio::spawn(begun.ended());
    let ticket = loop {
        let waiting = runs(&mara, "?state=waiting").await;
        let tickets = mara.do_it("GET", "/api/tickets", Value::Null).await;
        if let ([_], Some(ticket)) = (waiting.as_slice(), tickets[0]["id"].as_str()) {
            break format!("/api/tickets/{ticket}");
        }
        pause().await;
    };
    assert!(!ended.is_finished(), "a question is open");
    mara.do_it("POST", &ticket, json!({"decision": "approve"})).await;
    let ended = ended.await.unwrap().unwrap();
    assert_eq!((ended.run.state, ended.answer.as_deref()), (RunState::Done, Some("Written.")));
    let door =
        chat.owner.do_it("GET", "/api/audit?tool=builtin:write", Value::Null).await["entries"][0]["door"].clone();
    assert_eq!(door, "job");
}

#[tokio::test]
async fn others_runs_are_seen_by_an_administrator_without_what_they_say() {
    let chat = Chat::start(vec![Reply::Refuse(400, Vec::new(), "heron".to_owned())]).await;
    let (mara, noor) = (chat.person(&[]).await, chat.person(&[]).await);
    mara.turn("Where is it?").await;
    let own = runs(&mara, "").await.remove(0);
    assert!(own["state"] == "failed" && own["error"].is_string(), "{own}");
    let mut seen = runs(&chat.owner, "").await.remove(0);
    assert!(seen.get("error").is_none() && seen["usage"] == own["usage"], "{seen}");
    seen["error"] = own["error"].clone();
    assert_eq!(seen, own);
    assert!(runs(&noor, "").await.is_empty());
    let path = format!("/api/runs/{}", own["id"].as_str().unwrap());
    let (status, told) = noor.ask("GET", &path, Value::Null).await;
    assert!(status == 404 && told["detail"].as_str().unwrap().starts_with("There is no run"), "{told}");
    let (status, told) = chat.owner.ask("POST", &format!("{path}/stop"), Value::Null).await;
    assert!(status == 403 && told["detail"].as_str().unwrap().contains("who alone can stop it"), "{told}");
    for query in ["?kind=talk", "?state=gone"] {
        let (status, told) = mara.ask("GET", &format!("/api/runs{query}"), Value::Null).await;
        assert!(status == 400 && told["detail"].as_str().unwrap().contains("write one of"), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_a_run_stops_what_it_began() {
    let chat = Chat::start(vec![Reply::Silence, Reply::Silence, Reply::Silence]).await;
    let (caller, agent) = (chat.app.owner().await.caller, &chat.app.satchel.agent);
    let mut parent = None;
    let mut begun = Vec::new();
    for kind in [RunKind::Chat, RunKind::Sub, RunKind::Sub] {
        let conversation = id(&chat.owner.conversation().await);
        let purpose = Purpose { kind, parent, ..Purpose::default() };
        let one = agent.begin(&caller, conversation, says("Wait."), purpose).await.unwrap();
        parent = Some(one.id);
        begun.push(one.id);
    }
    let stopped = chat.owner.do_it("POST", &format!("/api/runs/{}/stop", begun[0]), Value::Null).await;
    assert_eq!(stopped["state"], "cancelled");
    let all = runs(&chat.owner, "?state=cancelled").await;
    let parents: Vec<_> = all.iter().map(|run| run["parent"].clone()).collect();
    assert_eq!(parents, [json!(begun[1]), json!(begun[0]), Value::Null], "the newest first");
    let page = runs(&chat.owner, &format!("?limit=1&before={}", begun[2])).await;
    assert_eq!(page.iter().map(|run| run["id"].clone()).collect::<Vec<_>>(), [json!(begun[1])]);
}

#[tokio::test]
async fn a_branch_is_no_run_and_an_answer_that_gave_way_stays_one() {
    let chat = Chat::start(vec![say("Blue."), say("Red.")]).await;
    let (conversation, _) = chat.owner.turn("Which colour?").await;
    chat.owner.post(&format!("{conversation}/regenerate"), Value::Null).await.rest().await;
    let message = chat.owner.view(&conversation).await["messages"][1]["id"].clone();
    chat.owner.do_it("POST", &format!("{conversation}/branch"), json!({"message_id": message})).await;
    assert_eq!(runs(&chat.owner, "").await.len(), 2);
}
