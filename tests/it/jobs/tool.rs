//! `schedule` and `cron`, as a model calls them.

use satchel::{
    engine::decide::Answer,
    model::{
        call::{Call, Decision, Outcome},
        caller::Caller,
        error::Kind,
        policy::Situation,
    },
    store::tickets::Verdict,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::app::TestApp;

#[tokio::test(flavor = "multi_thread")]
async fn a_model_makes_lists_pauses_resumes_and_deletes_jobs_of_its_person() {
    let app = TestApp::start().await;
    let (mara, other) = (app.caller(&["jobs:manage"]).await, app.caller(&["jobs:manage"]).await);
    let new = json!({"action": "create", "message": "Tea", "due_at": "2099-01-05T16:00", "recurrence": "weekly",
                     "time_zone": "Europe/Berlin"});
    let made = app.data(&mara, "schedule", new).await.unwrap();
    assert_eq!(made["job"]["next_at"], json!("2099-01-05T15:00:00.000Z"), "{made}");
    assert_eq!(made["job"]["when"], json!("weekly from 5 January 2099 16:00, Europe/Berlin"));
    let by_id = |action: &str| json!({"action": action, "job_id": made["job_id"]});
    assert_eq!(app.data(&mara, "cron", json!({"action": "list"})).await.unwrap()["count"], json!(1));
    assert_eq!(app.data(&other, "cron", json!({"action": "list"})).await.unwrap()["count"], json!(0));
    assert!(app.data(&other, "cron", by_id("delete")).await.is_err());
    assert_eq!(approved(&app, &mara, "cron", by_id("pause"), "Pause “Tea”?").await["job"]["enabled"], json!(false));
    let resumed = approved(&app, &mara, "schedule", by_id("resume"), "Let go on “Tea”?").await;
    assert_eq!(resumed["job"]["enabled"], json!(true));
    let cron = json!({"action": "create", "schedule": "0 9 * * *", "task": "Sum up the day."});
    let task = app.data(&mara, "cron", cron).await.unwrap();
    assert_eq!((&task["job"]["name"], &task["job"]["when"]), (&json!("Sum up the day."), &json!("at 09:00, UTC")));
    let deleted = approved(&app, &mara, "cron", by_id("delete"), "Delete “Tea”?").await;
    assert_eq!(deleted["message"], json!("delete: Tea."));
}

/// Makes a call that asks this, and says yes. Gives what it gave back.
async fn approved(app: &TestApp, caller: &Caller, tool: &str, arguments: Value, question: &str) -> Value {
    let Outcome::Confirm(ticket) = app.call(caller, tool, arguments).await.unwrap() else {
        panic!("{tool} ran unasked")
    };
    assert_eq!(ticket.question, question);
    let (reason, params) = (None, None);
    let answer = Answer { decision: Decision::Approve, reason, params, question: None, for_conversation: false };
    let decided = app.satchel.invoker.decide(ticket.id, answer, caller, CancellationToken::new()).await.unwrap();
    match decided.1 {
        Verdict::Ran { output, .. } => output.data,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn content_from_outside_changes_no_jobs_unasked() {
    let app = TestApp::start().await;
    let owner = app.caller(&["*"]).await;
    let new = json!({"action": "create", "message": "Tea", "schedule": "0 9 * * *"});
    let id = app.data(&owner, "schedule", new.clone()).await.unwrap()["job_id"].clone();
    let topic = app.conversation(&owner).await;
    app.taint(topic).await;
    let tainted = |arguments: Value| {
        let call = Call { topic: Some(topic), ..Call::new(owner.clone(), "schedule", arguments) };
        app.satchel.invoker.invoke(call, CancellationToken::new())
    };
    assert!(matches!(tainted(json!({"action": "list"})).await, Ok(Outcome::Done(_))));
    let by_id = |action: &str| json!({"action": action, "job_id": id});
    for arguments in [new, by_id("pause"), by_id("resume"), by_id("delete")] {
        let Ok(Outcome::Confirm(ticket)) = tainted(arguments.clone()).await else { panic!("{arguments} ran unasked") };
        assert!(ticket.reason.contains("It changes what is done by itself later"), "{}", ticket.reason);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_or_over_is_said() {
    let app = TestApp::start().await;
    let mara = app.caller(&["jobs:manage"]).await;
    for (arguments, wanted) in [
        (json!({"action": "create", "message": "Tea"}), "Say when: either 'schedule', a cron expression, or 'due_at'"),
        (json!({"action": "create", "schedule": "0 9 * * *"}), "Say what: either 'task', for an agent, or 'message'"),
        (
            json!({"action": "create", "message": "Tea", "due_at": "2020-01-01T00:00"}),
            "2020-01-01T00:00:00.000Z is over",
        ),
        (
            json!({"action": "create", "message": "Tea", "schedule": "0 0 30 2 *"}),
            "The cron expression '0 0 30 2 *' never",
        ),
        (json!({"action": "pause"}), "'job_id' is missing"),
    ] {
        let told = app.data(&mara, "schedule", arguments.clone()).await.unwrap_err();
        assert!(told.message().starts_with(wanted), "{arguments}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_has_no_agent_do_a_task_outside_of_the_layer_for_scripts() {
    let app = TestApp::start().await;
    let (owner, mara) = (app.owner().await, app.caller(&["jobs:manage"]).await);
    let by_script = |what: Value| {
        let mut arguments = json!({"action": "create", "schedule": "0 9 * * *"});
        arguments.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        let situation = Situation { sandboxed: true, ..Situation::default() };
        let call = Call { situation, ..Call::new(mara.clone(), "schedule", arguments) };
        app.satchel.invoker.invoke(call, CancellationToken::new())
    };
    let task = || by_script(json!({"task": "Sum up the day."}));
    assert!(matches!(task().await, Ok(Outcome::Done(_))), "no layer holds for scripts");
    let layer = serde_json::from_value(json!({"sandbox": {"deny": ["calculator"]}})).unwrap();
    app.satchel.app.stores.policies.replace(&owner, None, layer).await.unwrap();
    let error = task().await.unwrap_err();
    assert_eq!(error.kind(), Kind::Denied);
    assert!(error.message().starts_with("The policy has a layer for scripts"), "{}", error.message());
    assert!(matches!(by_script(json!({"message": "Tea"})).await, Ok(Outcome::Done(_))), "a reminder is no agent");
}
