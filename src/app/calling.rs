//! What calls of connected systems share: how often each may be asked, and the tokens it has given.

use std::{
    collections::{BTreeSet, HashMap},
    num::NonZeroU32,
    sync::Arc,
    time::{Duration, Instant},
};

use governor::{
    DefaultDirectRateLimiter, Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
};
use moka::sync::Cache;
use parking_lot::Mutex;
use prost_reflect::DescriptorPool;

use crate::model::{
    catalog::pace::RateLimit,
    error::{Error, Kind, Result},
    secret::Secret,
};

/// Longest anybody waits for his turn before he is told to come back.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most tokens kept.
const TOKENS: u64 = 1_000;
/// Most gRPC services whose types are kept, and how long: a service may be changed meanwhile.
const TYPES: u64 = 100;
const TYPES_LAST: Duration = Duration::from_secs(300);

/// The limits and tokens in use. Cheap to clone.
#[derive(Clone)]
pub struct Calling {
    limiters: Arc<Mutex<HashMap<String, Limiter>>>,
    tokens: Cache<String, Token>,
    /// One at a time asks for a system's token: the others find it.
    asking: Cache<String, Arc<tokio::sync::Mutex<()>>>,
    types: Cache<String, Arc<Described>>,
}

/// A gRPC service as reflection told of it.
pub struct Described {
    /// Its types.
    pub pool: DescriptorPool,
    /// Whether it speaks gRPC-Web instead of native gRPC.
    pub web: bool,
    /// Names of types it was asked for and does not know.
    pub missing: BTreeSet<String>,
}

#[derive(Clone)]
struct Limiter {
    limit: RateLimit,
    of: Arc<DefaultDirectRateLimiter>,
}

/// An access token.
#[derive(Clone)]
pub struct Token {
    /// The token.
    pub token: Secret,
    /// Until when it is of use.
    pub until: Instant,
}

impl Default for Calling {
    fn default() -> Self {
        Self { limiters: Arc::default(), tokens: Cache::new(TOKENS), asking: Cache::new(TOKENS), types: types() }
    }
}

fn types() -> Cache<String, Arc<Described>> {
    Cache::builder().max_capacity(TYPES).time_to_live(TYPES_LAST).build()
}

impl Calling {
    /// Waits until one more call fits a limit. Fails, with how long to wait, where that would take long.
    pub async fn take_turn(&self, key: &str, limit: Option<RateLimit>, what: &str) -> Result<()> {
        let Some(limit) = limit else { return Ok(()) };
        let limiter = self.limiter(key, limit)?;
        let begun = Instant::now();
        loop {
            let Err(not_yet) = limiter.check() else { return Ok(()) };
            let wait = not_yet.wait_time_from(DefaultClock::default().now());
            if begun.elapsed() + wait > PATIENCE {
                let told = format!(
                    "{what} may be called {} times in {} s, and that is used up: try again in {} s.",
                    limit.calls,
                    limit.seconds,
                    wait.as_secs() + 1
                );
                return Err(Error::new(Kind::Exhausted, told));
            }
            tokio::time::sleep(wait).await;
        }
    }

    fn limiter(&self, key: &str, limit: RateLimit) -> Result<Arc<DefaultDirectRateLimiter>> {
        let mut limiters = self.limiters.lock();
        if let Some(known) = limiters.get(key).filter(|known| known.limit == limit) {
            return Ok(Arc::clone(&known.of));
        }
        let burst = NonZeroU32::new(limit.calls).ok_or_else(|| Error::internal("a limit of no calls"))?;
        let quota = Quota::with_period(limit.interval()).ok_or_else(|| Error::internal("a limit of no time"))?;
        let of = Arc::new(RateLimiter::direct(quota.allow_burst(burst)));
        limiters.insert(key.to_owned(), Limiter { limit, of: Arc::clone(&of) });
        Ok(of)
    }

    /// The token kept under this key, where it is still of use.
    pub fn token(&self, key: &str) -> Option<Secret> {
        self.tokens.get(key).filter(|kept| Instant::now() < kept.until).map(|kept| kept.token)
    }

    /// The types of a service, where they were learned not long ago.
    pub fn types(&self, key: &str) -> Option<Arc<Described>> {
        self.types.get(key)
    }

    /// Keeps the types of a service for a while.
    pub fn keep_types(&self, key: &str, described: Arc<Described>) {
        self.types.insert(key.to_owned(), described);
    }

    /// Forgets the types of all services: what calls use next is learned anew.
    pub fn forget_types(&self) {
        self.types.invalidate_all();
    }

    /// Keeps a token.
    pub fn keep_token(&self, key: &str, token: Token) {
        self.tokens.insert(key.to_owned(), token);
    }

    /// Forgets a token that was refused.
    pub fn drop_token(&self, key: &str) {
        self.tokens.invalidate(key);
    }

    /// What whoever fetches this token holds meanwhile.
    pub fn asking(&self, key: &str) -> Arc<tokio::sync::Mutex<()>> {
        self.asking.get_with(key.to_owned(), Arc::default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_limit_is_kept_and_says_when_to_come_back() {
        let calling = Calling::default();
        let limit = Some(RateLimit { calls: 2, seconds: 600 });
        for _ in 0..2 {
            calling.take_turn("a", limit, "CRM").await.unwrap();
        }
        let error = calling.take_turn("a", limit, "CRM").await.unwrap_err();
        assert_eq!(error.kind(), Kind::Exhausted);
        assert!(error.message().starts_with("CRM may be called 2 times in 600 s"), "{error}");
        calling.take_turn("b", limit, "CRM").await.unwrap();
        calling.take_turn("a", None, "CRM").await.unwrap();
        calling.take_turn("a", Some(RateLimit { calls: 3, seconds: 600 }), "CRM").await.unwrap();
    }

    #[test]
    fn a_token_that_is_over_is_not_given() {
        let calling = Calling::default();
        let token = |until| Token { token: Secret::new("t"), until };
        calling.keep_token("a", token(Instant::now() + Duration::from_secs(60)));
        calling.keep_token("b", token(Instant::now()));
        assert!(calling.token("a").is_some() && calling.token("b").is_none());
        calling.drop_token("a");
        assert!(calling.token("a").is_none());
    }
}
