//! The threads that embed. They start with the first text and end, with the model, after a time without any.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};

use super::{
    encoder::Encoder,
    model::Model,
    queue::{Item, Queue},
    tokens::Tokens,
};
use crate::model::error::{Error, Result};

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
    tokens: Mutex<Option<Arc<Tokens>>>,
    encoder: Mutex<Option<Arc<Encoder>>>,
}

#[derive(Default)]
struct State {
    queue: Queue,
    alive: usize,
    has_query_thread: bool,
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
        Arc::new(Self {
            model,
            limits,
            state: Mutex::default(),
            changed: Condvar::new(),
            tokens: Mutex::default(),
            encoder: Mutex::default(),
        })
    }

    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    /// Whether the model is in memory.
    pub(super) fn is_loaded(&self) -> bool {
        self.encoder.lock().is_some()
    }

    /// Adds work, and threads where there are too few.
    pub(super) fn submit(self: &Arc<Self>, add: impl FnOnce(&mut Queue)) {
        let mut state = self.state.lock();
        add(&mut state.queue);
        self.keep_awake(&mut state);
        drop(state);
        self.changed.notify_all();
    }

    /// The tokenizer, which counting needs as well.
    pub(super) fn tokens(self: &Arc<Self>) -> Result<Arc<Tokens>> {
        let mut tokens = self.tokens.lock();
        if let Some(loaded) = tokens.as_ref() {
            return Ok(Arc::clone(loaded));
        }
        let loaded = Arc::new(Tokens::load(&self.model)?);
        *tokens = Some(Arc::clone(&loaded));
        drop(tokens);
        // Threads that end take it out of memory again.
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

    fn work(self: Arc<Self>, duty: Duty) {
        while let Some(batch) = self.next(duty) {
            self.answer(batch);
        }
    }

    /// Waits for work; `None` after idling for long, with the model gone when this was the last thread.
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

    fn leave(&self, duty: Duty, state: &mut State) {
        state.alive -= 1;
        if duty == Duty::Queries {
            state.has_query_thread = false;
        }
        if state.alive == 0 {
            *self.encoder.lock() = None;
            *self.tokens.lock() = None;
        }
    }

    fn answer(self: &Arc<Self>, batch: Vec<Item>) {
        let texts: Vec<&str> = batch.iter().map(|item| item.text.as_str()).collect();
        match self.embed(&texts) {
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

    fn embed(self: &Arc<Self>, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let tokens = self.tokens()?;
        let encoder = self.encoder()?;
        let texts = texts.iter().map(|text| tokens.of(text)).collect::<Result<Vec<_>>>()?;
        let vectors = encoder.encode(&texts)?;
        if vectors.len() == texts.len() { Ok(vectors) } else { Err(Error::internal("the model lost a text")) }
    }

    fn encoder(&self) -> Result<Arc<Encoder>> {
        let mut encoder = self.encoder.lock();
        if let Some(loaded) = encoder.as_ref() {
            return Ok(Arc::clone(loaded));
        }
        let started = Instant::now();
        let loaded = Arc::new(Encoder::load(&self.model)?);
        tracing::debug!(model = self.model.info.id, took = ?started.elapsed(), "the embedding model is loaded");
        *encoder = Some(Arc::clone(&loaded));
        Ok(loaded)
    }
}
