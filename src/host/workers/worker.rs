//! One worker: spoken to over its pipes, watched while it computes, killed when it does not stop.

use std::{io, path::Path, process::Stdio, time::Duration};

use futures_util::FutureExt;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout},
    time::{Instant, timeout},
};

use super::{ARGUMENT, death::Death, place::Place};
use satchel_model::frame;

/// The interval at which a worker that computes is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// Frames after which one makes room for a fresh one.
const MAX_SERVED: u32 = 100_000;
/// Resident memory, in bytes, with which it does.
const MAX_MEMORY: u64 = 64 << 20;
/// The interval at which its memory is looked at, in frames.
const WEIGHED: u32 = 64;
/// Longest frame taken from one, in bytes.
const MAX_FRAME: usize = 2 << 20;
/// Most bytes read of what one says at its end.
const MAX_WORDS: u64 = 16 << 10;
/// The time one that closed its pipes may take to end.
const FAREWELL: Duration = Duration::from_secs(1);
/// One tick of the times in `/proc`: the kernel counts them at 100 Hz for programs.
const TICK: Duration = Duration::from_millis(10);

/// The resources a worker may use between two frames.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    /// Processor time.
    pub cpu: Duration,
    /// Wall time, however busy the machine is.
    pub wall: Duration,
}

/// The reason a worker is no more.
#[derive(Debug)]
pub enum Ended {
    /// It could not be started, or given what it is to read.
    Unstarted(io::Error),
    /// The input could not be read from where it lies.
    Input(io::Error),
    /// It used its time, and was killed.
    Time,
    /// It ended by itself.
    Died(Death),
    /// It sent more than it may, and was killed.
    TooLong,
    /// It asked for something while those that wait for answers hold all the memory they may, and was killed.
    Crowded,
}

/// A worker process. Dropping it kills it.
pub(super) struct Worker {
    child: Child,
    /// Pipes, not a socket: that would wake the server whenever the worker takes a frame, to say that there is room.
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
    /// Its standard error, for when something goes wrong in it. Nobody reads it before its end: it holds no more than a pipe does.
    errors: ChildStderr,
    place: Place,
    /// Frames it has answered.
    served: u32,
}

impl Worker {
    /// Starts one. It is ready when it answers.
    pub(super) fn start(program: &Path) -> Result<Self, Ended> {
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
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(Ended::Unstarted)?;
        let place = Place::new(child.id());
        match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(requests), Some(replies), Some(errors)) => {
                Ok(Self { child, requests, replies: BufReader::new(replies), errors, place, served: 0 })
            }
            _ => Err(Ended::Unstarted(io::ErrorKind::BrokenPipe.into())),
        }
    }

    /// Has it run on its caller's processor until it turns out to be slow, or on any.
    pub(super) fn place(&mut self, beside: bool) {
        if beside {
            self.place.beside();
        } else {
            self.place.anywhere();
        }
    }

    /// Sends a task.
    pub(super) async fn send(&mut self, task: &[u8]) -> Result<(), Ended> {
        self.write(task, false).await
    }

    /// Sends frames, no more than `PIPE_BUF` bytes together, if the pipe has room now. False: nothing was sent.
    pub(super) async fn send_now(&mut self, frames: &[u8]) -> Result<bool, Ended> {
        match self.requests.write(frames).now_or_never() {
            None => Ok(false),
            Some(Ok(written)) if written == frames.len() => Ok(true),
            Some(_) => Err(self.died().await),
        }
    }

    /// Answers what it asked.
    pub(super) async fn answer(&mut self, answer: &[u8]) -> Result<(), Ended> {
        self.write(answer, true).await
    }

    async fn write(&mut self, frame: &[u8], asked: bool) -> Result<(), Ended> {
        let mut whole = Vec::new();
        frame::put(&mut whole, frame, asked).ok_or(Ended::TooLong)?;
        match self.requests.write_all(&whole).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.died().await),
        }
    }

    /// Finds out why it closed its pipes.
    async fn died(&mut self) -> Ended {
        let mut words = Vec::new();
        // Its end closes this pipe as well; what was read until then counts.
        let _ = timeout(FAREWELL, (&mut self.errors).take(MAX_WORDS).read_to_end(&mut words)).await;
        let status = timeout(FAREWELL, self.child.wait()).await.ok().and_then(Result::ok);
        let _ = self.child.start_kill();
        let words = String::from_utf8_lossy(&words);
        let death = Death::from_exit(status, &words);
        match death {
            // What a script may bring about is no fault of the server's.
            Death::Memory | Death::Stack => {}
            _ => tracing::error!(?status, %words, "a script worker ended unexpectedly: {death}"),
        }
        Ended::Died(death)
    }

    /// Waits for its next frame: that, and whether it asks. `slow` is called each time it was seen to have computed since it
    /// was first looked at: one that the machine has no time for is not slow.
    pub(super) async fn reply(&mut self, most: Allowance, mut slow: impl FnMut()) -> Result<(Vec<u8>, bool), Ended> {
        let started = Instant::now();
        let mut head = [0; frame::HEAD];
        let mut filled = 0;
        // What it had used at the first look: until then it used no more than the time that passed.
        let mut before = None;
        while filled < head.len() {
            let rest = head.get_mut(filled..).unwrap_or_default();
            match timeout(LOOK, self.replies.read(rest)).await {
                Ok(Ok(0) | Err(_)) => return Err(self.died().await),
                Ok(Ok(read)) => filled += read,
                Err(_) => {
                    let used = self.cpu_used();
                    let since = used.saturating_sub(*before.get_or_insert(used));
                    if since > TICK {
                        self.place.anywhere();
                        slow();
                    }
                    let used = LOOK + since;
                    if used > most.cpu || started.elapsed() > most.wall {
                        let _ = self.child.start_kill();
                        return Err(Ended::Time);
                    }
                }
            }
        }
        self.served += 1;
        let head = frame::Head::from_bytes(head);
        Ok((self.body(head.length, most.wall).await?, head.asked))
    }

    async fn body(&mut self, length: usize, wall: Duration) -> Result<Vec<u8>, Ended> {
        if length > MAX_FRAME {
            let _ = self.child.start_kill();
            return Err(Ended::TooLong);
        }
        let mut body = vec![0; length];
        match timeout(wall, self.replies.read_exact(&mut body)).await {
            Ok(Ok(_)) => Ok(body),
            Ok(Err(_)) => Err(self.died().await),
            Err(_) => {
                let _ = self.child.start_kill();
                Err(Ended::Time)
            }
        }
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
    pub(super) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Returns whether it has served long enough, or grown too large.
    pub(super) fn is_worn(&self) -> bool {
        self.served > MAX_SERVED || (self.served.is_multiple_of(WEIGHED) && self.memory() > MAX_MEMORY)
    }

    /// Its resident memory, in bytes.
    fn memory(&self) -> u64 {
        self.resident().0
    }

    /// The part of it that no other process shares, in bytes.
    pub(super) fn private_memory(&self) -> u64 {
        let (all, shared) = self.resident();
        all.saturating_sub(shared)
    }

    fn resident(&self) -> (u64, u64) {
        let pages = self.proc("statm").and_then(|statm| {
            let mut pages = statm.split_whitespace().skip(1).map(|pages| pages.parse::<u64>().ok());
            Some((pages.next()??, pages.next()??))
        });
        let (all, shared) = pages.unwrap_or_default();
        let size = rustix::param::page_size() as u64;
        (all * size, shared * size)
    }

    #[expect(clippy::disallowed_methods, reason = "what the kernel says of a process of ours")]
    fn proc(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.child.id()?)).ok()
    }
}
