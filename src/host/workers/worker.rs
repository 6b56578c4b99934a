//! One worker: spoken to over its pipes, watched while it computes, killed when it does not stop.

use std::{collections::HashSet, io, path::Path, process::Stdio, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout},
    sync::Semaphore,
    time::{Instant, timeout},
};

use super::ARGUMENT;
use crate::model::error::{Error, Result};

/// How often a worker that computes is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// Longest frame taken from one, in bytes.
const MAX_FRAME: usize = 2 << 20;
/// One tick of the times in `/proc`: the kernel counts them at 100 Hz for programs.
const TICK: Duration = Duration::from_millis(10);

/// What a worker may use between two frames.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    /// Processor time.
    pub cpu: Duration,
    /// Wall time, however busy the machine is.
    pub wall: Duration,
}

/// Why a worker is no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It used its time, and was killed.
    Time,
    /// It ended itself, as it does where memory or its stack runs out.
    Died,
    /// It sent more than it may, and was killed.
    TooLong,
}

/// A worker process. Dropping it kills it.
pub struct Worker {
    child: Child,
    /// Pipes, not a socket: that would wake the server whenever the worker takes a frame, to say that there is room.
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
    turns: Arc<Semaphore>,
    /// Frames it has answered.
    pub(super) served: u32,
    /// What it is known to have, by name: the owner's to fill.
    pub known: HashSet<String>,
}

impl Worker {
    /// Starts one. It is ready when it answers.
    pub(super) fn start(program: &Path, turns: Arc<Semaphore>) -> Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "the one place where a worker starts")]
        let mut command = tokio::process::Command::new(program);
        command
            .arg(ARGUMENT)
            .env_clear()
            // The allocator takes what it needs, and no arenas on stock: they would count against its limit.
            .env("MIMALLOC_ARENA_RESERVE", "0")
            .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(Error::internal)?;
        let (Some(requests), Some(replies)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::internal("a worker without its pipes"));
        };
        Ok(Self { child, requests, replies: BufReader::new(replies), turns, served: 0, known: HashSet::new() })
    }

    /// Sends a frame and waits for the next one, when it is this worker's turn to compute.
    pub async fn exchange(&mut self, frame: &[u8], most: Allowance) -> std::result::Result<Vec<u8>, Ended> {
        let turns = Arc::clone(&self.turns);
        let _turn = turns.acquire().await.map_err(|_| Ended::Died)?;
        let started = Instant::now();
        self.send(frame).await.map_err(|_| Ended::Died)?;
        let mut head = [0; 4];
        let mut filled = 0;
        // What it had used at the first look: until then it used no more than the time that passed.
        let mut before = None;
        while filled < head.len() {
            let rest = head.get_mut(filled..).unwrap_or_default();
            match timeout(LOOK, self.replies.read(rest)).await {
                Ok(Ok(0) | Err(_)) => return Err(Ended::Died),
                Ok(Ok(read)) => filled += read,
                Err(_) => {
                    let used = self.cpu_used();
                    let used = LOOK + used.saturating_sub(*before.get_or_insert(used));
                    if used > most.cpu || started.elapsed() > most.wall {
                        let _ = self.child.start_kill();
                        return Err(Ended::Time);
                    }
                }
            }
        }
        self.served += 1;
        self.body(usize::try_from(u32::from_le_bytes(head)).unwrap_or(usize::MAX), most.wall).await
    }

    async fn body(&mut self, length: usize, wall: Duration) -> std::result::Result<Vec<u8>, Ended> {
        if length > MAX_FRAME {
            let _ = self.child.start_kill();
            return Err(Ended::TooLong);
        }
        let mut body = vec![0; length];
        match timeout(wall, self.replies.read_exact(&mut body)).await {
            Ok(Ok(_)) => Ok(body),
            _ => Err(Ended::Died),
        }
    }

    async fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        let length = u32::try_from(frame.len()).map_err(io::Error::other)?;
        let mut whole = Vec::with_capacity(frame.len() + 4);
        whole.extend_from_slice(&length.to_le_bytes());
        whole.extend_from_slice(frame);
        self.requests.write_all(&whole).await
    }

    /// The processor time it has used, in all; to 10 ms.
    fn cpu_used(&self) -> Duration {
        let used = self.proc("stat").and_then(|stat| {
            // Behind the name, which may hold anything: state, then 10 numbers, then user and system time.
            let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
            Some(fields.next()?.parse::<u32>().ok()? + fields.next()?.parse::<u32>().ok()?)
        });
        TICK * used.unwrap_or_default()
    }

    /// Its process.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Its resident memory, in bytes.
    pub fn memory(&self) -> u64 {
        let pages = self.proc("statm").and_then(|statm| statm.split_whitespace().nth(1)?.parse::<u64>().ok());
        pages.unwrap_or_default() * rustix::param::page_size() as u64
    }

    #[expect(clippy::disallowed_methods, reason = "what the kernel says of a process of ours")]
    fn proc(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.child.id()?)).ok()
    }
}
