//! Tasks that a job gives to an agent: each in a conversation of its own.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{
    chat::{Chat, Person},
    fake_llm::{call, say},
};

/// Gives a task by a job, and gives its id.
async fn job(chat: &Chat, when: Value) -> String {
    let task = json!({"name": "Digest", "when": when, "do": {"agent": "assistant", "task": "Sum up the day."}});
    let made = chat.owner.do_it("POST", "/api/jobs", task).await;
    made["id"].as_str().unwrap().to_owned()
}

/// Lets everything run that is due, to its end.
async fn settle(chat: &Chat) {
    let jobs = &chat.app.satchel.services.jobs;
    while jobs.run_due().await.unwrap() > 0 {
        jobs.idle().await;
    }
}

async fn last(chat: &Chat, id: &str) -> Value {
    chat.owner.do_it("GET", &format!("/api/jobs/{id}/runs"), Value::Null).await[0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_does_the_task_in_a_conversation_of_its_own() {
    let chat = Chat::start(vec![say("A quiet day.")]).await;
    let id = job(&chat, json!({"every_seconds": 60})).await;
    chat.app.satchel.app.clock.advance(Duration::from_secs(60));
    settle(&chat).await;
    let run = last(&chat, &id).await;
    assert_eq!((&run["state"], &run["output"]), (&json!("done"), &json!("A quiet day.")), "{run}");
    let path = format!("/api/conversations/{}", run["conversation"].as_str().unwrap());
    let talk = chat.owner.do_it("GET", &path, Value::Null).await;
    assert_eq!(talk["messages"][0]["text"], json!("Sum up the day."), "{talk}");
    let told = chat.owner.do_it("GET", &format!("/api/runs/{}", run["run"].as_str().unwrap()), Value::Null).await;
    assert_eq!((&told["kind"], &told["job"]), (&json!("job"), &json!(id)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_session_that_a_job_began_asks_waits_for_the_owner_too() {
    let chat = Chat::start(Vec::new()).await;
    let write = json!({"path": "a.txt", "content": "x"});
    chat.llm.when("Write it down.", vec![call("write", write), say("Written.")]);
    let caller = chat.app.caller(&["host:fs.write", "agents:run", "jobs:manage"]).await;
    let mara = Person::sign_in(&chat.app.satchel.url, &caller.username).await;
    let deed = json!({"tool": "sessions_spawn", "params": {"task": "Write it down.", "blocking": true}});
    let made = json!({"name": "Note", "when": {"every_seconds": 3600}, "do": deed});
    let id = mara.do_it("POST", "/api/jobs", made).await["id"].as_str().unwrap().to_owned();
    chat.app.satchel.app.clock.advance(Duration::from_secs(3_600));
    chat.app.satchel.services.jobs.run_due().await.unwrap();
    let ticket = loop {
        let open = mara.do_it("GET", "/api/tickets", Value::Null).await;
        if let Some(ticket) = open.as_array().unwrap().first() {
            break ticket.clone();
        }
        tokio::task::yield_now().await;
    };
    assert_eq!((&ticket["tool"], &ticket["job"]["name"]), (&json!("builtin:write"), &json!("Note")), "{ticket}");
    chat.app.satchel.app.clock.advance(Duration::from_secs(86_400));
    let path = format!("/api/tickets/{}", ticket["id"].as_str().unwrap());
    mara.do_it("POST", &path, json!({"decision": "approve"})).await;
    chat.app.satchel.services.jobs.idle().await;
    let run = mara.do_it("GET", &format!("/api/jobs/{id}/runs"), Value::Null).await[0].clone();
    assert_eq!(run["state"], json!("done"), "{run}");
    let told = mara.do_it("GET", "/api/runs?kind=sub", Value::Null).await[0].clone();
    assert_eq!((&told["job"], &told["state"]), (&json!(id), &json!("done")), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_agent_asks_waits_for_the_owner_and_then_it_goes_on() {
    let write = json!({"path": "a.txt", "content": "x"});
    let chat = Chat::start(vec![call("write", write), say("Written.")]).await;
    // Even who may do everything is asked once content from outside is near.
    let made = json!({"name": "Hook", "when": {"webhook": {}}, "do": {"task": "Write it down."}});
    let made = chat.owner.do_it("POST", "/api/jobs", made).await;
    let jobs = &chat.app.satchel.app.stores.jobs;
    let now = chat.app.satchel.app.clock.now();
    let id = made["id"].as_str().unwrap();
    jobs.take_message(id.parse().unwrap(), "1".to_owned(), "{\"text\": \"heron\"}".to_owned(), now).await.unwrap();
    chat.app.satchel.services.jobs.run_due().await.unwrap();
    let ticket = loop {
        let open = chat.owner.do_it("GET", "/api/tickets", Value::Null).await;
        if let Some(ticket) = open.as_array().unwrap().first() {
            break ticket.clone();
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(ticket["job"]["name"], json!("Hook"), "{ticket}");
    // The turn is parked right after its question is written.
    while last(&chat, id).await["state"] != json!("waiting") {
        tokio::task::yield_now().await;
    }
    chat.app.satchel.app.clock.advance(Duration::from_secs(86_400));
    let path = format!("/api/tickets/{}", ticket["id"].as_str().unwrap());
    chat.owner.do_it("POST", &path, json!({"decision": "approve"})).await;
    chat.app.satchel.services.jobs.idle().await;
    let run = last(&chat, id).await;
    assert_eq!((&run["state"], &run["output"]), (&json!("done"), &json!("Written.")), "{run}");
}
