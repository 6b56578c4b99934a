//! The threads that embed. They start with the first text and end, with the model, after a time without any.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};

use super::{
    encoder::Encoder,
    model::Model,
    queue::{Item, Queue},
    tokens::Counter,
};
use crate::model::error::{Error, Result};

/// How far passages stand back, as `nice` counts.
const NICENESS: i32 = 10;

/// How much of the machine embedding may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Passages embedded at the same time, one thread each. One thread more is kept for queries.
    pub threads: usize,
    /// After so long without a text the model leaves memory.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Self { threads, idle: Duration::from_secs(300) }
    }
}

/// A model with the threads that run it.
pub(super) struct Workers {
    model: Model,
    limits: Limits,
    state: Mutex<State>,
    changed: Condvar,
    counter: Mutex<Option<Arc<Counter>>>,
}

#[derive(Default)]
struct State {
    queue: Queue,
    alive: usize,
    has_query_thread: bool,
    /// Threads that hold the model.
    loaded: usize,
    last_use: Option<Instant>,
}

/// What a thread may take up. One always stands by for queries, so that no passage makes them wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Duty {
    Queries,
    Everything,
}

impl Workers {
    pub(super) fn new(model: Model, limits: Limits) -> Arc<Self> {
        Arc::new(Self { model, limits, state: Mutex::default(), changed: Condvar::new(), counter: Mutex::default() })
    }

    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    /// Whether the model is in memory.
    pub(super) fn is_loaded(&self) -> bool {
        self.state.lock().loaded > 0
    }

    /// Adds work, and threads where there are too few.
    pub(super) fn submit(self: &Arc<Self>, add: impl FnOnce(&mut Queue)) {
        let mut state = self.state.lock();
        add(&mut state.queue);
        self.keep_awake(&mut state);
        drop(state);
        self.changed.notify_all();
    }

    /// What counts tokens.
    pub(super) fn counter(self: &Arc<Self>) -> Result<Arc<Counter>> {
        let mut counter = self.counter.lock();
        if let Some(loaded) = counter.as_ref() {
            return Ok(Arc::clone(loaded));
        }
        let loaded = Arc::new(Counter::load(&self.model)?);
        *counter = Some(Arc::clone(&loaded));
        drop(counter);
        // The last thread that ends takes it out of memory again.
        self.keep_awake(&mut self.state.lock());
        Ok(loaded)
    }

    fn keep_awake(self: &Arc<Self>, state: &mut State) {
        state.last_use = Some(Instant::now());
        if !state.has_query_thread {
            state.has_query_thread = self.start(Duty::Queries, state);
        }
        while state.alive <= self.limits.threads.max(1) && self.start(Duty::Everything, state) {}
    }

    fn start(self: &Arc<Self>, duty: Duty, state: &mut State) -> bool {
        let workers = Arc::clone(self);
        let started = thread::Builder::new().name("embed".to_owned()).spawn(move || workers.work(duty));
        match started {
            Ok(_) => state.alive += 1,
            Err(ref error) => tracing::error!(%error, "no thread to embed with"),
        }
        started.is_ok()
    }

    /// A thread's life.
    fn work(&self, duty: Duty) {
        if duty == Duty::Everything {
            give_way();
        }
        let mut encoder = None;
        while let Some(batch) = self.next(duty) {
            self.answer(batch, &mut encoder);
        }
        if encoder.take().is_some() {
            self.state.lock().loaded -= 1;
        }
    }

    /// Waits for work; `None` after idling for long.
    fn next(&self, duty: Duty) -> Option<Vec<Item>> {
        let mut state = self.state.lock();
        loop {
            let mut batch = state.queue.queries();
            if batch.is_empty() && duty == Duty::Everything {
                batch = state.queue.passages();
            }
            if !batch.is_empty() {
                state.last_use = Some(Instant::now());
                return Some(batch);
            }
            let until = state.last_use.unwrap_or_else(Instant::now) + self.limits.idle;
            let timed_out = self.changed.wait_until(&mut state, until).timed_out();
            let idle = state.last_use.is_none_or(|last| last.elapsed() >= self.limits.idle);
            if timed_out && idle && state.queue.is_empty() {
                self.leave(duty, &mut state);
                return None;
            }
        }
    }

    /// In the same breath as the decision to end: work that comes next starts a new thread.
    fn leave(&self, duty: Duty, state: &mut State) {
        state.alive -= 1;
        if duty == Duty::Queries {
            state.has_query_thread = false;
        }
        if state.alive == 0 {
            *self.counter.lock() = None;
        }
    }

    fn answer(&self, batch: Vec<Item>, encoder: &mut Option<Encoder>) {
        let texts: Vec<&str> = batch.iter().map(|item| item.text.as_str()).collect();
        // Else whoever waits for this batch would wait for ever.
        let vectors = catch_unwind(AssertUnwindSafe(|| self.embed(&texts, encoder)));
        match vectors.unwrap_or_else(|_| Err(Error::internal("the embedding model panicked"))) {
            Ok(vectors) => {
                for (item, vector) in batch.into_iter().zip(vectors) {
                    // Nobody waits any more: nothing is lost.
                    let _ = item.reply.send(Ok(vector));
                }
            }
            Err(error) => {
                for item in batch {
                    let _ = item.reply.send(Err(error.clone()));
                }
            }
        }
    }

    fn embed(&self, texts: &[&str], encoder: &mut Option<Encoder>) -> Result<Vec<Vec<f32>>> {
        if let Some(encoder) = encoder {
            return encoder.encode(texts);
        }
        let started = Instant::now();
        let loaded = encoder.insert(Encoder::load(&self.model)?);
        self.state.lock().loaded += 1;
        tracing::debug!(model = self.model.info.id, took = ?started.elapsed(), "the embedding model is loaded");
        loaded.encode(texts)
    }
}

/// Lets everything else go first: requests, and queries among them. What the thread starts inherits it.
fn give_way() {
    let thread = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(thread), NICENESS) {
        tracing::debug!(%error, "embedding keeps its priority");
    }
}
