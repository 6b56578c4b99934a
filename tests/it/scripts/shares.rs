//! What one person's scripts may take of what there is for all.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Duration,
};

use futures_util::future::join_all;
use satchel::{services::scripts::Workbench, store::people::Actor};
use serde_json::{Value, json};

use super::{
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
    let said = app.call(&app.owner().await.caller, "asks_on", json!({})).await.unwrap_err();
    assert!(said.message().contains("used its 400 ms of processor time"), "{said}");
}

/// Returns the number of calls that came back while tests ran that take all the time they may have.
async fn calls_during_tests(two: &Two) -> usize {
    let tests: String = (0..300).map(|n| format!("test \"t{n}\" {{ for i in 0..3 {{ {HEAVY} }} }}\n")).collect();
    let heavy = script("heavy", "", "1") + tests.as_str();
    let test = async || {
        let run = two.sam.do_it("POST", "/api/scripts/heavy/test", json!({"source": heavy})).await;
        assert_eq!(run["passed"], run["total"].as_u64().unwrap() - 1, "{run}");
        let last = run["results"].as_array().unwrap().last().unwrap().clone();
        assert!(last["name"].as_str().unwrap().ends_with("more tests run"), "{last}");
        assert!(last["message"].as_str().unwrap().contains("used their 2 s of processor time"), "{last}");
    };
    let over = AtomicBool::new(false);
    let tests = async {
        join_all([test(), test()]).await;
        over.store(true, Ordering::Relaxed);
    };
    let calls = async {
        let owner = two.app.owner().await.caller;
        let mut meanwhile = 0;
        while !over.load(Ordering::Relaxed) {
            assert_eq!(two.app.data(&owner, "quick", Value::Null).await.unwrap(), 2);
            meanwhile += 1;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        meanwhile
    };
    tokio::join!(tests, calls).1
}

#[tokio::test]
async fn tests_have_so_much_time_together_and_calls_go_on_meanwhile() {
    let two = Two::start().await;
    two.publish("quick", &script("quick", "", "2")).await;
    // A busy machine may run the tests first. Did the calls wait for them, there would be four at most every time: the
    // first, one that waited for each of the tests, and one in between.
    for _ in 0..3 {
        if calls_during_tests(&two).await > 4 {
            return;
        }
    }
    panic!("the calls came back after the tests every time");
}

/// Calls of a script that holds memory while it asks a server which never answers.
struct Waiting {
    app: TestApp,
    owner: Actor,
    remote: Remote,
    ended: AtomicUsize,
    /// Of those that ended, the ones whose time was over.
    late: AtomicUsize,
}

impl Waiting {
    /// Each call has so many seconds.
    async fn start(seconds: u32) -> Self {
        let app = TestApp::start().await;
        let remote = Remote::start(|_| stalling("text/plain")).await;
        let place = remote.address.to_string();
        app.set(json!({"outbound": {"exceptions": [place]}})).await;
        let body = format!(
            "let hold = |n, f| {{ let t = []; t.pad(90000, 0); if n == 0 {{ http_get(\"http://{place}/\"); }} else {{ f.call(n - 1, f); }} t.len }};\nhold.call(args.n, hold)"
        );
        let header = format!("// @param n integer \"n\"\n// @http {place}\n// @timeout {seconds}s");
        save(&app, "holds", &header, &body).await;
        let owner = app.owner().await;
        Workbench::new(&app.satchel.services.scripts).grant(&owner, "holds", vec![place]).await.unwrap();
        Self { app, owner, remote, ended: AtomicUsize::new(0), late: AtomicUsize::new(0) }
    }

    /// So many calls at once, each holding `size` arrays: what each was told at its end.
    async fn calls(&self, calls: usize, size: u32) -> Vec<String> {
        let call = async || {
            let error = self.app.data(&self.owner.caller, "holds", json!({"n": size})).await.unwrap_err();
            self.late.fetch_add(usize::from(error.message().contains("timed out")), Ordering::Relaxed);
            self.ended.fetch_add(1, Ordering::Relaxed);
            error.message().to_owned()
        };
        join_all((0..calls).map(|_| call())).await
    }

    /// Returns the number of those that asked before the first one ended.
    async fn asked_before_an_end(&self) -> usize {
        let mut asked = 0;
        loop {
            let now = self.remote.seen().len();
            if self.ended.load(Ordering::Relaxed) > 0 {
                return asked;
            }
            asked = now;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Returns whether so many have asked or been refused before the time of one was over.
    async fn all_asked_in_time(&self, calls: usize) -> bool {
        while self.remote.seen().len() + self.ended.load(Ordering::Relaxed) < calls {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.late.load(Ordering::Relaxed) == 0
    }
}

/// Seconds a call has; more where a busy machine needs them to bring all calls to the point where they wait.
const SECONDS: [u32; 4] = [10, 20, 40, 80];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixteen_calls_of_one_person_wait_for_answers_and_the_others_in_line() {
    let mut asked = 0;
    for seconds in SECONDS {
        let waiting = Waiting::start(seconds).await;
        let (told, before) = tokio::join!(waiting.calls(24, 0), waiting.asked_before_an_end());
        assert!(told.iter().all(|told| told.contains("timed out")), "{told:#?}");
        if before == 16 {
            return;
        }
        asked = before;
    }
    panic!("{asked} calls asked before the first one ended");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_wait_hold_a_share_of_the_memory_and_the_others_end() {
    for seconds in SECONDS {
        let waiting = Waiting::start(seconds).await;
        let (told, in_time) = tokio::join!(waiting.calls(14, 25), waiting.all_asked_in_time(14));
        if in_time {
            let refused = told.iter().filter(|told| told.contains("hold all the memory they may together")).count();
            assert!((4..14).contains(&refused), "{told:#?}");
            return;
        }
    }
    panic!("some calls never came to wait");
}
