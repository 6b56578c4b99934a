//! Many calls at once: they share workers and turns, and none is answered with what is another's.

#![expect(clippy::disallowed_methods, reason = "counts processes")]

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crate::support::program::binary;
use futures_util::future::join_all;
use rustix::process::{Pid, Signal, kill_process};
use satchel::{
    host::{clock::Clock, workers::Workers},
    model::{error::Result, output::Output, script::Origin},
    services::scripts::{Loaded, evaluate},
};
use serde_json::json;

/// Short for most numbers, and what workers must bear for others.
const SCRIPT: &str = r#"
// @name moods
// @description d
// @when w
// @param n integer "n"
// @param mood string? "How"
fn run(args) {
    switch args.mood {
        "slow" => { let text = ""; text.pad(900000, "x"); loop { text.contains("y"); } }
        "deep" => { let list = []; loop { let inner = list; let held = || inner; list = [held]; } }
        "ask" => { return tool("calculator", #{ expression: "1" }); }
        "throw" => { throw `no ${args.n}`; }
    }
    args.n * 2
}
"#;

struct Crowd {
    workers: Workers,
    script: Loaded,
}

impl Crowd {
    /// With workers that know the script as a short one.
    async fn start() -> Arc<Self> {
        let workers = Workers::new(binary().into());
        let crowd = Arc::new(Self { workers, script: Loaded::ungranted(Origin::Folder, SCRIPT) });
        crowd.calm().await;
        crowd
    }

    /// Runs it until it is short again.
    async fn calm(&self) {
        for n in 0..8 {
            join_all((0..8).map(|_| self.call(n, "fine"))).await;
        }
    }

    async fn call(&self, n: i64, mood: &str) -> Result<Output> {
        evaluate(&self.workers, &self.script, &json!({"n": n, "mood": mood}), Clock::new().now()).await
    }
}

/// Processes this one has started and that still run.
fn children() -> BTreeSet<u32> {
    let parent = format!("PPid:\t{}\n", std::process::id());
    let is_child = |pid: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status.contains(&parent) && !status.contains("State:\tZ")
    };
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_child).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_of_many_calls_gets_its_own_answer_from_few_workers() {
    let crowd = Crowd::start().await;
    let done = Arc::new(AtomicBool::new(false));
    let watch = std::thread::spawn({
        let done = Arc::clone(&done);
        move || {
            let mut most = 0;
            loop {
                most = most.max(children().len());
                if done.load(Ordering::Relaxed) {
                    return most;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    });
    let calls = (0..2_000).map(|n| {
        let crowd = Arc::clone(&crowd);
        tokio::spawn(async move { crowd.call(n, "fine").await.unwrap().data })
    });
    for (n, answer) in join_all(calls).await.into_iter().enumerate() {
        assert_eq!(answer.unwrap(), json!(n * 2));
    }
    done.store(true, Ordering::Relaxed);
    let most = watch.join().unwrap();
    let at_once = 2 * std::thread::available_parallelism().unwrap().get();
    // Those that were replaced may still be ending, on a busy machine many; a process for each call would be many hundreds.
    assert!(most > 0 && most < at_once + 200, "{most}");
    let idle = BTreeSet::from_iter(crowd.workers.idle());
    assert!(idle.len() <= at_once && idle.is_subset(&children()), "{idle:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_does_to_its_worker_reaches_none_of_those_it_took_along() {
    let crowd = Crowd::start().await;
    let mood = |n: i64| match n % 50 {
        7 => "slow",
        17 => "deep",
        27 | 28 => "ask",
        37 => "throw",
        _ => "fine",
    };
    for round in 0..3 {
        let calls = (0..150).map(|n| {
            let crowd = Arc::clone(&crowd);
            tokio::spawn(async move { crowd.call(n, mood(n)).await })
        });
        for (n, outcome) in (0_i64..).zip(join_all(calls).await) {
            let outcome = outcome.unwrap();
            match (mood(n), &outcome) {
                ("fine", Ok(output)) => assert_eq!(output.data, json!(n * 2)),
                ("ask", Err(error)) => assert!(error.message().contains("reaches nothing outside"), "{error}"),
                ("throw", Err(error)) => assert!(error.message().contains(&format!("no {n}")), "{error}"),
                ("slow", Err(error)) => assert!(error.message().contains("processor time"), "{error}"),
                ("deep", Err(error)) => assert!(error.message().contains("nests something without end"), "{error}"),
                (mood, _) => panic!("{round}: {n}, {mood}: {outcome:?}"),
            }
        }
        crowd.calm().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_are_given_up_take_no_answer_from_others() {
    let crowd = Crowd::start().await;
    for _ in 0..5 {
        let mut calls: Vec<_> = (0..120)
            .map(|n| {
                let crowd = Arc::clone(&crowd);
                tokio::spawn(async move { crowd.call(n, "fine").await })
            })
            .collect();
        while !calls.iter().any(tokio::task::JoinHandle::is_finished) {
            tokio::task::yield_now().await;
        }
        calls.iter().step_by(3).for_each(tokio::task::JoinHandle::abort);
        for (n, call) in calls.drain(..).enumerate() {
            match call.await {
                Ok(outcome) => assert_eq!(outcome.unwrap().data, json!(n * 2)),
                Err(gone) => assert!(gone.is_cancelled() && n % 3 == 0),
            }
        }
        crowd.calm().await;
    }
}

/// Returns whether short calls came back while slow ones, as many as have the turns of short calls, were still
/// computing.
async fn short_calls_overtake(crowd: &Arc<Crowd>) -> bool {
    let call = |mood| {
        let crowd = Arc::clone(crowd);
        tokio::spawn(async move { crowd.call(1, mood).await })
    };
    let processors = std::thread::available_parallelism().unwrap().get();
    let slow: Vec<_> = (0..processors).map(|_| call("slow")).collect();
    // Each has a worker.
    let at_work = || children().len().saturating_sub(crowd.workers.idle().len());
    while at_work() < processors && !slow.iter().any(|slow| slow.is_finished()) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let fine: Vec<_> = (0..8).map(|_| call("fine")).collect();
    for outcome in join_all(fine).await {
        assert_eq!(outcome.unwrap().unwrap().data, json!(2));
    }
    let overtaken = slow.iter().all(|slow| !slow.is_finished());
    for outcome in join_all(slow).await {
        let error = outcome.unwrap().unwrap_err();
        assert!(error.message().contains("processor time"), "{error}");
    }
    overtaken
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn short_calls_do_not_wait_for_those_that_turn_out_to_be_slow() {
    let crowd = Crowd::start().await;
    // A busy machine may give the slow ones the time they need first. Did the short ones wait, it would every time.
    for _ in 0..3 {
        if short_calls_overtake(&crowd).await {
            return;
        }
        crowd.calm().await;
    }
    panic!("the short calls came back after the slow ones every time");
}

#[tokio::test]
async fn arguments_beyond_what_scripts_may_have_are_refused_and_the_worker_goes_on() {
    let crowd = Crowd::start().await;
    let workers = crowd.workers.idle();
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    for (arguments, told) in [
        (json!({"n": 1, "all": vec![0; 100_001]}), "at most 100000 are allowed"),
        (json!({"n": "x".repeat((1 << 20) + 1)}), "at most 1048576 are allowed"),
        (json!({"n": deep}), "recursion limit"),
    ] {
        let outcome = evaluate(&crowd.workers, &crowd.script, &arguments, Clock::new().now()).await;
        let error = outcome.unwrap_err();
        assert!(error.message().contains("too much for a script") && error.message().contains(told), "{error}");
    }
    assert_eq!(crowd.call(2, "fine").await.unwrap().data, json!(4));
    assert_eq!(BTreeSet::from_iter(crowd.workers.idle()), BTreeSet::from_iter(workers));
}

#[tokio::test]
async fn a_call_is_answered_alone_after_a_crowd_and_beside_a_slow_one() {
    let crowd = Crowd::start().await;
    let alone = async || {
        for n in 0..50 {
            assert_eq!(crowd.call(n, "fine").await.unwrap().data, json!(n * 2));
        }
    };
    alone().await;
    crowd.calm().await;
    alone().await;
    let slow = tokio::spawn({
        let crowd = Arc::clone(&crowd);
        async move { crowd.call(1, "slow").await }
    });
    alone().await;
    assert!(slow.await.unwrap().unwrap_err().message().contains("processor time"));
    alone().await;
}

#[tokio::test]
async fn a_worker_that_was_ended_while_idle_is_not_taken_for_a_script_that_failed() {
    let crowd = Crowd::start().await;
    let idle = crowd.workers.idle();
    assert!(!idle.is_empty());
    for worker in &idle {
        kill_process(Pid::from_raw(i32::try_from(*worker).unwrap()).unwrap(), Signal::KILL).unwrap();
    }
    while !children().is_disjoint(&BTreeSet::from_iter(idle.iter().copied())) {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    for n in 0..8 {
        assert_eq!(crowd.call(n, "fine").await.unwrap().data, json!(n * 2));
    }
}
