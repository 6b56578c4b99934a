//! 200 chat streams at once, 50 tokens a second each: the gaps between tokens as a reader sees them.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;
use tokio::task::JoinSet;

use super::{
    http::{Connection, request},
    model,
    report::{Report, Target},
    server::{Home, Server},
    usage,
};

const STREAMS: usize = 200;
const TOKENS: usize = 500;
/// Streams start one after another over this, as people do.
const ARRIVAL: Duration = Duration::from_secs(4);

/// Measures.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let model = format!("http://{}/v1", model::serve(TOKENS)?);
    let home = Home::new()?;
    let environment =
        [("SATCHEL_MODEL", "openai:scripted"), ("SATCHEL_MODEL_URL", &model), ("SATCHEL_MODEL_KEY", "none")];
    let server = Server::start(&home, &environment).await?;
    let key = home.key().await?;
    let cpu = usage::cpu_seconds(server.pid())?;
    let mut readers = JoinSet::new();
    let begun = Instant::now();
    for number in 0..STREAMS {
        let (address, key) = (server.address().to_owned(), key.clone());
        readers.spawn(async move {
            tokio::time::sleep(ARRIVAL / STREAMS as u32 * number as u32).await;
            read(&address, &key).await
        });
    }
    let mut gaps = Vec::new();
    let mut tokens = 0;
    while let Some(read) = readers.join_next().await {
        let read = read??;
        tokens += read.words;
        gaps.extend(read.gaps);
    }
    let cpu = usage::cpu_seconds(server.pid())? - cpu;
    gaps.sort_unstable();
    let at = |share: usize| gaps.get(gaps.len() * share / 1000).map_or(f64::MAX, |gap| gap.as_secs_f64() * 1e3);
    report.figure(
        "tokens that came, of each 100",
        100.0 * tokens as f64 / (STREAMS * TOKENS) as f64,
        Target::AtLeast(100.0),
    );
    report.figure("gap between tokens, median, ms", at(500), Target::None);
    report.figure("gap between tokens, 99 of 100 within, ms", at(990), Target::AtMost(50.0));
    report.figure("gap between tokens, 999 of 1,000 within, ms", at(999), Target::None);
    report.figure("server's CPU, cores", cpu / begun.elapsed().as_secs_f64(), Target::None);
    report.figure("memory after it, MB", usage::resident_mb(server.pid())?, Target::None);
    server.kill().await
}

/// The tokens one reader saw.
#[derive(Default)]
struct Seen {
    gaps: Vec<Duration>,
    words: usize,
}

async fn read(address: &str, key: &str) -> Result<Seen> {
    let mut connection = Connection::open(address).await?;
    let conversation = connection.send(&request("POST", "/api/conversations", key, Some(&json!({})))).await?.json()?;
    let id = conversation["id"].as_str().context("no id")?;
    let path = format!("/api/conversations/{id}/messages");
    connection.stream(&request("POST", &path, key, Some(&json!({"content": "Tell me something long."})))).await?;
    let mut seen = Seen::default();
    let mut last = None;
    let mut rest = String::new();
    while let Some(chunk) = connection.chunk().await? {
        rest.push_str(std::str::from_utf8(&chunk)?);
        while let Some((event, after)) = rest.split_once("\n\n") {
            if event.contains("event: token") {
                let now = Instant::now();
                seen.gaps.extend(last.map(|last| now - last));
                last = Some(now);
                // Several tokens may travel in one event.
                seen.words += event.matches("word").count();
            } else if event.contains("event: error") {
                bail!("the stream failed: {event}");
            }
            rest = after.to_owned();
        }
    }
    Ok(seen)
}
