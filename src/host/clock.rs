//! The clock: the one place that asks what time it is, so that tests can move time instead of waiting.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use satchel_model::time::Time;

/// The machine's clock, moved by what [`Clock::advance`] added. Copies share their offset.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    offset: Arc<AtomicI64>,
}

impl Clock {
    /// The machine's clock as it is.
    pub fn new() -> Self {
        Self::default()
    }

    /// The time now.
    pub fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time::from_millis(millis(since).saturating_add(self.offset.load(Ordering::Relaxed)))
    }

    /// Moves this clock, and all copies of it, forwards: for tests of expiry.
    pub fn advance(&self, span: Duration) {
        self.offset.fetch_add(millis(span), Ordering::Relaxed);
    }
}

fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advancing_moves_every_copy() {
        let clock = Clock::new();
        let copy = clock.clone();
        let before = copy.now();
        clock.advance(Duration::from_secs(300));
        let moved = copy.now().millis() - before.millis();
        assert!((300_000..330_000).contains(&moved), "moved by {moved} ms");
    }
}
