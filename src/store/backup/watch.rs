//! The progress of a backup, and whether it is to go on: shared by who works and who looks.

use std::sync::{
    Arc,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use tokio_util::sync::CancellationToken;

use satchel_model::{
    backup::{Part, Progress},
    error::{Error, Kind, Result},
};

/// Progress that is written while it is read. Cheap to clone.
#[derive(Clone, Default)]
pub struct Watch {
    part: Arc<AtomicUsize>,
    done: Arc<AtomicU64>,
    total: Arc<AtomicU64>,
    stop: CancellationToken,
}

impl Watch {
    /// A watch that says stop when `stop` does.
    pub fn new(stop: CancellationToken) -> Self {
        Self { stop, ..Self::default() }
    }

    /// Its progress.
    pub fn progress(&self) -> Progress {
        let part = Part::ALL.get(self.part.load(Ordering::Relaxed)).copied().unwrap_or_default();
        let total = self.total.load(Ordering::Relaxed);
        Progress { part, done: self.done.load(Ordering::Relaxed).min(total), total }
    }

    /// A part begins that has so many bytes.
    pub fn begin(&self, part: Part, total: u64) {
        self.part.store(Part::ALL.iter().position(|one| *one == part).unwrap_or(0), Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// More bytes are done. Fails where the work is to stop.
    pub(super) fn advance(&self, bytes: u64) -> Result<()> {
        self.done.fetch_add(bytes, Ordering::Relaxed);
        self.check()
    }

    /// Fails where the work is to stop.
    pub fn check(&self) -> Result<()> {
        match self.stop.is_cancelled() {
            true => Err(Error::new(Kind::Cancelled, "It was stopped in the middle, and nothing of it is left.")),
            false => Ok(()),
        }
    }
}
