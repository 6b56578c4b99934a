//! What the door keeps of its clients.

#[cfg(debug_assertions)]
use super::extra::Extras;
use super::{seal::Seal, session::Sessions};
use serde_json::Value;

/// Sessions, and the key that seals what clients carry.
pub(in crate::http) struct Mcp {
    pub(in crate::http) sessions: Sessions,
    pub(in crate::http) seal: Seal,
    /// Fixtures of a test.
    #[cfg(debug_assertions)]
    pub(in crate::http) extras: Extras,
}

impl Mcp {
    pub(in crate::http) fn new() -> Self {
        Self {
            sessions: Sessions::default(),
            seal: Seal::new(),
            #[cfg(debug_assertions)]
            extras: Extras::default(),
        }
    }

    /// What a test serves in a list besides; in what ships, nothing.
    pub(in crate::http) fn besides(&self, list: &str) -> Vec<Value> {
        #[cfg(debug_assertions)]
        return self.extras.listed(list);
        #[cfg(not(debug_assertions))]
        {
            let _ = list;
            Vec::new()
        }
    }
}
