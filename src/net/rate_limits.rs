//! Limits of how often something may be asked for, with a short wait for one's turn.

use std::{
    collections::{HashMap, VecDeque},
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
    user::UserId,
};

/// Longest anybody waits for their turn before they are told to come back.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time for which a person who has called counts as one of those who share a limit, at least.
const REMEMBERED: Duration = Duration::from_secs(60);

/// The limits in use, each counted for everybody together. Of those who call, each gets an equal part. Cheap to clone.
#[derive(Clone, Default)]
pub struct RateLimits {
    limiters: Arc<Mutex<HashMap<String, Limiter>>>,
}

#[derive(Clone)]
struct Limiter {
    limit: RateLimit,
    inner: Arc<DefaultDirectRateLimiter>,
    people: Arc<Mutex<HashMap<Option<UserId>, Person>>>,
}

/// Somebody who has called.
struct Person {
    asked: Instant,
    /// The times of their calls within the limit's time, the oldest first.
    calls: VecDeque<Instant>,
}

/// The reason a call has to wait.
struct NotYet {
    wait: Duration,
    /// The number of people, where the part of this one is used up.
    among: Option<usize>,
}

impl RateLimits {
    /// Waits until one more call of this person fits the limit kept under `key`; `None` is the server's own. A limit that
    /// differs from the last one begins anew.
    ///
    /// # Errors
    ///
    /// [`Exhausted`](Kind::Exhausted), with `what` is limited and how long to wait, if that would take long.
    pub async fn acquire(&self, key: &str, limit: RateLimit, what: &str, who: Option<UserId>) -> Result<()> {
        let limiter = self.limiter(key, limit)?;
        let begun = Instant::now();
        while let Err(NotYet { wait, among }) = limiter.check(who) {
            if begun.elapsed() + wait > PATIENCE {
                let used = among.map_or_else(
                    || "that is used up".to_owned(),
                    |people| format!("your part of that is used up, which {people} people share"),
                );
                let message = format!(
                    "{what} may be called {} times in {} s, and {used}: try again in {} s.",
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

    fn limiter(&self, key: &str, limit: RateLimit) -> Result<Limiter> {
        let mut limiters = self.limiters.lock();
        if let Some(known) = limiters.get(key).filter(|known| known.limit == limit) {
            return Ok(known.clone());
        }
        let burst = NonZeroU32::new(limit.calls).ok_or_else(|| Error::internal("a limit of no calls"))?;
        let quota = Quota::with_period(limit.interval()).ok_or_else(|| Error::internal("a limit of no time"))?;
        let inner = Arc::new(RateLimiter::direct(quota.allow_burst(burst)));
        let limiter = Limiter { limit, inner, people: Arc::default() };
        limiters.insert(key.to_owned(), limiter.clone());
        Ok(limiter)
    }
}

impl Limiter {
    /// Counts a call of this person, where it fits.
    fn check(&self, who: Option<UserId>) -> Result<(), NotYet> {
        let (now, within) = (Instant::now(), Duration::from_secs(self.limit.seconds.into()));
        let mut people = self.people.lock();
        people.retain(|_, person| now.duration_since(person.asked) < within.max(REMEMBERED));
        let person = people.entry(who).or_insert_with(|| Person { asked: now, calls: VecDeque::new() });
        person.asked = now;
        while person.calls.front().is_some_and(|call| now.duration_since(*call) >= within) {
            person.calls.pop_front();
        }
        let among = people.len();
        let part = (self.limit.calls as usize).div_ceil(among);
        let Some(person) = people.get_mut(&who) else { return Ok(()) };
        // A person alone has all of it.
        if among > 1 && person.calls.len() >= part {
            let last = person.calls.get(person.calls.len() - part);
            let wait = last.map_or(within, |call| within.saturating_sub(now.duration_since(*call)));
            return Err(NotYet { wait, among: Some(among) });
        }
        self.inner
            .check()
            .map_err(|not_yet| NotYet { wait: not_yet.wait_time_from(DefaultClock::default().now()), among: None })?;
        person.calls.push_back(now);
        Ok(())
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
            limits.acquire("a", limit, "CRM", None).await.unwrap();
        }
        let error = limits.acquire("a", limit, "CRM", None).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Exhausted);
        assert!(error.message().starts_with("CRM may be called 2 times in 600 s"), "{error}");
        limits.acquire("b", limit, "CRM", None).await.unwrap();
        limits.acquire("a", RateLimit { calls: 3, seconds: 600 }, "CRM", None).await.unwrap();
    }

    #[tokio::test]
    async fn who_calls_much_leaves_others_their_part() {
        let limits = RateLimits::default();
        let (ann, bob) = (Some(UserId::new()), Some(UserId::new()));
        let limit = RateLimit { calls: 6, seconds: 600 };
        let call = async |who| limits.acquire("a", limit, "CRM", who).await;
        call(bob).await.unwrap();
        for _ in 0..3 {
            call(ann).await.unwrap();
        }
        let refused = call(ann).await.unwrap_err();
        assert!(refused.message().contains("your part of that is used up, which 2 people share"), "{refused}");
        call(bob).await.unwrap();
        call(bob).await.unwrap();
        assert_eq!(call(bob).await.unwrap_err().kind(), Kind::Exhausted);
    }
}
