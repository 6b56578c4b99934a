//! Work beside the async threads: only so much at once, the rest waits its turn.

use std::{sync::Arc, time::Duration};

use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};

use crate::model::error::{Error, Kind, Result};

/// How long work waits for its turn.
const PATIENCE: Duration = Duration::from_secs(15);

/// Turns at work. Copies share them.
#[derive(Debug, Clone)]
pub struct Work {
    turns: Arc<Semaphore>,
    patience: Duration,
}

impl Default for Work {
    /// For heavy work: as much at once as there are processors, but two at least and four at most.
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Self::at_once(processors.clamp(2, 4))
    }
}

impl Work {
    /// So much at once.
    pub fn at_once(most: usize) -> Self {
        Self { turns: Arc::new(Semaphore::new(most)), patience: PATIENCE }
    }

    /// Runs work on a thread of its own. The turn lasts until the work ends, even where nobody waits for it any more.
    ///
    /// # Errors
    /// [`Kind::Busy`] where no turn came in 15 seconds: the work did not run.
    pub async fn run<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        let turn = timeout(self.patience, Arc::clone(&self.turns).acquire_owned()).await;
        let turn = turn.map_err(|_| busy())?.map_err(Error::internal)?;
        let done = spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        done.await.map_err(Error::internal)?
    }
}

fn busy() -> Error {
    Error::new(Kind::Busy, "The server has more work than it can keep up with: nothing was done. Try again soon.")
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    impl Work {
        /// Without a turn for anybody.
        pub(crate) fn crowded() -> Self {
            Self { patience: Duration::ZERO, ..Self::at_once(0) }
        }
    }

    #[tokio::test]
    async fn what_finds_no_turn_is_refused_and_a_turn_lasts_as_long_as_its_work() {
        let work = Work { patience: Duration::ZERO, ..Work::at_once(1) };
        let (started, begun) = tokio::sync::oneshot::channel();
        let (hold, held) = mpsc::channel::<()>();
        let waiting = tokio::spawn({
            let work = work.clone();
            let hold_on = move || {
                let _ = started.send(());
                Ok(held.recv().is_err())
            };
            async move { work.run(hold_on).await }
        });
        begun.await.unwrap();
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        let refused = work.run(|| Ok(())).await.unwrap_err();
        assert!(refused.kind() == Kind::Busy && refused.message().contains("nothing was done"), "{refused}");
        drop(hold);
        let patient = Work { patience: PATIENCE, ..work };
        assert_eq!(patient.run(|| Ok(7)).await.unwrap(), 7);
    }
}
