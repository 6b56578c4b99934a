//! A turn's own time on a server that has been in use for long, that of a session an agent begins, and the memory of a
//! thousand runs that wait for a person. `TURN_TOOLS` and `TURN_CHUNKS` ask for fewer tools and chunks.

#![expect(clippy::disallowed_methods, reason = "the amounts are asked for on the command line")]

mod model;
mod stage;
mod texts;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use satchel::model::score::percentile;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    backup, document,
    report::{Report, Target, median},
    server::Home,
    usage,
};
use model::{Model, What};
use stage::{Sizes, Stage};

/// Turns and sessions that are let pass before those that count.
const WARM: usize = 20;
const TURNS: usize = 400;
const SESSIONS: usize = 200;
/// Runs that wait before those that are weighed.
const WAITING_FIRST: usize = 50;
const WAITING: usize = 1_000;
/// Between the end of a turn and the next: what an ended one leaves to be done in the background is over.
const PAUSE: Duration = Duration::from_millis(50);

/// Measures.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let asked = |name: &str| std::env::var(name).ok().and_then(|count| count.parse().ok());
    let sizes = Sizes {
        systems: asked("TURN_TOOLS").unwrap_or(15_000) / document::OPERATIONS,
        chunks: asked("TURN_CHUNKS").unwrap_or(100_000),
        memories: asked("TURN_MEMORIES").unwrap_or(1_000),
    };
    let model = Model::serve()?;
    let home = Home::new()?;
    let stage = stage::prepare(&home, &model, sizes).await?;
    let mut bench = Bench { model, stage, number: 0 };
    let plain = bench.plain(report).await?;
    bench.sessions(report, plain).await?;
    // Room that ended turns have left in memory would be taken by those that wait.
    bench.stage = bench.stage.again(&home, &bench.model, sizes.chunks).await?;
    bench.waiting(report).await?;
    bench.stage.server.kill().await
}

/// All that is needed to let turns pass.
struct Bench {
    model: Model,
    stage: Stage,
    /// The number of the next question.
    number: usize,
}

/// A turn that has ended.
struct Turn {
    /// The moment its message was sent.
    sent: Instant,
    /// CPU seconds of the server by then.
    cpu: f64,
    /// The events its stream told.
    events: String,
}

impl Turn {
    /// The data of the first event of a name; null where there is none.
    fn event(&self, name: &str) -> Value {
        let mut events = self.events.split("\n\n").filter(|event| event.contains(&format!("event: {name}\n")));
        let data = events.next().and_then(|event| event.split_once("data: "));
        data.and_then(|(_, data)| serde_json::from_str(data).ok()).unwrap_or_default()
    }
}

impl Bench {
    /// Sends a question that was never asked in a conversation of its own, and reads what comes of it to its end.
    async fn turn(&mut self, question: &str) -> Result<Turn> {
        let owner = &mut self.stage.owner;
        let conversation = owner.send("POST", "/api/conversations", Some(&json!({}))).await?;
        let path = format!("/api/conversations/{}/messages", conversation["id"].as_str().context("no id")?);
        let message = super::person::request("POST", &path, &owner.session, Some(&json!({"content": question})));
        let (cpu, sent) = (usage::cpu_seconds(self.stage.server.pid())?, Instant::now());
        let connection = owner.connection().await?;
        connection.stream(&message).await?;
        let mut events = Vec::new();
        while let Some(chunk) = connection.chunk().await? {
            events.extend(chunk);
        }
        let turn = Turn { sent, cpu, events: String::from_utf8(events)? };
        ensure!(turn.event("error").is_null(), "the turn failed: {}", turn.event("error"));
        Ok(turn)
    }

    fn next(&mut self) -> usize {
        self.number += 1;
        self.number
    }

    /// What an answered turn does after its end: its title.
    async fn rest(&mut self) -> Result<()> {
        self.model.until(|what| matches!(what, What::Titled)).await?;
        sleep(PAUSE).await;
        Ok(())
    }

