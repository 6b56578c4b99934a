//! The pipeline: whatever a call does or meets, one row tells it, and nothing runs that should not.

use satchel::{
    engine::{context::MAX_DEPTH, invoker::Invoker, registry::Registry},
    model::{
        audit::Entry,
        call::{Call, Outcome},
        caller::Caller,
        error::{Error, Kind, Result},
        spec::{Risk, Source},
    },
    store::{audit::Filter, outcomes::Outcomes, people::Actor},
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{
    app::TestApp,
    tools::{self, Gate, Runs},
};

async fn run(invoker: &Invoker, caller: &Caller, tool: &str, params: Value) -> Result<Value> {
    match invoker.invoke(Call::new(caller.clone(), tool, params), CancellationToken::new()).await? {
        Outcome::Done(done) => Ok(done.output.data),
        Outcome::Confirm(ticket) => panic!("{tool} asked: {}", ticket.reason),
    }
}

async fn fails(invoker: &Invoker, caller: &Caller, tool: &str) -> Error {
    run(invoker, caller, tool, json!({})).await.unwrap_err()
}

/// The rows of tool calls, oldest first.
async fn rows(app: &TestApp) -> Vec<Entry> {
    let filter = Filter { event_type: Some("tool_invocation".to_owned()), ..Filter::default() };
    let mut rows = app.satchel.app.stores.audit.find(filter, 100).await.unwrap();
    rows.reverse();
    rows
}

async fn last(app: &TestApp) -> Entry {
    rows(app).await.pop().unwrap()
}

async fn weight(app: &TestApp, tool: &str) -> f64 {
    let tallies = Outcomes::new(&app.satchel.app.db).tallies().await.unwrap();
    tallies.get(&format!("builtin:{tool}")).map_or(1.0, |tally| (tally.weight * 1_000.0).round() / 1_000.0)
}

#[tokio::test]
async fn every_refusal_is_audited() {
    let app = TestApp::start().await;
    let mara = app.caller(&[]).await;
    let forbidden =
        "You may not use query_audit_log: it needs the permission 'audit:read'. An administrator can grant it.";
    for (tool, params, kind, (outcome, why, kept)) in [
        // The caller is told no more than of a name that nobody has; the audit knows why.
        ("query_audit_log", json!({}), Kind::NotFound, ("refused", Some(forbidden), json!({}))),
        ("no_such_tool", json!({"a": 1}), Kind::NotFound, ("failure", None, json!({"a": "***"}))),
        ("calculator", json!({"expression": 1}), Kind::Invalid, ("failure", None, json!({"expression": 1}))),
        ("calculator", json!(["1 + 1"]), Kind::Invalid, ("failure", None, json!(["1 + 1"]))),
    ] {
        let error = app.data(&mara, tool, params.clone()).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{tool} {params}");
        let row = last(&app).await;
        let told = (row.user.as_str(), row.outcome.as_str(), row.error.as_deref(), row.duration_ms, &row.arguments);
        let why = why.or(Some(error.message()));
        assert_eq!(told, (mara.username.as_str(), outcome, why, None, &kept), "{tool}");
    }
}

#[tokio::test]
async fn a_panic_closes_the_row_and_its_text_is_for_the_log_only() {
    let app = TestApp::start().await;
    let (invoker, mara) = (tools::invoker(&app, vec![tools::panicking()]), app.caller(&[]).await);
    let error = fails(&invoker, &mara, "panics").await;
    assert_eq!(error.kind(), Kind::Internal);
    assert!(!error.message().contains("the text of a panic"), "{error}");
    let row = last(&app).await;
    assert_eq!((row.outcome.as_str(), row.error.as_deref()), ("failure", Some(error.message())));
    assert_eq!(weight(&app, "panics").await, 0.8);
}

#[tokio::test]
async fn a_timeout_is_a_failure_that_says_after_how_long() {
    let app = TestApp::start().await;
    let (invoker, mara) = (tools::invoker(&app, vec![tools::stuck()]), app.caller(&[]).await);
    let error = fails(&invoker, &mara, "stuck").await;
    assert_eq!((error.kind(), error.message()), (Kind::Timeout, "timed out after 1s"));
    let row = last(&app).await;
    assert_eq!((row.outcome.as_str(), row.error.as_deref()), ("failure", Some("timed out after 1s")));
    assert_eq!(weight(&app, "stuck").await, 0.8);
}

#[tokio::test]
async fn what_a_call_has_started_ends_with_it() {
    let app = TestApp::start().await;
    let tools = vec![tools::waiting(), tools::held(Risk::Read, &Gate::default())];
    let (invoker, mara) = (tools::invoker(&app, tools), app.caller(&[]).await);
    assert_eq!(fails(&invoker, &mara, "waits").await.kind(), Kind::Timeout);
    let app = app.restart().await;
    let inner = rows(&app).await.into_iter().find(|row| row.tool.as_deref() == Some("builtin:held")).unwrap();
    assert_eq!(inner.error.as_deref(), Some("The call was stopped before it was done."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_goes_away_leaves_a_closed_row() {
    let app = TestApp::start().await;
    let (gate, mara) = (Gate::default(), app.caller(&[]).await);
    let invoker = tools::invoker(&app, vec![tools::held(Risk::LowWrite, &gate)]);
    let call = Call::new(mara.clone(), "held", json!({}));
    let id = call.id;
    let caller = tokio::spawn(async move { invoker.invoke(call, CancellationToken::new()).await });
    gate.started.notified().await;
    caller.abort();
    gate.release.notify_one();
    let app = app.restart().await;
    let row = last(&app).await;
    assert_eq!((row.call_id, row.outcome.as_str()), (Some(id), "success"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_is_not_called_a_failure_when_its_row_cannot_be_written() {
    let app = TestApp::start().await;
    let (gate, mara) = (Gate::default(), app.caller(&[]).await);
    let invoker = tools::invoker(&app, vec![tools::held(Risk::LowWrite, &gate)]);
    let call = Call::new(mara, "held", json!({}));
    let id = call.id;
    let done = tokio::spawn(async move { invoker.invoke(call, CancellationToken::new()).await });
    gate.started.notified().await;
    app.satchel.app.db.write(|tx| tx.script("PRAGMA query_only = 1")).await.unwrap();
    gate.release.notify_one();
    assert!(matches!(done.await.unwrap(), Ok(Outcome::Done(_))));
    let app = app.restart().await;
    let row = last(&app).await;
    assert_eq!((row.call_id, row.outcome.as_str()), (Some(id), "failure"));
    assert!(row.error.unwrap().contains("may or may not have taken effect"));
}

#[tokio::test]
async fn a_call_taken_back_ends_at_once_and_teaches_nothing() {
    let app = TestApp::start().await;
    let (gate, mara, cancel) = (Gate::default(), app.caller(&[]).await, CancellationToken::new());
    let invoker = tools::invoker(&app, vec![tools::held(Risk::Read, &gate)]);
    let call = invoker.invoke(Call::new(mara, "held", json!({})), cancel.clone());
    let stop = async {
        gate.started.notified().await;
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(call, stop);
    assert_eq!(ended.unwrap_err().kind(), Kind::Cancelled);
    assert_eq!((last(&app).await.outcome.as_str(), weight(&app, "held").await), ("stopped", 1.0));
}

#[tokio::test]
async fn the_kill_switch_stops_every_tool_and_the_other_switches_their_own() {
    let app = TestApp::start().await;
    let root = app.caller(&["*"]).await;
    let sum = json!({"expression": "1 + 1"});
    app.set(json!({"tools_enabled": false})).await;
    let error = app.data(&root, "calculator", sum.clone()).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (Kind::Disabled, "Tools are disabled."));
    assert_eq!(last(&app).await.outcome, "refused");
    for switch in [json!({"disabled_tools": ["calculator"]}), json!({"disabled_tools": ["builtin:calculator"]})] {
        app.set(json!({"tools_enabled": true, "disabled_tools": []})).await;
        app.data(&root, "calculator", sum.clone()).await.unwrap();
        app.set(switch).await;
        assert_eq!(app.data(&root, "calculator", sum.clone()).await.unwrap_err().kind(), Kind::Disabled);
        app.data(&root, "parse_json", json!({"data": "1"})).await.unwrap();
    }
    app.set(json!({"disabled_tools": [], "disabled_sources": ["builtin"]})).await;
    let error = app.data(&root, "parse_json", json!({"data": "1"})).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (Kind::Disabled, "Tools are disabled: all from builtin are switched off.")
    );
    let inside = json!({"tool_uses": [{"recipient_name": "calculator", "parameters": sum}]});
    assert_eq!(app.data(&root, "parallel", inside).await.unwrap_err().kind(), Kind::Disabled);
}

#[tokio::test]
async fn a_dry_run_checks_everything_and_runs_nothing() {
    let app = TestApp::start().await;
    let (runs, mara) = (Runs::default(), app.caller(&[]).await);
    let invoker = tools::invoker(&app, vec![tools::counting("send", Risk::HighWrite, &runs)]);
    let rehearse = |params: Value| {
        let call = Call { dry_run: true, ..Call::new(mara.clone(), "send-short", params) };
        invoker.invoke(call, CancellationToken::new())
    };
    let Outcome::Done(done) = rehearse(json!({"text": "hi"})).await.unwrap() else { panic!("asked") };
    let wanted = json!({
        "dry_run": true, "tool": "builtin:send", "arguments": {"text": "hi"}, "risk": "high_write", "asks": true,
        "reason": "It is high write, and you do not hold the permission '*'.", "question": "Run send-short?",
        "rule": null,
    });
    assert_eq!(done.output.data, wanted);
    assert_eq!(rehearse(json!({"txt": "hi"})).await.unwrap_err().kind(), Kind::Invalid);
    assert_eq!(runs.count(), 0);
    assert!(app.satchel.app.stores.tickets.pending(mara.user, app.satchel.app.clock.now()).await.unwrap().is_empty());
    assert_eq!((last(&app).await.action.as_str(), weight(&app, "send").await), ("dry_run", 1.0));
}

#[tokio::test]
async fn an_alias_gives_its_own_result_and_the_row_names_the_tool() {
    let app = TestApp::start().await;
    let (runs, mara) = (Runs::default(), app.caller(&[]).await);
    let invoker = tools::invoker(&app, vec![tools::counting("note", Risk::LowWrite, &runs)]);
    assert_eq!(run(&invoker, &mara, "note-short", json!({"text": "four"})).await.unwrap(), json!({"length": 4}));
    assert_eq!(run(&invoker, &mara, "functions.note", json!({"text": "four"})).await.unwrap(), json!({"text": "four"}));
    assert!(rows(&app).await.iter().all(|row| row.tool.as_deref() == Some("builtin:note")));
    assert_eq!(runs.count(), 2);
}

#[tokio::test]
async fn calls_in_calls_go_only_so_deep_and_each_has_its_row() {
    let app = TestApp::start().await;
    let (invoker, mara) = (tools::invoker(&app, vec![tools::deeper()]), app.caller(&[]).await);
    let error = fails(&invoker, &mara, "deeper").await;
    assert_eq!(error.message(), "Tools may call tools only 3 levels deep.");
    assert_eq!(rows(&app).await.len(), usize::from(MAX_DEPTH) + 1);
}

#[tokio::test]
async fn what_is_learned_of_a_tool_goes_up_and_down_within_bounds() {
    let app = TestApp::start().await;
    let (runs, mara) = (Runs::default(), app.caller(&[]).await);
    let tools = vec![
        tools::counting("good", Risk::Read, &runs),
        tools::failing("bad", Kind::Invalid),
        tools::failing("far", Kind::Upstream),
    ];
    let invoker = tools::invoker(&app, tools);
    let text = json!({"text": ""});
    run(&invoker, &mara, "good", text.clone()).await.unwrap();
    fails(&invoker, &mara, "bad").await;
    fails(&invoker, &mara, "far").await;
    assert_eq!([weight(&app, "good").await, weight(&app, "bad").await, weight(&app, "far").await], [1.3, 0.8, 0.95]);
    for _ in 0..20 {
        run(&invoker, &mara, "good", text.clone()).await.unwrap();
        fails(&invoker, &mara, "bad").await;
    }
    run(&invoker, &mara, "good", json!({})).await.unwrap_err();
    assert_eq!(
        [weight(&app, "good").await, weight(&app, "bad").await],
        [5.0, 0.1],
        "what is never run teaches nothing"
    );
}

#[tokio::test]
async fn a_secret_of_the_settings_never_comes_out() {
    let app = TestApp::start().await;
    let (tool, mara) = (tools::leaking(), app.caller(&[]).await);
    let settings = tool.spec().settings.clone();
    let invoker = tools::invoker(&app, vec![tool]);
    let missing = run(&invoker, &mara, "leaks", json!({"text": ""})).await.unwrap_err();
    assert_eq!(missing.kind(), Kind::Unconfigured);
    assert!(missing.message().starts_with("Missing required config: key."), "{missing}");
    let secret = "pä \"ss\"/word+42?";
    let by = Actor {
        caller: app.satchel.app.stores.people.local_caller().await.unwrap(),
        session: None,
        now: app.satchel.app.clock.now(),
    };
    let values = Map::from_iter([("key".to_owned(), json!(secret))]);
    app.satchel.app.stores.tool_config.set(&by, "leaks", &settings, values).await.unwrap();
    let call = Call::new(mara.clone(), "leaks", json!({"text": ""}));
    let Outcome::Done(done) = invoker.invoke(call, CancellationToken::new()).await.unwrap() else { panic!("asked") };
    let shown = serde_json::to_string(&done.output).unwrap();
    let error = run(&invoker, &mara, "leaks", json!({"text": "fail"})).await.unwrap_err();
    let row = serde_json::to_string(&last(&app).await).unwrap();
    // What a reader could take the secret back from: the middle of each form, as its ends depend on what stands beside.
    for form in tools::forms(secret) {
        let middle: String = form.chars().skip(8).take(form.chars().count().saturating_sub(14)).collect();
        for place in [&shown, error.message(), &row] {
            assert!(!place.contains(&middle), "'{middle}' of '{form}' stands in {place}");
        }
    }
    assert!(shown.contains("***") && error.message().contains("***"));
}

#[tokio::test]
async fn two_tools_of_one_name_are_refused_at_start() {
    let runs = Runs::default();
    let twice = vec![tools::counting("a", Risk::Read, &runs), tools::counting("a", Risk::Read, &runs)];
    let error = Registry::new(twice).err().unwrap();
    assert_eq!(error.message(), "builtin:a cannot be registered: builtin:a has the name 'builtin:a'.");
}

#[tokio::test]
async fn bad_input_is_an_error_that_says_what_and_never_a_crash() {
    let app = TestApp::start().await;
    let root = app.caller(&["*"]).await;
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    for tool in app.satchel.invoker.registry().tools() {
        let name = &tool.spec().name;
        let odd = [json!(7), json!("text"), json!([]), json!({"no such parameter": 1}), json!({"a": deep})];
        for params in odd {
            let error =
                app.call(&root, name, params.clone()).await.err().unwrap_or_else(|| panic!("{name} took {params}"));
            assert_eq!(error.kind(), Kind::Invalid, "{name} {params}: {error}");
            assert!(error.message().len() < 1_000, "{name}: {error}");
        }
        // A script may take anything.
        let typed = |schema: &&Value| tool.spec().source == Source::Builtin || schema.get("type").is_some();
        let document = tool.schema().document();
        let properties = document["properties"].as_object().unwrap();
        for (key, property) in properties.iter().filter(|(_, property)| typed(property)) {
            let wrong = if property["type"] == json!("boolean") { json!("x".repeat(1 << 20)) } else { json!(true) };
            let error = app.call(&root, name, json!({key.as_str(): wrong})).await.err();
            let error = error.unwrap_or_else(|| panic!("{name} took a wrong '{key}'"));
            assert_eq!(error.kind(), Kind::Invalid, "{name}.{key}: {error}");
        }
    }
}
