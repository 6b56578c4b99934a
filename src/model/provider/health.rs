//! The health of a provider, as the circuit breaker has it.

use serde::{Deserialize, Serialize};

/// The state of a provider's circuit breaker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderState {
    /// It is asked.
    #[default]
    Closed,
    /// It failed and is passed over.
    Open,
    /// It failed, and is being probed in the background.
    HalfOpen,
}

impl ProviderState {
    /// The word as it stands in answers and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
        }
    }
}

/// The health of a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ProviderHealth {
    /// The state: whether it is asked.
    pub state: ProviderState,
    /// The reason it is not asked, a sentence.
    pub cause: Option<String>,
    /// Seconds since it first failed.
    pub failing_for: Option<u64>,
    /// Requests and probes that failed since then.
    pub failures: u64,
}
