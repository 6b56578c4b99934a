//! The pace of commits of the text index: at once after a pause, once a second under load.

use std::time::{Duration, Instant};

/// Commits that may follow each other at once after a pause.
const BURST: f64 = 4.0;
/// Commits that are earned a second.
const RATE: f64 = 1.0;

/// Earns commits with time.
pub(super) struct Pace {
    earned: f64,
    at: Instant,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Self {
        Self { earned: BURST, at: now }
    }

    /// Takes one, or says how long to wait for it.
    pub(super) fn take(&mut self, now: Instant) -> Option<Duration> {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        self.earned = (self.earned + since * RATE).min(BURST);
        self.at = now;
        if self.earned >= 1.0 {
            self.earned -= 1.0;
            return None;
        }
        Some(Duration::from_secs_f64((1.0 - self.earned) / RATE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_come_at_once_at_first_and_once_a_second_under_load() {
        let begun = Instant::now();
        let mut pace = Pace::new(begun);
        let burst = (0..9).take_while(|_| pace.take(begun).is_none()).count();
        assert_eq!(burst, 4);
        assert_eq!(pace.take(begun), Some(Duration::from_secs(1)));
        let under_load = (1..=10_000).filter(|ms| pace.take(begun + Duration::from_millis(*ms)).is_none()).count();
        assert!((9..=10).contains(&under_load), "{under_load} in ten seconds");
    }
}
