//! The duration of a thing's last run.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Below this it is short.
const SHORT: Duration = Duration::from_millis(2);

/// The time a thing took the last time. One that never ran is not short.
#[derive(Debug)]
pub struct Pace(AtomicU64);

impl Default for Pace {
    fn default() -> Self {
        Self(AtomicU64::new(u64::MAX))
    }
}

impl Pace {
    pub(super) fn set(&self, took: Duration) {
        self.0.store(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(super) fn is_short(&self) -> bool {
        Duration::from_nanos(self.0.load(Ordering::Relaxed)) < SHORT
    }
}
