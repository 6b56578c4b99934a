//! The proposal an endpoint was imported from, kept as JSON.

use std::sync::Arc;

use super::proposal::Proposal;
use crate::error::{Error, Result};

/// A proposal as it is stored. It is read when its document is imported again; until then it is a text, for a catalog
/// has thousands. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported(Arc<str>);

impl Imported {
    /// Keeps a proposal.
    pub fn new(proposal: &Proposal) -> Result<Self> {
        Ok(Self(serde_json::to_string(proposal).map_err(Error::internal)?.into()))
    }

    /// Takes one as it was stored.
    pub fn from_json(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns it as it is stored.
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// Reads the proposal. Fails where what was stored is damaged.
    pub fn proposal(&self) -> Result<Proposal> {
        serde_json::from_str(&self.0).map_err(Error::internal)
    }
}
