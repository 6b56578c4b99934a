//! A backup of a gigabyte with 100,000 chunks beside 500 writes a second, and the way back.

#![expect(clippy::disallowed_methods, reason = "fills a data directory, and starts the program it measures")]

use std::{
    path::Path,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use rusqlite::Connection as Database;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::{process::Command, task::JoinSet, time::interval};

use super::{
    http::{Connection, request},
    report::{Report, Target},
    server::{self, Home, Server},
    usage,
};

/// Chunks in the database.
const CHUNKS: usize = 100_000;
/// Chunks of a document.
const OF_ONE: usize = 100;
/// Bytes of all contents of documents, about: with the database they are a gigabyte.
const FILES: usize = 700 << 20;
/// Writes a second, over so many connections.
const RATE: u64 = 500;
const WRITERS: u64 = 10;
/// The time for which writes are measured without a backup.
const ALONE: Duration = Duration::from_secs(15);

/// Measures.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let home = Home::new()?;
    let server = Server::start(&home, &[]).await?;
    let key = home.key().await?;
    server.kill().await?;
    fill(&home.path())?;
    let server = Server::start(&home, &[]).await?;
    // The index is made from what was filled in; it is measured elsewhere.
    settle(&server).await?;
    let alone = {
        let writing = Writing::begin(&server, &key).await?;
        tokio::time::sleep(ALONE).await;
        writing.end().await?
    };
    let before = usage::resident_mb(server.pid())?;
    let file = home.path().with_file_name("whole.age");
    let writing = Writing::begin(&server, &key).await?;
    let (begun, mut peak) = (Instant::now(), before);
    let mut backup = program(&home.path(), &["backup", file.to_str().context("no UTF-8")?, "--with-key"]).spawn()?;
    while backup.try_wait()?.is_none() {
        peak = peak.max(usage::resident_mb(server.pid())?);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let took = begun.elapsed().as_secs_f64();
    let during = writing.end().await?;
    if !backup.wait().await?.success() {
        bail!("no backup was made");
    }
    let size = std::fs::metadata(&file)?.len() as f64 / f64::from(1 << 20);
    report.figure("backup, MB", size, Target::AtLeast(1_000.0));
    report.figure("backup beside 500 writes a second, seconds", took, Target::AtMost(60.0));
    report.figure("writes' p99 without it, ms", alone.p99, Target::None);
    report.figure("writes' p99 during it, ms", during.p99, Target::AtMost(alone.p99 * 2.0));
    report.figure("writes a second during it", during.rate, Target::AtLeast(RATE as f64 * 0.9));
    report.figure("memory more than before, MB", peak - before, Target::AtMost(100.0));
    server.kill().await?;
    restore(report, &file).await
}

async fn restore(report: &mut Report, file: &Path) -> Result<()> {
    let target = Home::new()?;
    let begun = Instant::now();
    let done = program(&target.path(), &["restore", file.to_str().context("no UTF-8")?]).status().await?;
    if !done.success() {
        bail!("the backup was not restored");
    }
    let unpacked = begun.elapsed().as_secs_f64();
    let server = Server::start(&target, &[]).await?;
    report.figure("restore, seconds", unpacked, Target::None);
    report.figure("restore to ready, seconds", begun.elapsed().as_secs_f64(), Target::AtMost(30.0));
    server.kill().await
}

fn program(data: &Path, words: &[&str]) -> Command {
    let mut command = server::program(data);
    command.args(words).stdout(Stdio::null()).kill_on_drop(true);
    command
}

/// Documents with their chunks and contents, as the server would have written them.
fn fill(data: &Path) -> Result<()> {
    let mut db = Database::open(data.join("satchel.db"))?;
    let transaction = db.transaction()?;
    let documents = CHUNKS / OF_ONE;
    let mut noise = super::made::Made::new(8);
    for document in 0..documents {
        let content: Vec<u8> = (0..FILES / documents / 8).flat_map(|_| noise.next().to_le_bytes()).collect();
        let hash = hex::encode(Sha256::digest(&content));
        let folder = data.join("files").join(&hash[..2]);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(&hash), &content)?;
        let number = document as i64 + 1;
        transaction.execute(
            "INSERT INTO documents (number, id, collection, title, titled, source, name, mime, kind, bytes, file, status, version, created_at, updated_at)
             VALUES (?1, ?2, 1, ?3, 1, 'upload', 'made.txt', 'text/plain', 'text', ?4, ?5, 'ready', 1, 0, 0)",
            (number, uuid::Uuid::now_v7().to_string(), format!("Document {document}"), content.len() as i64, &hash),
        )?;
        for ordinal in 0..OF_ONE {
            let text: String = (0..400).map(|_| format!("w{} ", noise.next() % 20_000)).collect();
            transaction.execute(
                "INSERT INTO chunks (document, version, ordinal, heading, context, start, until, text, hash)
                 VALUES (?1, 1, ?2, '', '', ?3, ?4, ?5, ?6)",
                (
                    number,
                    ordinal as i64,
                    ordinal as i64 * 2_600,
                    (ordinal as i64 + 1) * 2_600,
                    &text,
                    Sha256::digest(&text).to_vec(),
                ),
            )?;
        }
    }
    transaction.commit()?;
    Ok(())
}

/// Waits until the server has nothing left to do.
pub(crate) async fn settle(server: &Server) -> Result<()> {
    for _ in 0..120 {
        let before = usage::cpu_seconds(server.pid())?;
        tokio::time::sleep(Duration::from_secs(2)).await;
        if usage::cpu_seconds(server.pid())? - before < 0.2 {
            return Ok(());
        }
    }
    Ok(())
}

/// Writes at a steady rate until it is ended.
struct Writing {
    stop: Arc<AtomicBool>,
    writers: JoinSet<Result<Vec<u32>>>,
    begun: Instant,
}

struct Written {
    p99: f64,
    rate: f64,
}

impl Writing {
    async fn begin(server: &Server, key: &str) -> Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let mut writers = JoinSet::new();
        for writer in 0..WRITERS {
            let mut connection = Connection::open(server.address()).await?;
            let (stop, key) = (Arc::clone(&stop), key.to_owned());
            writers.spawn(async move {
                let mut ticks = interval(Duration::from_millis(1_000 * WRITERS / RATE));
                let mut times = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    ticks.tick().await;
                    let body = json!({"title": format!("writer {writer}, {}", times.len())});
                    let begun = Instant::now();
                    connection.send(&request("POST", "/api/conversations", &key, Some(&body))).await?;
                    times.push(u32::try_from(begun.elapsed().as_micros())?);
                }
                Ok(times)
            });
        }
        Ok(Self { stop, writers, begun: Instant::now() })
    }

    async fn end(mut self) -> Result<Written> {
        self.stop.store(true, Ordering::Relaxed);
        let seconds = self.begun.elapsed().as_secs_f64();
        let mut times = Vec::new();
        while let Some(some) = self.writers.join_next().await {
            times.extend(some??);
        }
        times.sort_unstable();
        let p99 = times.get(times.len() * 99 / 100).copied().unwrap_or_default();
        Ok(Written { p99: f64::from(p99) / 1e3, rate: times.len() as f64 / seconds })
    }
}
