//! What one person's scripts may take of what there is for all.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use satchel::engine::scripts::Workbench;
use serde_json::{Value, json};

use super::{
    crowd::children,
    reach::save,
    two::{Two, script},
};
use crate::support::{
    app::TestApp,
    remote::http::{Remote, stalling},
};

/// Takes long in one piece, while the engine's clock stands still.
const HEAVY: &str = "regex_captures(repeat(\"abcd\", 8000), \"^(?:(a)|(b)|(c)|(.))*$\");";

#[tokio::test]
async fn time_is_counted_through_all_that_a_script_asks() {
    let app = TestApp::start().await;
    save(&app, "asks_on", "// @kv\n// @timeout 60s", &format!("for i in 0..200 {{ {HEAVY} kv_keys(); }} 7")).await;
    let started = Instant::now();
    let said = app.call(&app.owner().await.caller, "asks_on", json!({})).await.unwrap_err();
    assert!(said.message().contains("used its 400 ms of processor time"), "{said}");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[tokio::test]
async fn tests_have_so_much_time_together_and_calls_go_on_meanwhile() {
    let two = Two::start().await;
    two.publish("quick", &script("quick", "", "2")).await;
    let tests: String = (0..300).map(|n| format!("test \"t{n}\" {{ {HEAVY} }}\n")).collect();
    let heavy = script("heavy", "", "1") + tests.as_str();
    let test = async || {
        let run = two.sam.do_it("POST", "/api/scripts/heavy/test", json!({"source": heavy})).await;
        assert_eq!(run["passed"], run["total"].as_u64().unwrap() - 1, "{run}");
        let last = run["results"].as_array().unwrap().last().unwrap().clone();
        assert!(last["name"].as_str().unwrap().ends_with("more tests run"), "{last}");
        assert!(last["message"].as_str().unwrap().contains("used their 2 s of processor time"), "{last}");
    };
    let call = async || {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let started = Instant::now();
        let owner = two.app.owner().await.caller;
        assert_eq!(two.app.data(&owner, "quick", Value::Null).await.unwrap(), 2);
        started.elapsed()
    };
    let (_, waited) = tokio::join!(join_all([test(), test()]), call());
    assert!(waited < Duration::from_secs(2), "{waited:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_wait_hold_a_share_of_the_memory_and_the_others_end() {
    let app = TestApp::start().await;
    let remote = Remote::start(|_| stalling("text/plain")).await;
    let place = remote.address.to_string();
    app.set(json!({"outbound": {"exceptions": [place]}})).await;
    let body = format!(
        "let hold = |n, f| {{ let t = []; t.pad(90000, 0); if n == 0 {{ http_get(\"http://{place}/\"); }} else {{ f.call(n - 1, f); }} t.len }};\nhold.call(args.n, hold)"
    );
    save(&app, "holds", &format!("// @param n integer \"n\"\n// @http {place}\n// @timeout 4s"), &body).await;
    let owner = app.owner().await;
    Workbench::of(&app.satchel.scripts).grant(&owner, "holds", vec![place]).await.unwrap();
    let said = async |n: u32| app.data(&owner.caller, "holds", json!({"n": n})).await.unwrap_err().message().to_owned();
    let counted = async || {
        tokio::time::sleep(Duration::from_millis(2_500)).await;
        children().len()
    };
    // What is small waits in line for one of sixteen places.
    let (told, few) = tokio::join!(join_all((0..24).map(|_| said(0))), counted());
    assert!(few <= 16 && told.iter().all(|told| told.contains("timed out")), "{few}: {told:#?}");
    let (told, few) = tokio::join!(join_all((0..14).map(|_| said(25))), counted());
    let refused = told.iter().filter(|told| told.contains("hold all the memory they may together")).count();
    assert!((4..14).contains(&refused) && few <= 16, "{few}: {told:#?}");
}
