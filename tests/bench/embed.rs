//! The embedding model: short queries, full passages, two threads, memory when idle; beside Python's ONNX Runtime.

#![expect(clippy::disallowed_methods, reason = "runs Python, writes the model for it")]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use satchel::index::embed::{
    embedder::Embedder,
    model::{File, Model},
    workers::Limits,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    http::{Connection, request},
    report::{Report, Target},
    server::{Home, Server},
    usage,
};

/// Both sides in turn, this often: what else the machine does hits both.
const ROUNDS: usize = 5;
const QUERIES: usize = 100;
const PASSAGES: usize = 32;
/// A short query has so many tokens here, the special ones included, and a passage is cut to so many.
const SHORT: usize = 9;
const FULL: usize = 256;
/// The idle model leaves after a minute, the least that can be set.
const UNLOADED: Duration = Duration::from_secs(150);

/// Measures.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let Some(model) = Model::embedded() else {
        report.note("this build has no embedding model in it");
        return Ok(());
    };
    let mut peer = Peer::start(&model)?;
    let (mut queries, mut passages, mut scaling) = (Vec::new(), Vec::new(), Vec::new());
    let (mut peer_queries, mut peer_passages) = (Vec::new(), Vec::new());
    let (one, two) = (embedder(&model, 1), embedder(&model, 2));
    for embedder in [&one, &two] {
        embedder.passages(texts(4, 0)).await?;
    }
    one.query("warm").await?;
    for round in 1..=ROUNDS {
        queries.push(1e3 * short(&one, round).await? / QUERIES as f64);
        let (cpu, wall) = full(&one, round).await?;
        passages.push(PASSAGES as f64 / cpu);
        scaling.push(wall / full(&two, round + ROUNDS).await?.1);
        if let Some(peer) = &mut peer {
            peer_queries.push(1e3 * peer.cpu(1, SHORT, QUERIES)? / QUERIES as f64);
            peer_passages.push(PASSAGES as f64 / peer.cpu(16, FULL, PASSAGES / 16)?);
        }
    }
    let (query, chunks) = (median(queries), median(passages));
    report.figure("a short query, CPU ms", query, Target::None);
    report.figure("passages of 256 tokens a CPU second", chunks, Target::None);
    report.figure("two threads beside one", median(scaling), Target::AtLeast(1.7));
    match peer {
        Some(_) => {
            let (peer_query, peer_chunks) = (median(peer_queries), median(peer_passages));
            report.figure("ONNX Runtime: a short query, CPU ms", peer_query, Target::None);
            report.figure("ONNX Runtime: passages a CPU second", peer_chunks, Target::None);
            report.figure("passages beside ONNX Runtime's", chunks / peer_chunks, Target::AtLeast(1.0));
            report.figure("short queries beside ONNX Runtime's", peer_query / query, Target::None);
        }
        None => report.note("Python's onnxruntime cannot be imported: PYTHON names the interpreter that can"),
    }
    idle(report).await
}

fn embedder(model: &Model, threads: usize) -> Embedder {
    Embedder::new(Some(model.clone()), Limits { threads, idle: Duration::from_secs(600) })
}

/// Texts that are cut to 256 tokens, none of them seen before.
fn texts(count: usize, round: usize) -> Vec<String> {
    let words = "the river runs past an old mill where people once ground their corn and told each other stories ";
    (0..count).map(|n| format!("{round} {n} {}", words.repeat(15))).collect()
}

/// CPU seconds of short queries, one after the other.
async fn short(embedder: &Embedder, round: usize) -> Result<f64> {
    let begun = usage::own_seconds();
    for n in 0..QUERIES {
        embedder.query(&format!("delete file {} of {}", n + 100, round + 100)).await?;
    }
    Ok(usage::own_seconds() - begun)
}

/// CPU and wall seconds of full passages.
async fn full(embedder: &Embedder, round: usize) -> Result<(f64, f64)> {
    let (cpu, wall) = (usage::own_seconds(), Instant::now());
    embedder.passages(texts(PASSAGES, round)).await?;
    Ok((usage::own_seconds() - cpu, wall.elapsed().as_secs_f64()))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// A server that has embedded something, once the model has left it.
async fn idle(report: &mut Report) -> Result<()> {
    let home = Home::new()?;
    let server = Server::start(&home, &[]).await?;
    let key = home.key().await?;
    let mut client = Connection::open(server.address()).await?;
    let mut send = async |method: &str, path: &str, body: Option<&Value>| -> Result<Value> {
        client.send(&request(method, path, &key, body)).await?.json()
    };
    let wanted = json!({"embeddings": {"idle_minutes": 1}});
    send("PUT", "/api/settings", Some(&wanted)).await?;
    send("PUT", "/api/embeddings", Some(&json!({"model": "builtin"}))).await?;
    let query = json!({"params": {"query": "where is it", "by_meaning": true}});
    send("POST", "/api/tools/index_query/invoke", Some(&query)).await?;
    let loaded = usage::resident_mb(server.pid())?;
    let begun = Instant::now();
    while send("GET", "/api/embeddings", None).await?["state"] != "unloaded" {
        anyhow::ensure!(begun.elapsed() < UNLOADED, "the idle model stays in memory");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    report.figure("server with the model loaded, MB", loaded, Target::None);
    report.figure("server with the model unloaded, MB", usage::resident_mb(server.pid())?, Target::AtMost(80.0));
    server.kill().await
}

/// Python's ONNX Runtime, told line by line what to run.
struct Peer {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    _directory: TempDir,
}

impl Peer {
    /// None where Python has no onnxruntime.
    fn start(model: &Model) -> Result<Option<Self>> {
        let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let asked = Command::new(&python).args(["-c", "import onnxruntime, numpy"]).output();
        let File::Embedded(onnx) = &model.onnx else { return Ok(None) };
        if !asked.is_ok_and(|done| done.status.success()) {
            return Ok(None);
        }
        let directory = TempDir::new_in(env!("CARGO_TARGET_TMPDIR"))?;
        let path = directory.path().join("model.onnx");
        fs::write(&path, onnx)?;
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bench/with_onnxruntime.py");
        let mut child =
            Command::new(python).arg(script).arg(&path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let orders = child.stdin.take().context("no stdin")?;
        let answers = BufReader::new(child.stdout.take().context("no stdout")?);
        Ok(Some(Self { child, orders, answers, _directory: directory }))
    }

    /// CPU seconds of so many rounds of a batch.
    fn cpu(&mut self, batch: usize, length: usize, rounds: usize) -> Result<f64> {
        writeln!(self.orders, "{batch} {length} {rounds}")?;
        self.orders.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line).with_context(|| line.clone())?;
        answer["cpu"].as_f64().context("no CPU time")
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
