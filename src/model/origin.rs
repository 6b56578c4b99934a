//! Where content came from that nobody here wrote or typed (SECURITY.md, "Origin").

use serde::{Deserialize, Serialize};

use super::time::Time;

/// The place outside that content came from, and when it came in. Kept with whatever is stored while such content was
/// in the conversation: who reads it later has read from that place too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Origin {
    /// The tool that brought it and the place it was brought from, for instance `web_fetch: https://invoices.example/may`.
    pub source: String,
    /// When it came in.
    pub at: Time,
}

impl Origin {
    /// Of this place, which was read now.
    pub fn new(source: impl Into<String>, at: Time) -> Self {
        Self { source: source.into(), at }
    }
}
