//! Hostile scripts: each ends within five seconds of processor time and 128 MB of its worker, with less than 8 MB more in
//! the server, while other calls go on.

#![expect(clippy::disallowed_methods, reason = "reads the corpus")]
#![expect(clippy::print_stdout, reason = "the figures are promised")]

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{life::doubling, watch::Watch};
use crate::support::app::TestApp;

/// A corpus: name and text of each.
fn corpus(name: &str) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/scripts").join(name);
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| {
            let name = entry.path().file_stem().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    found.sort();
    found
}

/// The processor time and memory a script's worker may use, and the memory in the server, in bytes. The worker ends it
/// after 400 ms; what it does not end goes on for as long as it may wait.
const CPU: Duration = Duration::from_secs(5);
const WORKER: u64 = 128 << 20;
const SERVER: u64 = 8 << 20;

/// The processor time of a script that computes for most of the time it takes.
const LONG: Duration = Duration::from_millis(200);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_hostile_script_is_contained_while_others_go_on() {
    let app = Arc::new(TestApp::start().await);
    let owner = app.owner().await.caller;
    let scripts = app.satchel.services.scripts.clone();
    let bench = satchel::services::scripts::Workbench::new(&scripts);
    std::fs::write(scripts.folder().join("fine.rhai"), doubling("fine", 2)).unwrap();
    scripts.reload().await.unwrap();
    app.data(&owner, "fine", json!({"n": 1})).await.unwrap();
    let (calls, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let others = tokio::spawn({
        let (app, owner) = (Arc::clone(&app), owner.clone());
        let (calls, done) = (Arc::clone(&calls), Arc::clone(&done));
        async move {
            while !done.load(Ordering::Relaxed) {
                assert_eq!(app.data(&owner, "fine", json!({"n": 4})).await.unwrap(), 8);
                calls.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    });
    let corpus = corpus("hostile");
    let watch = Watch::start();
    let (mut most_cpu, mut most_memory, mut most_growth, mut most_calls) = (Duration::ZERO, 0, 0, 0);
    for (name, text) in &corpus {
        let (before, calls_before) = (watch.take(), calls.load(Ordering::Relaxed));
        let call = satchel::model::call::Call::new(owner.clone(), "x", json!({}));
        let outcome = bench.run(text, call, CancellationToken::new()).await;
        let used = watch.take();
        let growth = used.server.saturating_sub(before.server);
        let said = match &outcome {
            Err(error) => error.message().to_owned(),
            Ok(outcome) => panic!("{name} got through: {outcome:?}"),
        };
        println!("{name}: {used:?}, {growth} more: {}", said.chars().take(120).collect::<String>());
        assert!(!said.is_empty() && !said.contains("inside Satchel"), "{name}: {said}");
        assert!(used.cpu < CPU, "{name} used {:?}", used.cpu);
        assert!(used.worker < WORKER, "{name} took {} bytes", used.worker);
        assert!(growth < SERVER, "{name} left the server {growth} bytes larger");
        most_cpu = most_cpu.max(used.cpu);
        most_memory = most_memory.max(used.worker);
        most_growth = most_growth.max(growth);
        if used.cpu > LONG {
            most_calls = most_calls.max(calls.load(Ordering::Relaxed) - calls_before);
        }
    }
    done.store(true, Ordering::Relaxed);
    others.await.unwrap();
    println!(
        "{} hostile scripts: at most {most_cpu:?}, {most_memory} bytes in a worker, {most_growth} more in the server; \
         {} other calls, at most {most_calls} while one computed",
        corpus.len(),
        calls.load(Ordering::Relaxed)
    );
    assert!(corpus.len() >= 80, "{}", corpus.len());
    // Did the others wait for one that computes, a single call would come back meanwhile: at its end, the one that waited.
    assert!(most_calls > 2, "at most {most_calls} other calls came back while one script computed");
    // Were nothing seen, everything would be within its bounds.
    assert!(most_cpu > Duration::from_millis(100) && most_memory > 10 << 20, "{most_cpu:?}, {most_memory}");
}

#[tokio::test]
async fn no_script_brings_a_secret_out() {
    const SECRET: &str = "s3cret-canary-of-a-service";
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let scripts = app.satchel.services.scripts.clone();
    let bench = satchel::services::scripts::Workbench::new(&scripts);
    let corpus = corpus("leaks");
    assert!(corpus.len() >= 10);
    for (name, text) in corpus {
        let settings = scripts.read(&text).head.settings;
        // Only what somebody has is configured.
        bench.save(&owner, &name, text.clone(), None).await.unwrap();
        let values = json!({"api_key": SECRET}).as_object().unwrap().clone();
        app.satchel.app.stores.tool_config.set(&owner, &name, &settings, values).await.unwrap();
        let call = satchel::model::call::Call::new(owner.caller.clone(), "x", json!({}));
        let told = match bench.run(&text, call, CancellationToken::new()).await {
            Ok(outcome) => format!("{outcome:?}"),
            Err(error) => format!("{} {:?}", error.message(), error.details()),
        };
        assert!(!told.contains("Missing required config"), "{name}: {told}");
        for form in [SECRET.to_owned(), hex::encode(SECRET), BASE64.encode(SECRET), BASE64.encode(format!("x{SECRET}"))]
        {
            let part = form.get(4..form.len() - 4).unwrap();
            assert!(!told.contains(part), "{name}: {told}");
        }
    }
}
