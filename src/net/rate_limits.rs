//! Limits of how often something may be asked for, with a short wait for one's turn.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::Arc,
    time::{Duration, Instant},
};

use governor::{
    DefaultDirectRateLimiter, Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
};
use parking_lot::Mutex;

use satchel_model::{
    catalog::pace::RateLimit,
    error::{Error, Kind, Result},
};

/// Longest anybody waits for their turn before they are told to come back.
const PATIENCE: Duration = Duration::from_secs(5);

/// The limits in use, each counted for everybody together. Cheap to clone.
#[derive(Clone, Default)]
pub struct RateLimits {
    limiters: Arc<Mutex<HashMap<String, Limiter>>>,
}

#[derive(Clone)]
struct Limiter {
    limit: RateLimit,
    inner: Arc<DefaultDirectRateLimiter>,
}

impl RateLimits {
    /// Waits until one more call fits the limit kept under `key`. A limit that differs from the last one begins anew.
    ///
    /// # Errors
    ///
    /// [`Exhausted`](Kind::Exhausted), with `what` is limited and how long to wait, if that would take long.
    pub async fn acquire(&self, key: &str, limit: RateLimit, what: &str) -> Result<()> {
        let limiter = self.limiter(key, limit)?;
        let begun = Instant::now();
        while let Err(not_yet) = limiter.check() {
            let wait = not_yet.wait_time_from(DefaultClock::default().now());
            if begun.elapsed() + wait > PATIENCE {
                let message = format!(
                    "{what} may be called {} times in {} s, and that is used up: try again in {} s.",
                    limit.calls,
                    limit.seconds,
                    wait.as_secs() + 1
                );
                return Err(Error::new(Kind::Exhausted, message));
            }
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }

    fn limiter(&self, key: &str, limit: RateLimit) -> Result<Arc<DefaultDirectRateLimiter>> {
        let mut limiters = self.limiters.lock();
        if let Some(known) = limiters.get(key).filter(|known| known.limit == limit) {
            return Ok(Arc::clone(&known.inner));
        }
        let burst = NonZeroU32::new(limit.calls).ok_or_else(|| Error::internal("a limit of no calls"))?;
        let quota = Quota::with_period(limit.interval()).ok_or_else(|| Error::internal("a limit of no time"))?;
        let inner = Arc::new(RateLimiter::direct(quota.allow_burst(burst)));
        limiters.insert(key.to_owned(), Limiter { limit, inner: Arc::clone(&inner) });
        Ok(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_limit_is_kept_and_says_when_to_come_back() {
        let limits = RateLimits::default();
        let limit = RateLimit { calls: 2, seconds: 600 };
        for _ in 0..2 {
            limits.acquire("a", limit, "CRM").await.unwrap();
        }
        let error = limits.acquire("a", limit, "CRM").await.unwrap_err();
        assert_eq!(error.kind(), Kind::Exhausted);
        assert!(error.message().starts_with("CRM may be called 2 times in 600 s"), "{error}");
        limits.acquire("b", limit, "CRM").await.unwrap();
        limits.acquire("a", RateLimit { calls: 3, seconds: 600 }, "CRM").await.unwrap();
    }
}
