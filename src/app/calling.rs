//! The state that calls of connected systems share: how often each may be asked, and the tokens it has given.

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

use moka::sync::Cache;
use prost_reflect::DescriptorPool;

use satchel_model::{catalog::pace::RateLimit, error::Result, secret::Secret, user::UserId};
use satchel_net::rate_limits::RateLimits;

/// Most tokens kept.
const TOKENS: u64 = 1_000;
/// The most that all gRPC services take whose types are kept, the least that one counts for, and how long: a service may be
/// changed meanwhile.
const TYPES: u64 = 200_000;
const LEAST: u32 = 2_000;
const TYPES_LAST: Duration = Duration::from_secs(300);

/// The limits and tokens in use. Cheap to clone.
#[derive(Clone)]
pub struct Calling {
    limits: RateLimits,
    tokens: Cache<String, Token>,
    /// One at a time asks for a system's token: the others find it.
    asking: Cache<String, Arc<tokio::sync::Mutex<()>>>,
    types: Cache<String, Arc<Described>>,
}

/// A gRPC service as reflection told of it.
pub struct Described {
    /// Its types.
    pub pool: DescriptorPool,
    /// `true` if it speaks gRPC-Web instead of native gRPC.
    pub web: bool,
    /// Names of types it was asked for and does not know.
    pub missing: BTreeSet<String>,
}

impl Described {
    /// Returns the size of what is kept of it: its messages, fields and values, and the names that are not known.
    pub fn size(&self) -> u32 {
        let fields: usize = self.pool.all_messages().map(|message| message.fields().len() + 1).sum();
        let values: usize = self.pool.all_enums().map(|of| of.values().len() + 1).sum();
        u32::try_from(fields + values + self.missing.len()).unwrap_or(u32::MAX)
    }
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
        Self { limits: RateLimits::default(), tokens: Cache::new(TOKENS), asking: Cache::new(TOKENS), types: types() }
    }
}

fn types() -> Cache<String, Arc<Described>> {
    let weigher = |_: &String, kept: &Arc<Described>| kept.size().max(LEAST);
    Cache::builder().weigher(weigher).max_capacity(TYPES).time_to_live(TYPES_LAST).build()
}

impl Calling {
    /// Waits until one more call of this person fits a limit, where there is one.
    ///
    /// # Errors
    ///
    /// As [`RateLimits::acquire`].
    pub async fn take_turn(&self, key: &str, limit: Option<RateLimit>, what: &str, who: Option<UserId>) -> Result<()> {
        match limit {
            Some(limit) => self.limits.acquire(key, limit, what, who).await,
            None => Ok(()),
        }
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

    /// Returns the lock that whoever fetches this token holds meanwhile.
    pub fn asking(&self, key: &str) -> Arc<tokio::sync::Mutex<()>> {
        self.asking.get_with(key.to_owned(), Arc::default)
    }
}

#[cfg(test)]
mod tests {
    use prost_reflect::prost_types::{EnumDescriptorProto, EnumValueDescriptorProto, FileDescriptorProto};

    use super::*;

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

    #[test]
    fn types_are_kept_as_far_as_there_is_room() {
        let calling = Calling::default();
        let value =
            |number| EnumValueDescriptorProto { name: Some(format!("V{number}")), number: Some(number), options: None };
        let of = EnumDescriptorProto {
            name: Some("E".to_owned()),
            value: (0..19_000).map(value).collect(),
            ..Default::default()
        };
        let file = FileDescriptorProto { name: Some("x".to_owned()), enum_type: vec![of], ..Default::default() };
        let mut pool = DescriptorPool::new();
        pool.add_file_descriptor_proto(file).unwrap();
        for number in 0..30 {
            let described = Described { pool: pool.clone(), web: false, missing: BTreeSet::new() };
            calling.keep_types(&number.to_string(), Arc::new(described));
            calling.types.run_pending_tasks();
        }
        let kept = (0..30).filter(|number| calling.types(&number.to_string()).is_some()).count();
        assert!((1..=10).contains(&kept), "{kept}");
    }
}
