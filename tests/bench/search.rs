//! Hybrid search over a hundred thousand entries, and starting a server that has them.

#![expect(clippy::disallowed_methods, reason = "removes what it made")]

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use satchel::{
    app::indexing::{Indexing, State},
    config::GraphKind,
    index::vectors::index::SearchKind,
    model::{
        index::{Ask, Space},
        time::Time,
        words::{OF_TEXTS, STOP_WORDS},
    },
    store::{
        db::{Commit, Db},
        entries::{self, Put},
    },
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    http::{Connection, request},
    made::Made,
    report::{Report, Target},
    server::{Home, Server},
    usage,
};

const DIMENSIONS: usize = 384;
const QUERIES: usize = 2_000;
/// Entries written in one transaction.
const BATCH: usize = 500;
/// Longest wait for the graph of all.
const PATIENCE: Duration = Duration::from_secs(1_800);
/// Words a text is made of: common ones first.
const WORDS: usize = 20_000;
/// Words of a question; about half of them say something.
const ASKED: usize = 12;

/// Measures.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let count: usize = std::env::var("COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let home = Home::new()?;
    // The server makes its directory, and says which model its vectors are of.
    let server = Server::start(&home, &[]).await?;
    let key = home.key().await?;
    let model = model(&server, &key).await?;
    let empty = usage::resident_mb(server.pid())?;
    server.kill().await?;
    fill(report, &home.path(), &model, count).await?;
    start(report, &home, &key, (count, empty)).await
}

async fn model(server: &Server, key: &str) -> Result<String> {
    let entries = entries_status(server, key).await?;
    Ok(entries["vectors"]["model"].as_str().context("no model is told")?.to_owned())
}

async fn entries_status(server: &Server, key: &str) -> Result<serde_json::Value> {
    let mut connection = Connection::open(server.address()).await?;
    let answer = connection.send(&request("GET", "/api/indexes", key, None)).await?;
    let all: serde_json::Value = serde_json::from_slice(&answer.body)?;
    let entries = all.as_array().and_then(|all| all.iter().find(|one| one["space"] == "entries"));
    entries.cloned().context("no entries are told")
}

/// Writes the entries, waits until all is indexed, and asks.
async fn fill(report: &mut Report, data: &Path, model: &str, count: usize) -> Result<()> {
    let db = Db::open(&data.join("satchel.db"), Commit::Grouped)?;
    let indexes = Indexing::open(&db, data, GraphKind::Own);
    indexes.use_model(Some(model.to_owned()));
    let (tracker, shutdown) = (TaskTracker::new(), CancellationToken::new());
    indexes.start(&tracker, &shutdown);
    let mut made = Made::new(DIMENSIONS);
    for begin in (0..count).step_by(BATCH) {
        let batch: Vec<Put> = (begin..count.min(begin + BATCH)).map(|number| put(&mut made, number, model)).collect();
        db.write(move |c| batch.iter().try_for_each(|put| entries::put(c, put, None, Time::from_millis(0)))).await?;
    }
    indexes.settled().await?;
    let begun = Instant::now();
    while indexes.status().await?.iter().any(|one| one.space == Space::Entries && one.vectors.kind != SearchKind::Hnsw)
        && count > 20_000
        && begun.elapsed() < PATIENCE
    {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    // The last rows are linked while searches go on already.
    while begun.elapsed() < PATIENCE {
        let before = usage::own_seconds();
        tokio::time::sleep(Duration::from_secs(2)).await;
        if usage::own_seconds() - before < 0.1 {
            break;
        }
    }
    ask(report, &indexes, &mut made).await?;
    shutdown.cancel();
    tracker.close();
    tracker.wait().await;
    Ok(())
}

fn put(made: &mut Made, number: usize, model: &str) -> Put {
    let text = Some(text(made, 120));
    let vector = Some((model.to_owned(), made.vectors(1)));
    Put { name: format!("entry-{number}"), text, vector, ..Put::default() }
}

/// Words as often as in a language: the n-th about n times rarer than the first, and the commonest, which are half of a
/// text, say nothing.
pub(crate) fn text(made: &mut Made, words: usize) -> String {
    let word = |made: &mut Made| {
        let share = (made.next() >> 11) as f64 / (1u64 << 53) as f64;
        let rank = (WORDS as f64).powf(share) as usize;
        STOP_WORDS.iter().chain(OF_TEXTS).nth(rank - 1).map_or_else(|| format!("w{rank}x"), |word| (*word).to_owned())
    };
    (0..words).map(|_| word(made)).collect::<Vec<_>>().join(" ")
}

async fn ask(report: &mut Report, indexes: &Indexing, made: &mut Made) -> Result<()> {
    let mut times = Vec::with_capacity(QUERIES);
    for _ in 0..QUERIES {
        let (text, vector) = (text(made, ASKED), made.vectors(1));
        let begun = Instant::now();
        let ask = Ask { text: &text, vector: Some(&vector), limit: 10, ..Ask::default() };
        let found = indexes.search(Space::Entries, &ask).await?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        anyhow::ensure!(found.len() == 10, "a question found {} of ten", found.len());
    }
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    report.figure("hybrid search without the embedding, ms, 50 of 100", at(50), Target::None);
    report.figure("hybrid search without the embedding, ms, 95 of 100", at(95), Target::AtMost(2.0));
    Ok(())
}

/// Starts a server on what was written.
async fn start(report: &mut Report, home: &Home, key: &str, (count, empty): (usize, f64)) -> Result<()> {
    let begun = Instant::now();
    let server = Server::start(home, &[]).await?;
    let ready = begun.elapsed().as_secs_f64();
    let all = loop {
        let entries = entries_status(&server, key).await?;
        let whole = entries["entries"] == count && entries["vectors"]["count"] == count;
        if whole && entries["vectors"]["state"] == serde_json::json!(State::Ready) {
            break begun.elapsed().as_secs_f64();
        }
        anyhow::ensure!(begun.elapsed() < PATIENCE, "the indexes were not ready in time: {entries}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    report.figure("start to the ready line, seconds", ready, Target::AtMost(2.0));
    report.figure("start until all is found, seconds", all, Target::AtMost(2.0));
    let memory = usage::resident_mb(server.pid())? - empty;
    report.figure("memory beside that of an empty server, MB", memory, Target::AtMost(120.0));
    server.kill().await
}