    /// Turns of one request. Returns the milliseconds of each until that arrived.
    async fn plain(&mut self, report: &mut Report) -> Result<Vec<f64>> {
        let (mut times, mut used, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        let (mut known, mut remembered, mut bytes) = (0, 0, Vec::new());
        for round in 0..WARM + TURNS {
            let question = texts::question(self.next());
            let turn = self.turn(&question).await?;
            let arrived = self.model.until(|what| matches!(what, What::Asked(words, _) if *words == question)).await?;
            self.rest().await?;
            if round < WARM {
                continue;
            }
            times.push((arrived.at - turn.sent).as_secs_f64() * 1e3);
            used.push((arrived.cpu - turn.cpu) * 1e3);
            whole.push((usage::cpu_seconds(self.stage.server.pid())? - turn.cpu) * 1e3);
            known += usize::from(!turn.event("knowledge").is_null());
            remembered += usize::from(!turn.event("memory").is_null());
            if let What::Asked(_, length) = arrived.what {
                bytes.push(length as f64);
            }
            if round == WARM {
                let context = turn.event("context");
                report
                    .note(&format!("{} tools, of which {} are shown", context["tools_total"], context["tools_count"]));
            }
        }
        let length = median(bytes) / 1e3;
        report.note(&format!(
            "{TURNS} turns, {known} given chunks and {remembered} memories; requests of {length:.0} kB at the median"
        ));
        report.figure("message sent to request at the model, p50 ms", percentile(&times, 0.5), Target::AtMost(15.0));
        report.figure("message sent to request at the model, p95 ms", percentile(&times, 0.95), Target::AtMost(40.0));
        // One reading counts whole hundredths of a second; their mean does not.
        report.figure("server's CPU between the two, ms a turn", mean(&used), Target::AtMost(10.0));
        report.figure("server's CPU of all of a turn and its title, ms", mean(&whole), Target::None);
        Ok(times)
    }

    /// Turns whose answer begins a session and waits for it.
    async fn sessions(&mut self, report: &mut Report, plain: Vec<f64>) -> Result<()> {
        let (mut above, mut times) = (Vec::new(), Vec::new());
        for round in 0..WARM + SESSIONS {
            let question = texts::handed(self.next());
            let task = texts::task(&question).to_owned();
            let turn = self.turn(&question).await?;
            let asked = self.model.until(|what| matches!(what, What::Asked(words, _) if *words == question)).await?;
            let called = self.model.until(|what| matches!(what, What::Called)).await?;
            let begun = self.model.until(|what| matches!(what, What::Asked(words, _) if *words == task)).await;
            let begun = begun.with_context(|| format!("no session was begun: {}", turn.events))?;
            self.rest().await?;
            if round >= WARM {
                above.push((asked.at - turn.sent).as_secs_f64() * 1e3);
                times.push((begun.at - called.at).as_secs_f64() * 1e3);
            }
        }
        report.figure("call of sessions_spawn to its request, p50 ms", percentile(&times, 0.5), Target::AtMost(5.0));
        report.figure("call of sessions_spawn to its request, p95 ms", percentile(&times, 0.95), Target::None);
        report.figure("a plain turn's request, p50 ms", median(plain), Target::None);
        report.figure("the request of the turn above, p50 ms", median(above), Target::None);
        Ok(())
    }

    /// Turns that wait for a person to allow a call.
    async fn waiting(&mut self, report: &mut Report) -> Result<()> {
        let ask = json!({"global": {"ask": ["write"]}});
        self.stage.owner.send("PUT", "/api/policies", Some(&ask)).await?;
        self.let_wait(WAITING_FIRST).await?;
        let before = self.weigh().await?;
        let times = self.let_wait(WAITING).await?;
        let after = self.weigh().await?;
        report.figure("anonymous memory of 1,000 waiting runs, MB", after.0 - before.0, Target::AtMost(20.0));
        report.figure("resident memory of them, MB", after.1 - before.1, Target::None);
        report.figure("resident memory with them, MB", after.1, Target::None);
        let tenth = |from: usize| median(times.iter().skip(from).take(WAITING / 10).copied().collect());
        report.figure("turn until it waits, first 100, p50 ms", tenth(0), Target::None);
        report.figure("turn until it waits, last 100, p50 ms", tenth(WAITING - WAITING / 10), Target::None);
        Ok(())
    }

    /// Lets so many more wait. Returns the milliseconds of each from its message to the end of its stream.
    async fn let_wait(&mut self, runs: usize) -> Result<Vec<f64>> {
        let mut times = Vec::with_capacity(runs);
        for _ in 0..runs {
            let question = texts::kept(self.next());
            let turn = self.turn(&question).await?;
            times.push(turn.sent.elapsed().as_secs_f64() * 1e3);
            ensure!(turn.event("done")["state"] == "waiting", "it does not wait: {}", turn.events);
        }
        Ok(times)
    }

    /// Anonymous and resident memory of the server at rest, in MB.
    async fn weigh(&self) -> Result<(f64, f64)> {
        sleep(Duration::from_secs(5)).await;
        backup::settle(&self.stage.server).await?;
        let pid = self.stage.server.pid();
        Ok((usage::anonymous_mb(pid)?, usage::resident_mb(pid)?))
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
