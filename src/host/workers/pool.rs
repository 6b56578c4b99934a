//! The workers there are: a few kept ready, more where work waits.

use std::{path::PathBuf, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep},
};

use super::worker::Worker;
use crate::model::error::Result;

/// Workers that compute at once, for each processor: while the server reads what one gave back and sends it more, another
/// has the processor. With one each, processors wait for the server a third of the time.
const PER_PROCESSOR: usize = 2;
/// How long they are kept.
const KEPT: Duration = Duration::from_secs(60);
/// Frames after which a worker makes room for a fresh one.
const MAX_SERVED: u32 = 50_000;
/// Resident memory, in bytes, with which it does.
const MAX_MEMORY: u64 = 64 << 20;
/// How often its memory is looked at, in frames.
const LOOK: u32 = 64;

/// All workers. Cheap to clone.
#[derive(Clone)]
pub struct Workers {
    program: PathBuf,
    turns: Arc<Semaphore>,
    /// How many compute at once. As many are kept though nothing is to be done.
    at_once: usize,
    idle: Arc<Mutex<Vec<(Worker, Instant)>>>,
}

impl Workers {
    /// Workers that are this program, run again.
    pub fn new(program: PathBuf) -> Self {
        // A worker that waits for an answer leaves its turn to others: those it waits for, perhaps.
        let at_once = PER_PROCESSOR * std::thread::available_parallelism().map_or(2, usize::from);
        Self { program, turns: Arc::new(Semaphore::new(at_once)), at_once, idle: Arc::default() }
    }

    /// One that is ready, or a new one.
    pub fn take(&self) -> Result<Worker> {
        let ready = self.idle.lock().pop();
        match ready {
            Some((worker, _)) => Ok(worker),
            None => Worker::start(&self.program, Arc::clone(&self.turns)),
        }
    }

    /// Takes back one whose last frame was answered.
    pub fn give(&self, worker: Worker) {
        let worn = worker.served > MAX_SERVED || (worker.served.is_multiple_of(LOOK) && worker.memory() > MAX_MEMORY);
        let mut idle = self.idle.lock();
        if worn || idle.len() >= self.at_once {
            return;
        }
        let first = idle.is_empty();
        idle.push((worker, Instant::now()));
        if first {
            tokio::spawn(reap(Arc::clone(&self.idle)));
        }
    }

    /// How many wait for work.
    pub fn ready(&self) -> usize {
        self.idle.lock().len()
    }
}

/// Lets those go that have waited long, until none is left.
async fn reap(idle: Arc<Mutex<Vec<(Worker, Instant)>>>) {
    loop {
        sleep(KEPT / 4).await;
        let mut idle = idle.lock();
        idle.retain(|(_, since)| since.elapsed() < KEPT);
        if idle.is_empty() {
            return;
        }
    }
}
