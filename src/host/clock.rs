//! The clock: the one place that asks what time it is, so that tests can move time instead of waiting.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::{sync::watch, time::timeout};

use satchel_model::time::Time;

/// The machine's clock, moved by what [`Clock::advance`] added. Copies share their offset.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    offset: Arc<AtomicI64>,
    moved: watch::Sender<()>,
}

/// The longest sleep: a machine that was suspended, or whose clock was set, is noticed after it.
const NAP: Duration = Duration::from_secs(60);

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
        self.moved.send_replace(());
    }

    /// Returns once it is so late, or after a minute at most.
    pub async fn nap_until(&self, time: Option<Time>) {
        let mut moved = self.moved.subscribe();
        let left = time.map_or(i64::MAX, |time| time.millis().saturating_sub(self.now().millis()));
        let left = Duration::from_millis(u64::try_from(left).unwrap_or(0)).min(NAP);
        // Moved or not, the caller looks again.
        let _ = timeout(left, moved.changed()).await;
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
