//! The same request over many connections, as fast as the answers come.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use tokio::{sync::Mutex, task::JoinSet};

use super::{http::Connection, server::Server, usage};

/// The result of a run of requests.
pub(crate) struct Measured {
    /// Answered requests.
    pub(crate) answered: usize,
    /// Answered requests a second.
    pub(crate) per_second: f64,
    /// CPU seconds of the server.
    pub(crate) cpu_seconds: f64,
    /// Answered requests for each CPU second of the server.
    pub(crate) per_cpu_second: f64,
    /// The 99th of 100 answers came within this, in milliseconds.
    pub(crate) p99_ms: f64,
}

/// Connections that stay open from one measurement to the next, and what is asked over them.
pub(crate) struct Load {
    request: Arc<[u8]>,
    connections: Vec<Arc<Mutex<Connection>>>,
}

impl Load {
    /// Opens the connections.
    pub(crate) async fn open(server: &Server, request: Vec<u8>, connections: usize) -> Result<Self> {
        let mut open = Vec::new();
        for _ in 0..connections {
            open.push(Arc::new(Mutex::new(Connection::open(server.address()).await?)));
        }
        Ok(Self { request: request.into(), connections: open })
    }
}

/// Sends `request` over `connections` for `time`, after a tenth of it to warm up; every answer must be a 200.
pub(crate) async fn run(server: &Server, request: Vec<u8>, connections: usize, time: Duration) -> Result<Measured> {
    let load = Load::open(server, request, connections).await?;
    drive(&load, time / 10).await?;
    measure(server, &load, time).await
}

/// Asks over all connections for `time`; every answer must be a 200.
pub(crate) async fn measure(server: &Server, load: &Load, time: Duration) -> Result<Measured> {
    let cpu = usage::cpu_seconds(server.pid())?;
    let begun = Instant::now();
    let mut times = drive(load, time).await?;
    let wall = begun.elapsed().as_secs_f64();
    let cpu_seconds = usage::cpu_seconds(server.pid())? - cpu;
    times.sort_unstable();
    let count = times.len() as f64;
    let p99 = times.get(times.len() * 99 / 100).copied().unwrap_or_default();
    Ok(Measured {
        answered: times.len(),
        per_second: count / wall,
        cpu_seconds,
        per_cpu_second: count / cpu_seconds.max(0.01),
        p99_ms: f64::from(p99) / 1e3,
    })
}

/// The time of each answer in microseconds.
async fn drive(load: &Load, time: Duration) -> Result<Vec<u32>> {
    let mut tasks = JoinSet::new();
    let end = Instant::now() + time;
    for connection in &load.connections {
        let (connection, request) = (Arc::clone(connection), Arc::clone(&load.request));
        tasks.spawn(async move {
            let mut connection = connection.lock().await;
            let mut times = Vec::new();
            while Instant::now() < end {
                let begun = Instant::now();
                let answer = connection.send(&request).await?;
                if answer.status != 200 {
                    bail!("status {}: {}", answer.status, String::from_utf8_lossy(&answer.body));
                }
                times.push(u32::try_from(begun.elapsed().as_micros())?);
            }
            Ok(times)
        });
    }
    let mut all = Vec::new();
    while let Some(times) = tasks.join_next().await {
        all.extend(times??);
    }
    Ok(all)
}
