//! Heavy work beside the async threads: only so much at once, the rest waits its turn.

use std::{sync::Arc, time::Duration};

use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};

use crate::model::error::{Error, Kind, Result};

/// How long work waits for its turn.
const PATIENCE: Duration = Duration::from_secs(15);

/// Turns at heavy work. Copies share them.
#[derive(Debug, Clone)]
pub struct Work(Arc<Semaphore>);

impl Default for Work {
    /// As many at once as there are processors, but two at least and four at most.
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Self(Arc::new(Semaphore::new(processors.clamp(2, 4))))
    }
}

impl Work {
    /// Runs work on a thread of its own. The turn lasts until the work ends, even where nobody waits for it any more.
    pub async fn run<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        let turn = timeout(PATIENCE, Arc::clone(&self.0).acquire_owned()).await;
        let turn = turn
            .map_err(|_| Error::new(Kind::Exhausted, "Too many documents are being worked on. Try again soon."))?
            .map_err(Error::internal)?;
        let done = spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        done.await.map_err(Error::internal)?
    }
}
