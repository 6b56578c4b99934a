//! Tool calls whose audit rows are on the disk before the answer: grouped commits against one commit each.

use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use super::{
    http,
    load::{self, Load, Measured},
    report::{Report, Target, median},
    server::{Home, Server},
    usage,
};

const CONNECTIONS: usize = 64;
/// Each round measures both ways, one right after the other, so that what else the machine does meets both.
const ROUNDS: usize = 7;
const TIME: Duration = Duration::from_millis(1_500);

/// Measures both in one run, in turn; the ratio is the median of the rounds.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let (grouped, each) = (Way::open("group").await?, Way::open("each").await?);
    let flush = usage::flush_ms(grouped.home.path().as_path())?;
    let mut rounds = Vec::new();
    for round in 0..=ROUNDS {
        let pair = (grouped.calls().await?, each.calls().await?);
        // The first round warms both up.
        if round > 0 {
            rounds.push(pair);
        }
    }
    let of = |value: fn(&(Measured, Measured)) -> f64| rounds.iter().map(value).collect::<Vec<f64>>();
    let ratios = of(|(grouped, each)| grouped.per_second / each.per_second);
    let spread = |pick: fn(f64, f64) -> f64| ratios.iter().copied().reduce(pick).unwrap_or_default();
    let calls: f64 = of(|(grouped, _)| grouped.answered as f64).iter().sum();
    let cpu: f64 = of(|(grouped, _)| grouped.cpu_seconds).iter().sum();
    report.figure("one flush of this disk, ms", flush, Target::None);
    report.figure("calls a second, one commit each", median(of(|(_, each)| each.per_second)), Target::None);
    report.figure("calls a second, 64 connections", median(of(|(grouped, _)| grouped.per_second)), Target::None);
    report.figure("times the rate of one commit each, median of 7", median(ratios.clone()), Target::AtLeast(10.0));
    report.note(&format!("from {:.1} to {:.1} in single rounds", spread(f64::min), spread(f64::max)));
    report.figure("calls for each CPU second of the server", calls / cpu.max(0.01), Target::AtLeast(3_000.0));
    report.figure("99 of 100 answered within, ms", median(of(|(grouped, _)| grouped.p99_ms)), Target::None);
    grouped.server.kill().await?;
    each.server.kill().await
}

/// A server that commits in one way, and the call it is asked for.
struct Way {
    home: Home,
    server: Server,
    load: Load,
}

impl Way {
    async fn open(commit: &str) -> Result<Self> {
        let home = Home::new()?;
        let server = Server::start(&home, &[("SATCHEL_COMMIT", commit)]).await?;
        let key = home.key().await?;
        let body = json!({"params": {"expression": "2 + 2 * 3"}});
        let request = http::request("POST", "/api/tools/calculator/invoke", &key, Some(&body));
        let load = Load::open(&server, request, CONNECTIONS).await?;
        Ok(Self { home, server, load })
    }

    async fn calls(&self) -> Result<Measured> {
        load::measure(&self.server, &self.load, TIME).await
    }
}
