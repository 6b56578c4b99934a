//! Policies: nine layers over 15,000 tools as a turn looks through them, one tool explained, and a million past calls
//! judged by a draft.

use std::{sync::Arc, time::Instant};

use anyhow::{Result, ensure};
use futures_util::{StreamExt, TryStreamExt, stream};
use satchel::{
    engine::{policy::PolicySet, registry::Registry, tool::Tool},
    model::{
        audit::Event,
        output::Output,
        policy::Situation,
        spec::{Category, Source, Spec},
    },
    store::{
        audit::Audit,
        db::{Commit, Db},
        policies::StoredPolicies,
    },
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    audit::event,
    http::{self, Connection},
    report::{Report, Target, median},
    server::{Home, Server},
};

const TOOLS: usize = 15_000;
const ROUNDS: usize = 21;
const ROWS: u64 = 1_000_000;
const AT_ONCE: usize = 2_048;
const YEAR: u64 = 365 * 24 * 3_600_000;

/// The tools of the past calls.
const CALLED: [&str; 6] = ["read", "write", "calculator", "web_fetch", "recall_memories", "search_knowledge"];

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// Measures the layers by themselves, then the replay through the server.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    layers(report)?;
    replay(report).await
}

fn tools() -> Result<Registry> {
    let run = |_, _: Nothing| async { Ok(Output::default()) };
    let plain = Tool::new("plain", Category::Catalog, "Does.", "When.", run).spec().clone();
    let tool = |number: usize| {
        let name = format!("system{}.endpoint{number}", number % 300);
        Tool::of_spec(Spec { name, source: Source::Catalog, ..plain.clone() }, |_, _| async { Ok(Output::default()) })
    };
    let all: Result<Vec<Tool>, _> = (0..TOOLS).map(tool).collect();
    Ok(Registry::new(all?)?)
}

fn layers(report: &mut Report) -> Result<()> {
    let registry = tools()?;
    let layer = |part: usize| json!({"deny": [format!("catalog:system{part}.*"), "*99"], "ask": ["*7"], "allow": ["catalog:*"]});
    let document = json!({
        "profile": {"profile": "full"}, "provider_profile": {"p": layer(1)}, "global": layer(2), "global_provider": {"p": layer(3)},
        "agent": {"a": layer(4)}, "agent_provider": {"a": {"p": layer(5)}}, "group": {"c": layer(6)},
        "sandbox": layer(7), "subagent": layer(8),
    });
    let stored = StoredPolicies { version: 1, document: serde_json::from_value(document)? };
    let some = |text: &str| Some(text.to_owned());
    let situation = Situation {
        agent: some("a"),
        provider: some("p"),
        channel: some("c"),
        sandboxed: true,
        depth: 1,
        ..Situation::default()
    };
    let started = Instant::now();
    let set = registry.under(Arc::new(stored));
    let passing = |set: &Arc<PolicySet>| {
        let view = set.view(&situation);
        registry.tools().iter().filter(|tool| view.allows(tool.as_ref())).count()
    };
    let first = passing(&set);
    report.figure("nine layers over 15,000 tools, the first time, ms", millis(started), Target::None);
    let mut took = Vec::new();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        ensure!(passing(&set) == first, "another number passed");
        took.push(millis(started));
    }
    report.figure("nine layers over 15,000 tools, a turn, ms", median(took), Target::AtMost(1.0));
    let (view, tool) = (set.view(&situation), &registry.tools()[TOOLS / 2]);
    let mut took = Vec::new();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        ensure!(view.explain(tool.as_ref()).len() == 9, "a layer is missing");
        took.push(millis(started));
    }
    report.figure("one tool explained, ms", median(took), Target::AtMost(5.0));
    report.note(&format!("{first} tools pass"));
    Ok(())
}

async fn replay(report: &mut Report) -> Result<()> {
    let home = Home::new()?;
    Server::start(&home, &[]).await?.kill().await?;
    let key = home.key().await?;
    let db = Db::open(&home.path().join("satchel.db"), Commit::Grouped)?;
    let audit = Audit::new(&db);
    let called = |n: u64| format!("builtin:{}", CALLED[n as usize % CALLED.len()]);
    let events = (0..ROWS).map(|n| audit.append(Event { tool: Some(called(n)), ..event(n, ROWS, YEAR) }));
    stream::iter(events).buffered(AT_ONCE).try_for_each(|_| async { Ok(()) }).await?;
    db.close().await;
    let server = Server::start(&home, &[]).await?;
    let mut connection = Connection::open(server.address()).await?;
    let body = json!({"policies": {"global": {"deny": ["group:fs"]}}, "rules": [
        {"tool": "read", "decision": "deny", "when": {"/path": {"prefix": "reports"}}}]});
    let started = Instant::now();
    let answer = connection.send(&http::request("POST", "/api/policies/replay", &key, Some(&body))).await?.json()?;
    report.figure("1,000,000 past calls judged anew, s", started.elapsed().as_secs_f64(), Target::AtMost(20.0));
    report.note(&format!("{} calls", answer["calls"]));
    server.kill().await
}

fn millis(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1_000.0
}
