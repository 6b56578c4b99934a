//! Start to ready in CPU seconds, and memory at rest.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::{
    report::{Report, Target},
    server::{Home, Server},
    usage,
};

const STARTS: usize = 10;
/// Memory at rest is read after this: what starts in the background has come to its end.
const SETTLE: Duration = Duration::from_secs(3);

/// Measures.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let home = Home::new()?;
    let first = started(&home).await?;
    report.figure("first start to ready, with its owner, CPU seconds", first.cpu, Target::None);
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        starts.push(started(&home).await?);
    }
    let mean = |of: fn(&Start) -> f64| starts.iter().map(of).sum::<f64>() / STARTS as f64;
    report.figure("start to ready, CPU seconds (mean of 10)", mean(|start| start.cpu), Target::AtMost(0.3));
    report.figure("start to ready, seconds (mean of 10)", mean(|start| start.wall), Target::None);
    let server = Server::start(&home, &[]).await?;
    tokio::time::sleep(SETTLE).await;
    report.figure("memory at rest, MB", usage::resident_mb(server.pid())?, Target::AtMost(60.0));
    server.kill().await
}

struct Start {
    cpu: f64,
    wall: f64,
}

async fn started(home: &Home) -> Result<Start> {
    let begun = Instant::now();
    let server = Server::start(home, &[]).await?;
    let start = Start { cpu: usage::cpu_seconds(server.pid())?, wall: begun.elapsed().as_secs_f64() };
    server.kill().await?;
    Ok(start)
}
