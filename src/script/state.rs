//! The state that the functions of a running script share: its settings, its log, its clock, and the way outside.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    helpers::to_json,
    limits,
    machine::cpu_time,
    recorded::Recorded,
    wire::{Answer, Ask},
};
use satchel_model::{
    script::{LogLevel, LogLine, TestResult},
    time::Time,
};

/// The time of other runs that may count as a run's own.
const FRESH: Duration = Duration::from_millis(5);

/// The world that a script's questions go to.
pub trait World: Send {
    /// Puts one and waits for the answer. `None` if nobody is there any more.
    fn ask(&mut self, ask: &Ask) -> Option<Answer>;
}

/// A world nobody answers in, for checks and tests.
pub struct Nobody;

impl World for Nobody {
    fn ask(&mut self, _: &Ask) -> Option<Answer> {
        None
    }
}

/// A limit the engine does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// Processor time.
    Cpu,
}

/// Everything shared.
pub(super) struct State {
    world: Box<dyn World>,
    /// Settings by key.
    pub(super) config: BTreeMap<String, String>,
    /// The time the script is told.
    pub(super) now: Option<Time>,
    log: Vec<LogLine>,
    operations: Arc<AtomicU64>,
    /// The processor time when a run began, or a moment before, and when that was looked up.
    began: Duration,
    looked: Option<Instant>,
    /// In a test: what was recorded, instead of the world.
    pub(super) recorded: Option<Recorded>,
    /// In a test: which of a script's tests is to run, if one is.
    pub(super) turn: Option<usize>,
    /// In a test: how many were passed by.
    pub(super) seen: usize,
    /// In a test: how each went.
    pub(super) results: Vec<TestResult>,
}

impl State {
    pub(super) fn new(world: Box<dyn World>) -> Self {
        Self {
            world,
            config: BTreeMap::new(),
            now: None,
            log: Vec::new(),
            operations: Arc::default(),
            began: Duration::ZERO,
            looked: None,
            recorded: None,
            turn: None,
            seen: 0,
            results: Vec::new(),
        }
    }

    /// Begins a run: its time counts from here.
    pub(super) fn start(&mut self) {
        self.log.clear();
        self.operations.store(0, Ordering::Relaxed);
        // Only the kernel knows what a thread used, and takes as long as ten operations to say so: not for each short run.
        if self.looked.is_none_or(|looked| looked.elapsed() > FRESH) {
            (self.began, self.looked) = (cpu_time(), Some(Instant::now()));
        }
    }

    /// Returns the counter of the engine: it counts at every operation, which is too often for a lock.
    pub(super) fn counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.operations)
    }

    pub(super) fn operations(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }

    /// The limit that is passed, if one is.
    pub(super) fn is_over(&self) -> Option<Limit> {
        (cpu_time().saturating_sub(self.began) > limits::MAX_CPU).then_some(Limit::Cpu)
    }

    /// Asks the world, or what was recorded of it.
    pub(super) fn ask(&mut self, ask: &Ask) -> Answer {
        // Between two looks of the engine at the clock a script can ask often, and use much each time.
        if let Some(limit) = self.is_over() {
            return Answer::Ended(limit.message());
        }
        match &mut self.recorded {
            Some(recorded) => recorded.answer(ask),
            None => self.world.ask(ask).unwrap_or_else(|| Answer::Ended("The server is gone.".to_owned())),
        }
    }

    /// The time the script is told: one for a whole run.
    pub(super) fn now(&self) -> Time {
        self.now.unwrap_or_else(|| Time::from_millis(chrono::Utc::now().timestamp_millis()))
    }

    pub(super) fn log_info(&mut self, text: &str) {
        self.log(LogLevel::Info, text);
    }

    /// Keeps a line; what is too long is cut, what is too much is left out, and both are said.
    pub(super) fn log(&mut self, level: LogLevel, text: &str) {
        let (lines, bytes) = limits::MAX_LOG;
        if self.log.len() > lines {
            return;
        }
        if self.log.len() == lines {
            let text = format!("More than {lines} lines: the rest is left out.");
            return self.log.push(LogLine { level: LogLevel::Warn, text });
        }
        let text = match text.get(..text.floor_char_boundary(bytes)) {
            Some(start) if start.len() < text.len() => format!("{start}…"),
            _ => text.to_owned(),
        };
        self.log.push(LogLine { level, text });
    }

    pub(super) fn take_log(&mut self) -> Vec<LogLine> {
        std::mem::take(&mut self.log)
    }
}

/// Returns what a test compares or a log shows, as JSON; what JSON does not know as the text Rhai has for it.
pub(super) fn as_json(value: &rhai::Dynamic) -> Value {
    to_json(value).unwrap_or_else(|_| Value::String(value.to_string()))
}
