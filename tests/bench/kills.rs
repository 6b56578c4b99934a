//! The crash test: a server under mixed writes is killed at a random point, started again, and asked for everything it
//! had acknowledged. Also run, shorter, by the integration tests.

#[path = "kills/check.rs"]
mod check;
#[path = "kills/writes.rs"]
mod writes;

use std::time::Duration;

use anyhow::{Context, Result};
use tokio::{
    sync::oneshot,
    task::JoinSet,
    time::{sleep, timeout},
};

use self::{
    check::Check,
    writes::{Acknowledged, Writer},
};
use super::{
    http::Connection,
    model,
    server::{Home, Server},
};

/// Writers at work when the kill comes; one more makes backups.
const WRITERS: u64 = 8;
/// Kills on one data directory; then a fresh one, so that reading back stays quick.
const KILLS_A_HOME: u64 = 20;
/// The kill comes between nothing and this after the first write.
const LATEST_KILL_MS: u64 = 250;
/// Tokens of an answer of the model, twenty milliseconds each.
const TOKENS: usize = 3;

/// The state the kills left.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// The number of kills.
    pub(crate) kills: u64,
    /// Writes whose answer came before the kill.
    pub(crate) acknowledged: u64,
    /// Writes without an answer that stand all the same.
    pub(crate) kept: u64,
    /// Calls the kill interrupted, closed as failed at the next start.
    pub(crate) closed: u64,
    /// Backups that a drill found whole afterwards.
    pub(crate) verified: u64,
    /// One line for each broken promise.
    pub(crate) lost: Vec<String>,
}

/// Kills `kills` times; the same `seed` gives the same points in time.
pub(crate) async fn rounds(kills: u64, seed: u64) -> Result<Summary> {
    let mut summary = Summary::default();
    let mut random = Random(seed | 1);
    let model = format!("http://{}/v1", model::serve(TOKENS)?);
    let environment =
        [("SATCHEL_MODEL", "openai:scripted"), ("SATCHEL_MODEL_URL", &*model), ("SATCHEL_MODEL_KEY", "none")];
    while summary.kills < kills {
        let home = Home::new()?;
        Server::start(&home, &environment).await?.kill().await?;
        let key = home.key().await?;
        let mut seen = 0;
        for round in 0..KILLS_A_HOME.min(kills - summary.kills) {
            let has_backup = round > 0;
            let round = Round { number: summary.kills, key: &key, home: &home, environment: &environment, has_backup };
            let wait = Duration::from_millis(random.below(LATEST_KILL_MS));
            let written = round.write_and_kill(wait).await?;
            summary.kills += 1;
            summary.acknowledged += written.len() as u64;
            seen = round.check(&written, seen, &mut summary).await?;
        }
    }
    Ok(summary)
}

struct Round<'a> {
    number: u64,
    key: &'a str,
    home: &'a Home,
    environment: &'a [(&'a str, &'a str)],
    /// `true` if one was made before: the first kill waits for it.
    has_backup: bool,
}

impl Round<'_> {
    async fn write_and_kill(&self, wait: Duration) -> Result<Vec<Acknowledged>> {
        let server = Server::start(self.home, self.environment).await?;
        let mut writers = JoinSet::new();
        let (first, mut started) = oneshot::channel();
        let mut first = Some(first);
        for number in 0..WRITERS {
            writers.spawn(self.writer(&server, number).await?.write(first.take()));
        }
        let (made, backed_up) = oneshot::channel();
        writers.spawn(self.writer(&server, WRITERS).await?.back_up(Some(made)));
        timeout(Duration::from_secs(30), &mut started).await.context("nothing was written")??;
        if !self.has_backup {
            timeout(Duration::from_secs(120), backed_up).await.context("no backup was made")??;
        }
        sleep(wait).await;
        server.kill().await?;
        let mut written = Vec::new();
        while let Some(acknowledged) = writers.join_next().await {
            written.extend(acknowledged??);
        }
        Ok(written)
    }

    async fn writer(&self, server: &Server, number: u64) -> Result<Writer> {
        let connection = Connection::open(server.address()).await?;
        Ok(Writer { connection, key: self.key.to_owned(), round: self.number, number })
    }

    /// Starts again and asks for everything; the number of the newest audit row.
    async fn check(&self, written: &[Acknowledged], seen: i64, summary: &mut Summary) -> Result<i64> {
        let server = Server::start(self.home, self.environment).await?;
        let connection = Connection::open(server.address()).await?;
        let data = self.home.path();
        let found = Check { connection, key: self.key, round: self.number, data }.all(written, seen).await?;
        summary.kept += found.kept;
        summary.verified += found.verified;
        summary.closed += found.closed;
        summary.lost.extend(found.lost);
        server.kill().await?;
        Ok(found.newest)
    }
}

/// Enough randomness to choose a point in time (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}
