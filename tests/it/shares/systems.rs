//! Answers of systems over connections that are no HTTP requests of their own: they take the room of whoever asked.

use satchel::model::caller::Caller;
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    remote::{
        grpc::{Reflection, start, start_gzip, web_bridge},
        systems::open,
        ws::Talker,
    },
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
