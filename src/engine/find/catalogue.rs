//! Every tool as find_tools sees it, made once for each version of the registry.

use std::sync::Arc;

use parking_lot::RwLock;

use super::{lexical::Lexical, profile::Profile, views::Views};
use crate::engine::registry::Registry;

/// Profiles, their words, and once they are embedded their views.
#[derive(Debug)]
pub struct Catalogue {
    profiles: Vec<Profile>,
    lexical: Lexical,
    views: RwLock<Option<Arc<Views>>>,
}

impl Catalogue {
    /// Of these tools; without views until [`Self::see`].
    pub fn of(profiles: Vec<Profile>) -> Self {
        let lexical = Lexical::of(profiles.iter().map(Profile::fields));
        Self { profiles, lexical, views: RwLock::new(None) }
    }

    /// Of the registered tools, in the registry's order.
    pub fn of_registry(registry: &Registry) -> Self {
        Self::of(registry.tools().iter().map(|tool| Profile::of(tool)).collect())
    }

    /// Every tool's views as texts, three a tool.
    pub fn texts(&self) -> Vec<String> {
        self.profiles.iter().flat_map(Profile::views).collect()
    }

    /// From now on tools are found by their meaning too. Takes the vectors of [`Self::texts`].
    pub fn see(&self, vectors: &[Vec<f32>]) {
        *self.views.write() = Some(Arc::new(Views::of(vectors)));
    }

    /// Every tool's profile.
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// The tools' words.
    pub fn lexical(&self) -> &Lexical {
        &self.lexical
    }

    /// The tools' meaning, once it is known.
    pub fn views(&self) -> Option<Arc<Views>> {
        self.views.read().clone()
    }
}
