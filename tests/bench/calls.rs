//! Tool calls whose audit rows are on the disk before the answer: grouped commits against one commit each.

use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use super::{
    http,
    load::{self, Measured},
    report::{Report, Target},
    server::{Home, Server},
    usage,
};

const CONNECTIONS: usize = 64;
const TIME: Duration = Duration::from_secs(10);

/// Measures both in one run, so that the machine is the same.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let home = Home::new()?;
    let grouped = calls(&home, "group").await?;
    let flush = usage::flush_ms(home.path().as_path())?;
    let each = calls(&Home::new()?, "each").await?;
    report.figure("one flush of this disk, ms", flush, Target::None);
    report.figure("calls a second, one commit each", each.per_second, Target::None);
    report.figure("calls a second, 64 connections", grouped.per_second, Target::None);
    report.figure("times the rate of one commit each", grouped.per_second / each.per_second, Target::AtLeast(10.0));
    report.figure("calls for each CPU second of the server", grouped.per_cpu_second, Target::AtLeast(3_000.0));
    report.figure("99 of 100 answered within, ms", grouped.p99_ms, Target::None);
    Ok(())
}

async fn calls(home: &Home, commit: &str) -> Result<Measured> {
    let server = Server::start(home, &[("SATCHEL_COMMIT", commit)]).await?;
    let key = home.key().await?;
    let body = json!({"params": {"expression": "2 + 2 * 3"}});
    let request = http::request("POST", "/api/tools/calculator/invoke", &key, Some(&body));
    let measured = load::run(&server, request, CONNECTIONS, TIME).await?;
    server.kill().await?;
    Ok(measured)
}
