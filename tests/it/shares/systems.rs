//! Answers of systems: they are read in the turns of whoever asked, and take their room, by whatever protocol they come.

use std::sync::mpsc;

use satchel::model::caller::Caller;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::support::{
    app::TestApp,
    library::pause,
    remote::{
        grpc::{Reflection, start, start_gzip, web_bridge},
        systems::open,
        ws::Talker,
    },
    system::TestSystem,
};

/// A call with a text that comes back.
fn call(system: &str, text: &str) -> (&'static str, Value) {
    match system {
        "ticker" => ("call_websocket", json!({"system_id": system, "path": "/feed", "message": text})),
        _ => {
            let body = json!({"text": text});
            let call = json!({"system_id": system, "service": "echo.v1.Echo", "method": "Say", "body": body});
            ("call_grpc_endpoint", call)
        }
    }
}

async fn answer(app: &TestApp, caller: &Caller, system: &str, text: &str) -> Value {
    let (tool, params) = call(system, text);
    app.data(caller, tool, params).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_over_websocket_and_grpc_wait_while_one_persons_results_fill_their_room() {
    let (app, talker) = (TestApp::start().await, Talker::start().await);
    let (native, packed) = (start(Reflection::V1).await, start_gzip().await);
    let systems =
        [("ticker", talker.address), ("native", native), ("web", web_bridge(native).await), ("packed", packed)];
    for (name, address) in systems {
        open(&app, name, &format!("http://{address}")).await;
    }
    let (owner, long) = (app.caller(&["*"]).await, "heron ".repeat(60_000));
    for (system, _) in systems {
        assert!(answer(&app, &owner, system, "hello").await.to_string().contains("hello"), "{system}");
    }
    let work = &app.satchel.app.host.work;
    let room = work.room(Some(owner.user), u64::MAX).await.unwrap();
    let waiting = systems.map(|(system, _)| answer(&app, &owner, system, &long));
    let waiting = futures_util::future::join_all(waiting.map(Box::pin));
    tokio::pin!(waiting);
    let first = async {
        // What is short needs no room.
        for (system, _) in systems {
            assert!(answer(&app, &owner, system, "hello").await.to_string().contains("hello"), "{system}");
        }
    };
    tokio::select! {
        biased;
        _ = &mut waiting => panic!("more of their results were read than there is room for"),
        () = first => {}
    }
    drop(room);
    for (answer, (system, _)) in waiting.await.iter().zip(systems) {
        assert!(answer.to_string().contains(&long), "{system}");
    }
    work.room(Some(owner.user), u64::MAX).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_is_read_in_the_turns_of_whoever_asked() {
    let (app, long, short) = (TestApp::start().await, TestSystem::start().await, TestSystem::start().await);
    open(&app, "Long", &long.url("")).await;
    open(&app, "Short", &short.url("")).await;
    let owner = app.caller(&["*"]).await;
    let ask = async |system: &str| {
        let params = json!({"system_id": system, "method": "GET", "path": "/rows"});
        app.data(&owner, "call_rest_endpoint", params).await.unwrap()
    };
    let ((hold, held), (started, begun)) = (mpsc::channel::<()>(), oneshot::channel());
    let (work, who) = (app.satchel.app.host.work.clone(), Some(owner.user));
    let all_turns = tokio::spawn(async move {
        let hold_on = move || {
            let _ = started.send(());
            let _ = held.recv();
            Ok(())
        };
        work.run_as(who, usize::MAX, hold_on).await
    });
    begun.await.unwrap();
    long.plan(200, "Content-Type: text/csv", &format!("x,y\n{}", "herons,storks\n".repeat(10_000)));
    let waiting = ask("Long");
    tokio::pin!(waiting);
    let meanwhile = async {
        while long.asked().is_empty() {
            pause().await;
        }
        for _ in 0..5 {
            ask("Short").await;
        }
    };
    tokio::select! {
        biased;
        _ = &mut waiting => panic!("it was read beside the turns of whoever asked"),
        () = meanwhile => {}
    }
    drop(hold);
    assert!(waiting.await.to_string().contains("herons"));
    all_turns.await.unwrap().unwrap();
}
