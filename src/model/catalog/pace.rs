//! The pace and patience with which a system is asked.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Most retries anybody may ask for.
pub const MAX_RETRIES: u8 = 5;
/// The retries of a system that names none.
pub const RETRIES: u8 = 2;
/// Seconds a system has to answer unless it says otherwise.
pub const TIMEOUT: u16 = 30;
/// Most seconds a system may be given.
pub const MAX_TIMEOUT: u16 = 300;

/// At most this many calls in this time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// Calls.
    #[schema(minimum = 1, maximum = 100_000)]
    pub calls: u32,
    /// Seconds.
    #[schema(minimum = 1, maximum = 86_400)]
    pub seconds: u32,
}

impl RateLimit {
    /// Checks that it says something.
    ///
    /// # Errors
    ///
    /// If it says nothing.
    pub fn require_sound(self) -> Result<()> {
        let fits = (1..=100_000).contains(&self.calls) && (1..=86_400).contains(&self.seconds);
        fits.then_some(()).ok_or_else(|| {
            Error::invalid(
                "A rate limit is 1 to 100000 calls in 1 to 86400 seconds, such as {\"calls\": 60, \"seconds\": 60}.",
            )
        })
    }

    /// The time in which one call becomes free again.
    pub fn interval(self) -> Duration {
        Duration::from_secs(u64::from(self.seconds)) / self.calls.max(1)
    }
}

/// Checks a number of retries.
///
/// # Errors
///
/// If it is more than is sensible.
pub fn require_retries(retries: u8) -> Result<()> {
    if retries <= MAX_RETRIES { Ok(()) } else { Err(Error::invalid(format!("Retries are 0 to {MAX_RETRIES}."))) }
}

/// Checks a time limit.
///
/// # Errors
///
/// If it is none.
pub fn require_timeout(seconds: u16) -> Result<()> {
    let fits = (1..=MAX_TIMEOUT).contains(&seconds);
    fits.then_some(()).ok_or_else(|| Error::invalid(format!("The time limit is 1 to {MAX_TIMEOUT} seconds.")))
}
