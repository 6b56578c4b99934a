//! One user asks for all they can at once: reads and downloads nobody takes, commands that sleep, tables and pages made to
//! hang who reads them. Meanwhile: what another user waits for, and the server's memory.

mod flood;
mod people;

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;
use tokio::time::sleep;

use super::{
    http::{Connection, request},
    report::{Report, Target, median},
    server::{Home, Server},
    usage,
};
use flood::Flood;

/// The time for which the other user asks.
const TIME: Duration = Duration::from_secs(20);
/// Between two looks at a document.
const LOOK: Duration = Duration::from_millis(20);
/// Documents and commands of the other user.
const TRIES: usize = 5;
/// Longest wait for a document.
const PATIENCE: Duration = Duration::from_secs(60);
/// After this, whoever takes nothing has been let go.
const LET_GO: Duration = Duration::from_secs(40);

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let home = Home::new()?;
    let server = Server::start(&home, &[]).await?;
    let one = home.key().await?;
    let other = people::add(&home, &server, "otto").await?;
    let settings = json!({"exec": {"mode": "sandboxed"}});
    let mut connection = Connection::open(server.address()).await?;
    connection.send(&request("PUT", "/api/settings", &one, Some(&settings))).await?.json()?;
    // The embedding model is loaded, and a sandbox was tried.
    ready(&server, &other, "warm").await?;
    command(&server, &other).await?;
    let flood = Flood::prepare(server.address(), &one).await?;
    usage::forget_peak(server.pid())?;
    let flood = flood.begin().await?;
    let (calculator, health, commands, documents) = tokio::try_join!(
        times(
            &server,
            request(
                "POST",
                "/api/tools/calculator/invoke",
                &other,
                Some(&json!({"params": {"expression": "2 + 2 * 3"}}))
            )
        ),
        times(&server, request("GET", "/healthz", &other, None)),
        commands(&server, &other),
        documents(&server, &other),
    )?;
    let peak = usage::peak_mb_of(server.pid())?;
    report.figure("calculator of another, 99 of 100 within, ms", percentile(&calculator, 99), Target::AtMost(20.0));
    report.figure("calculator of another, median, ms", median(calculator), Target::None);
    report.figure("/healthz, 99 of 100 within, ms", percentile(&health, 99), Target::AtMost(10.0));
    report.figure("/healthz, median, ms", median(health), Target::None);
    report.figure("exec of another, longest, s", percentile(&commands, 100), Target::AtMost(1.0));
    report.figure("a 20-byte document of another ready, longest, s", percentile(&documents, 100), Target::AtMost(3.0));
    report.figure("the server's memory at its peak, MB", peak, Target::AtMost(400.0));
    sleep(LET_GO).await;
    report.figure("downloads that are not taken, held after 40 s", flood.held().await as f64, Target::AtMost(0.0));
    report.figure("memory then, MB", usage::resident_mb(server.pid())?, Target::None);
    server.kill().await
}

/// The time of each answer, in milliseconds.
async fn times(server: &Server, request: Vec<u8>) -> Result<Vec<f64>> {
    let mut connection = Connection::open(server.address()).await?;
    let (end, mut times) = (Instant::now() + TIME, Vec::new());
    while Instant::now() < end {
        let begun = Instant::now();
        connection.send(&request).await?.json()?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        sleep(Duration::from_millis(5)).await;
    }
    Ok(times)
}

/// Seconds each command took that does next to nothing.
async fn commands(server: &Server, key: &str) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for _ in 0..TRIES {
        times.push(command(server, key).await?);
        sleep(TIME / 2 / TRIES as u32).await;
    }
    Ok(times)
}

async fn command(server: &Server, key: &str) -> Result<f64> {
    let call = json!({"params": {"command": "echo hi"}});
    let mut connection = Connection::open(server.address()).await?;
    let begun = Instant::now();
    let answer = connection.send(&request("POST", "/api/tools/exec/invoke", key, Some(&call))).await?.json()?;
    anyhow::ensure!(answer["data"]["stdout"] == "hi\n", "{answer}");
    Ok(begun.elapsed().as_secs_f64())
}

/// Seconds until each of some small documents was ready.
async fn documents(server: &Server, key: &str) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for number in 0..TRIES {
        times.push(ready(server, key, &format!("heron {number}")).await?);
    }
    Ok(times)
}

async fn ready(server: &Server, key: &str, title: &str) -> Result<f64> {
    let mut connection = Connection::open(server.address()).await?;
    let text = json!({"title": title, "text": format!("{title:<20}")});
    let begun = Instant::now();
    let added = connection.send(&request("POST", "/api/knowledge/documents", key, Some(&text))).await?.json()?;
    let path = format!("/api/knowledge/documents/{}", added["id"].as_str().context("no id")?);
    loop {
        let document = connection.send(&request("GET", &path, key, None)).await?.json()?;
        if document["status"] == "ready" {
            return Ok(begun.elapsed().as_secs_f64());
        }
        anyhow::ensure!(document["status"] != "failed" && begun.elapsed() < PATIENCE, "not ready: {document}");
        sleep(LOOK).await;
    }
}

/// The value that so many of 100 do not exceed.
fn percentile(values: &[f64], of_100: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get((sorted.len() * of_100 / 100).min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::MAX)
}
