//! Entries of the catalog that a tool wrote: they wait until a person has reviewed them.

use serde::{Deserialize, Serialize};

use super::draft::SystemDraft;
use crate::time::Time;

/// The writer of an entry that a tool wrote, and the time. While it waits, it is no tool and in nobody's prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CatalogWaiting)]
pub struct Waiting {
    /// The person in whose name it was written.
    pub by: String,
    /// The tool that wrote it.
    pub tool: String,
    /// The time at which it was last written. A review names it: what somebody has not read they do not let through.
    pub at: Time,
    /// Of a system that is not a draft: what is to change. What counts is as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<SystemChange>,
}

/// A change of a system; `null` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SystemChange {
    /// Its name.
    pub name: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// The address every path is put under; empty for nothing.
    pub base_url: Option<String>,
    /// Words to find it by.
    pub tags: Option<Vec<String>>,
}

impl SystemChange {
    /// This change, with what a later one says in place of what this one said.
    #[must_use]
    pub fn followed_by(self, later: Self) -> Self {
        Self {
            name: later.name.or(self.name),
            description: later.description.or(self.description),
            base_url: later.base_url.or(self.base_url),
            tags: later.tags.or(self.tags),
        }
    }

    /// Returns whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl From<SystemChange> for SystemDraft {
    fn from(change: SystemChange) -> Self {
        let SystemChange { name, description, base_url, tags } = change;
        Self { name, description, base_url: base_url.map(Some), tags, ..Self::default() }
    }
}

/// A person's verdict on what waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CatalogVerdict)]
pub enum Verdict {
    /// It counts from now on.
    Approve,
    /// It is thrown away.
    Reject,
}
