//! Workers that end for other reasons than a script's: what is told is what happened.

#![expect(clippy::disallowed_methods, reason = "finds a worker and kills it")]

use std::{collections::BTreeMap, env::consts::ARCH, path::Path, time::Duration};

use crate::support::program::binary;
use rustix::process::{Pid, Signal, kill_process};
use satchel::{
    host::{clock::Clock, workers::Workers},
    model::{
        error::{Error, Kind},
        script::Origin,
    },
    services::scripts::{Loaded, evaluate, try_out},
};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
use serde_json::json;

const SCRIPT: &str = "// @name busy\n// @description d\n// @when w\nfn run(args) { let n = 0; loop { n += 1; } }\n";

/// On a thread of its own, with workers that descend from it.
fn alone(run: impl AsyncFnOnce(Workers) -> Error + Send + 'static, refused: Option<i64>) -> Error {
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        if let Some(call) = refused {
            // What a kernel or a container that knows nothing of the call does to this thread and its children.
            let denied = SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap());
            let rules = BTreeMap::from([(call, Vec::new())]);
            let arch = ARCH.try_into().unwrap();
            let filter: BpfProgram =
                SeccompFilter::new(rules, SeccompAction::Allow, denied, arch).unwrap().try_into().unwrap();
            apply_filter(&filter).unwrap();
        }
        runtime.block_on(run(Workers::new(binary().into())))
    });
    thread.join().unwrap()
}

/// Kills the worker that computes.
async fn killed_by(signal: Signal, workers: Workers) -> Error {
    loop {
        let error = killed_once(signal, &workers).await;
        // On a busy machine it may have come to its own end before.
        if !error.message().contains("steps") {
            return error;
        }
    }
}

async fn killed_once(signal: Signal, workers: &Workers) -> Error {
    let script = Loaded::ungranted(Origin::Folder, SCRIPT);
    let arguments = json!({});
    let running = evaluate(workers, &script, &arguments, Clock::new().now());
    let thread = rustix::thread::gettid().as_raw_nonzero();
    let children = format!("/proc/self/task/{thread}/children");
    let killing = async {
        loop {
            let children = std::fs::read_to_string(&children).unwrap();
            // It is known by its argument only once it is the program.
            let is_worker = |pid: &&str| {
                let line = std::fs::read(Path::new("/proc").join(pid).join("cmdline")).unwrap_or_default();
                String::from_utf8_lossy(&line).contains("__worker")
            };
            if let Some(pid) = children.split_whitespace().find(is_worker) {
                let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
                kill_process(pid, signal).unwrap();
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let (ran, ()) = tokio::join!(running, killing);
    ran.unwrap_err()
}

#[test]
fn a_worker_that_is_killed_is_not_said_to_have_used_too_much_memory() {
    for (signal, words) in
        [(Signal::KILL, "it was killed from outside"), (Signal::QUIT, "signal 3 ended it"), (Signal::ABORT, "signal 6")]
    {
        let error = alone(async move |workers| killed_by(signal, workers).await, None);
        assert_eq!(error.kind(), Kind::Upstream);
        assert!(error.message().starts_with("The script worker ended unexpectedly: "), "{error}");
        assert!(error.message().contains(words), "{error}");
    }
}

#[test]
fn a_worker_that_panics_is_told_by_the_words_of_its_panic() {
    let trying = async |workers: Workers| try_out(&workers, Clock::new().now()).await.unwrap_err();
    let error = alone(trying, Some(libc::SYS_getrandom));
    let told = error.message();
    assert!(told.starts_with("The script worker ended unexpectedly: it panicked: "), "{told}");
    assert!(told.contains("getrandom") && told.contains(".rs:") && !told.contains("MB"), "{told}");
}

#[test]
fn a_worker_that_cannot_be_confined_says_what_is_refused() {
    let trying = async |workers: Workers| try_out(&workers, Clock::new().now()).await.unwrap_err();
    let error = alone(trying, Some(libc::SYS_prlimit64));
    let told = error.message();
    assert!(told.contains("it exited with code 1: satchel: a worker cannot go on: "), "{told}");
    assert!(told.contains("not permitted"), "{told}");
}

#[tokio::test]
async fn a_program_that_is_no_worker_is_said_not_to_start() {
    let error = try_out(&Workers::new("/no/such/program".into()), Clock::new().now()).await.unwrap_err();
    assert!(error.message().starts_with("No script worker could be started: No such file"), "{error}");
}
