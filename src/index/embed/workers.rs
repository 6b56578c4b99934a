//! The threads that embed. They start with the first text and end, with the model, after a time without any.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Weak},
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};

use super::{
    encoder::{Encoder, LoadedModel},
    model::Model,
    queue::{Item, Queue},
    tokens::BatchTokenizer,
};
use crate::memory;
use satchel_model::error::{Error, Result};

/// The niceness by which passages stand back.
const NICENESS: i32 = 10;

/// Most threads that one query is embedded by.
const QUERY_THREADS: usize = 4;
/// The time the engine's threads have to end before memory is given back.
const FAREWELL: Duration = Duration::from_millis(200);

/// The share of the machine that embedding may take.
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
    /// The weights with the tokenizer, as long as a thread has them.
    shared: Mutex<Weak<LoadedModel>>,
    state: Mutex<State>,
    changed: Condvar,
    tokenizer: Mutex<Option<Arc<BatchTokenizer>>>,
}

#[derive(Default)]
struct State {
    limits: Limits,
    queue: Queue,
    /// Threads that wait for queries, for more of them, and for passages.
    queriers: usize,
    seconds: usize,
    passers: usize,
    /// The first thread for queries is at one.
    answering: bool,
    /// Threads that hold the model.
    loaded: usize,
    last_use: Option<Instant>,
}

/// The work a thread takes up. One stands by for queries alone, so that no passage makes them wait; a second one helps
/// it where several are asked at once, as the parts of a need are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Duty {
    Queries,
    MoreQueries,
    Passages,
}

impl State {
    fn threads(&mut self, duty: Duty) -> &mut usize {
        match duty {
            Duty::Queries => &mut self.queriers,
            Duty::MoreQueries => &mut self.seconds,
            Duty::Passages => &mut self.passers,
        }
    }

    /// The next batch for a thread.
    fn take(&mut self, duty: Duty) -> Vec<Item> {
        match duty {
            Duty::Queries => self.queue.queries(),
            Duty::MoreQueries if self.answering => self.queue.queries(),
            Duty::MoreQueries => Vec::new(),
            Duty::Passages => self.queue.passages(),
        }
    }

    fn count(&self) -> usize {
        self.queriers + self.seconds + self.passers
    }
}

impl Workers {
    pub(super) fn new(model: Model, limits: Limits) -> Arc<Self> {
        let state = Mutex::new(State { limits, ..State::default() });
        Arc::new(Self { model, shared: Mutex::default(), state, changed: Condvar::new(), tokenizer: Mutex::default() })
    }

    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    /// Returns whether the model is in memory.
    pub(super) fn is_loaded(&self) -> bool {
        self.state.lock().loaded > 0
    }

    /// Sets how much of the machine it may take from now on.
    pub(super) fn limit(&self, limits: Limits) {
        self.state.lock().limits = limits;
        self.changed.notify_all();
    }

    /// Does what it was asked, and leaves memory.
    pub(super) fn retire(&self) {
        let mut state = self.state.lock();
        state.limits.idle = Duration::ZERO;
        drop(state);
        self.changed.notify_all();
    }

