//! What a test's worker processes and the test itself use, looked at every few milliseconds while scripts run.

#![expect(clippy::disallowed_methods, reason = "reads what the kernel says of processes")]

use std::{
    collections::HashMap,
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use parking_lot::Mutex;

/// The interval of looking: a script's processor time and memory are known to what passes between two looks.
const LOOK: Duration = Duration::from_millis(3);
const TICK: Duration = Duration::from_millis(10);

/// The resources used since the last time it was asked.
#[derive(Debug, Default, Clone, Copy)]
pub struct Used {
    /// Processor time of the worker that used most.
    pub cpu: Duration,
    /// The most a worker held in memory of its own, in bytes: not the pages of the program, which it shares.
    pub worker: u64,
    /// The most this process held in memory of its own, in bytes.
    pub server: u64,
}

#[derive(Default)]
struct Seen {
    /// Of each worker: processor time when it was first seen, and last.
    cpu: HashMap<u32, (Duration, Duration)>,
    used: Used,
}

/// A thread that looks. Dropping it ends it.
pub struct Watch {
    seen: Arc<Mutex<Seen>>,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Looks from now on.
    pub fn start() -> Self {
        let (seen, done): (Arc<Mutex<Seen>>, Arc<AtomicBool>) = Default::default();
        let thread = thread::spawn({
            let (seen, done) = (Arc::clone(&seen), Arc::clone(&done));
            move || {
                while !done.load(Ordering::Relaxed) {
                    seen.lock().look();
                    thread::sleep(LOOK);
                }
            }
        });
        Self { seen, done, thread: Some(thread) }
    }

    /// Returns the resources used since the last call.
    pub fn take(&self) -> Used {
        let mut seen = self.seen.lock();
        seen.look();
        let longest = seen.cpu.values().map(|(first, last)| last.saturating_sub(*first)).max();
        let used = Used { cpu: longest.unwrap_or_default(), ..seen.used };
        *seen = Seen::default();
        seen.look();
        used
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        self.thread.take().map(JoinHandle::join);
    }
}

impl Seen {
    fn look(&mut self) {
        for process in children() {
            if let Some(cpu) = cpu(process) {
                self.cpu.entry(process).or_insert((cpu, cpu)).1 = cpu;
            }
            self.used.worker = self.used.worker.max(memory(&process.to_string(), "RssAnon:"));
        }
        self.used.server = self.used.server.max(memory("self", "RssAnon:"));
    }
}

/// The processes this one has started.
fn children() -> Vec<u32> {
    let own = std::process::id().to_string();
    let threads = fs::read_dir(format!("/proc/{own}/task")).unwrap().flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|ids| ids.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// User and system time of a process.
fn cpu(process: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which may hold anything: state, then 10 numbers, then user and system time.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    Some(TICK * (fields.next()?.parse::<u32>().ok()? + fields.next()?.parse::<u32>().ok()?))
}

/// One line of what the kernel says of a process's memory, in bytes; nothing of one that has just ended.
fn memory(process: &str, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default() << 10
}