    /// Adds work, and threads where there are too few.
    ///
    /// # Errors
    ///
    /// If the queue is full.
    pub(super) fn submit(self: &Arc<Self>, add: impl FnOnce(&mut Queue) -> Result<()>) -> Result<()> {
        let mut state = self.state.lock();
        add(&mut state.queue)?;
        self.keep_awake(&mut state);
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Returns the tokenizer that counts tokens.
    pub(super) fn counter(self: &Arc<Self>) -> Result<Arc<BatchTokenizer>> {
        let tokenizer = self.tokenizer()?;
        // The last thread that ends takes it out of memory again.
        self.keep_awake(&mut self.state.lock());
        Ok(tokenizer)
    }

    fn tokenizer(&self) -> Result<Arc<BatchTokenizer>> {
        let mut known = self.tokenizer.lock();
        if let Some(loaded) = known.as_ref() {
            return Ok(Arc::clone(loaded));
        }
        let loaded = Arc::new(BatchTokenizer::load(&self.model)?);
        Ok(Arc::clone(known.insert(loaded)))
    }

    /// Sees to it that there are threads for what waits; one at least, which ends the time of idling.
    fn keep_awake(self: &Arc<Self>, state: &mut State) {
        state.last_use = Some(Instant::now());
        let wanted = if state.queue.has_passages() { state.limits.threads.max(1) } else { 0 };
        while state.passers < wanted && self.start(Duty::Passages, state) {}
        if state.queriers == 0 && (state.queue.has_queries() || state.passers == 0) {
            self.start(Duty::Queries, state);
        }
        if state.seconds == 0 && state.queue.count_queries() > 1 && state.limits.threads > 1 {
            self.start(Duty::MoreQueries, state);
        }
    }

    fn start(self: &Arc<Self>, duty: Duty, state: &mut State) -> bool {
        let workers = Arc::clone(self);
        let started = thread::Builder::new().name("embed".to_owned()).spawn(move || workers.work(duty));
        match started {
            Ok(_) => *state.threads(duty) += 1,
            Err(ref error) => tracing::error!(%error, "no thread to embed with"),
        }
        started.is_ok()
    }

    /// A thread's life.
    fn work(&self, duty: Duty) {
        if duty == Duty::Passages {
            give_way();
        }
        let mut encoder = None;
        if duty == Duty::MoreQueries {
            // What waits now is answered by the first thread before this one has loaded.
            match self.load(duty) {
                Ok(loaded) => encoder = Some(loaded),
                Err(_) => {
                    *self.state.lock().threads(duty) -= 1;
                    return;
                }
            }
        }
        while let Some(batch) = self.next(duty) {
            self.answer(batch, duty, &mut encoder);
        }
        if encoder.take().is_none() {
            return;
        }
        let mut state = self.state.lock();
        state.loaded -= 1;
        let last = state.loaded == 0;
        drop(state);
        if last {
            // The engine's own threads end a moment after what they served, and their memory with them.
            thread::sleep(FAREWELL);
            memory::give_back();
            self.model.let_go();
        }
    }

    /// Waits for work; `None` after idling for long. In the same breath the thread counts no more: work that comes next
    /// starts a new one.
    fn next(&self, duty: Duty) -> Option<Vec<Item>> {
        let mut state = self.state.lock();
        loop {
            let batch = state.take(duty);
            if duty == Duty::Queries {
                state.answering = !batch.is_empty();
            }
            if !batch.is_empty() {
                state.last_use = Some(Instant::now());
                if state.queue.has_queries() {
                    self.changed.notify_all();
                }
                return Some(batch);
            }
            let until = state.last_use.unwrap_or_else(Instant::now) + state.limits.idle;
            if Instant::now() >= until {
                *state.threads(duty) -= 1;
                if state.count() == 0 {
                    *self.tokenizer.lock() = None;
                }
                return None;
            }
            self.changed.wait_until(&mut state, until);
        }
    }

    fn answer(&self, batch: Vec<Item>, duty: Duty, encoder: &mut Option<Encoder>) {
        let texts: Vec<&str> = batch.iter().map(|item| item.text.as_str()).collect();
        // Else whoever waits for this batch would wait for ever.
        let vectors = catch_unwind(AssertUnwindSafe(|| self.embed(&texts, duty, encoder)));
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

    fn embed(&self, texts: &[&str], duty: Duty, encoder: &mut Option<Encoder>) -> Result<Vec<Vec<f32>>> {
        match encoder {
            Some(encoder) => encoder.encode(texts),
            None => encoder.insert(self.load(duty)?).encode(texts),
        }
    }

    fn load(&self, duty: Duty) -> Result<Encoder> {
        let started = Instant::now();
        // Passages share the machine among threads; somebody waits for a query.
        let threads = if duty == Duty::Queries { self.state.lock().limits.threads.clamp(1, QUERY_THREADS) } else { 1 };
        let loaded = Encoder::new(&self.model, self.shared()?, threads);
        self.state.lock().loaded += 1;
        tracing::debug!(model = self.model.info.id, took = ?started.elapsed(), "the embedding model is loaded");
        Ok(loaded)
    }

    /// The model, from memory where another thread has it already.
    fn shared(&self) -> Result<Arc<LoadedModel>> {
        // Held while it is read, so that two at once do not both.
        let mut known = self.shared.lock();
        if let Some(loaded) = known.upgrade() {
            return Ok(loaded);
        }
        let loaded = Arc::new(LoadedModel::load(&self.model, self.tokenizer()?)?);
        *known = Arc::downgrade(&loaded);
        Ok(loaded)
    }
}

/// Lets everything else go first: requests, and queries among them. What the thread starts inherits it.
fn give_way() {
    let thread = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(thread), NICENESS) {
        tracing::debug!(%error, "embedding keeps its priority");
    }
}
