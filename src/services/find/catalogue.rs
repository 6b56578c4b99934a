//! Every tool as find_tools sees it, made once for each version of the registry.

use std::{collections::HashMap, sync::Arc};

use parking_lot::RwLock;

use super::{lexical::Lexical, profile::Profile, views::Views};
use satchel_engine::registry::Registry;
use satchel_model::index::ContentHash;
use satchel_store::vectors;

/// Profiles, their words, and once they are embedded their views.
#[derive(Debug)]
pub struct Catalogue {
    profiles: Vec<Profile>,
    lexical: Lexical,
    hashes: Arc<[ContentHash]>,
    views: RwLock<Option<Arc<Views>>>,
}

impl Catalogue {
    /// Of these tools; without views until [`Self::see`].
    pub fn new(profiles: Vec<Profile>) -> Self {
        let lexical = Lexical::new(profiles.iter().map(Profile::fields));
        let texts = profiles.iter().flat_map(Profile::views);
        let hashes = texts.map(|text| vectors::hash(&text)).collect();
        Self { profiles, lexical, hashes, views: RwLock::new(None) }
    }

    /// Of the registered tools, in the registry's order.
    pub fn of_registry(registry: &Registry) -> Self {
        Self::new(registry.tools().iter().map(|tool| Profile::new(tool)).collect())
    }

    /// Every tool's views as texts, three a tool.
    pub fn texts(&self) -> Vec<String> {
        self.profiles.iter().flat_map(Profile::views).collect()
    }

    /// One of [`Self::texts`]; empty where there is none of this number.
    pub(super) fn text(&self, at: usize) -> String {
        let tool = self.profiles.get(at / 3);
        tool.and_then(|profile| profile.views().into_iter().nth(at % 3)).unwrap_or_default()
    }

    /// The names of the vectors of [`Self::texts`].
    pub(super) fn hashes(&self) -> &Arc<[ContentHash]> {
        &self.hashes
    }

    /// From now on tools are found by their meaning too. Takes the vectors of [`Self::texts`].
    pub fn see(&self, vectors: &[Vec<f32>]) {
        *self.views.write() = Some(Arc::new(Views::new(vectors)));
    }

    /// From now on tools are found by as much of their meaning as is known.
    pub(super) fn show(&self, views: Views) {
        *self.views.write() = Some(Arc::new(views));
    }

    /// Takes over what another catalogue knows of the same texts, with vectors of this many numbers.
    pub(super) fn take_over(&self, before: &Self, dimensions: usize) {
        let Some(known) = before.views() else { return };
        let places: HashMap<&ContentHash, usize> =
            (0..).zip(before.hashes.iter()).filter(|(at, _)| known.has(*at)).map(|(at, hash)| (hash, at)).collect();
        let mut views = Views::blank(self.profiles.len(), dimensions);
        for (at, hash) in self.hashes.iter().enumerate() {
            if let Some(text) = places.get(hash) {
                views.take_over(at, &known, *text);
            }
        }
        if views.unseen() < self.profiles.len() {
            self.show(views);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalogue_takes_over_the_vectors_of_texts_that_are_the_same() {
        let tool = |name: &str| Profile { id: name.into(), name: name.into(), ..Profile::default() };
        let before = Catalogue::new(vec![tool("mail"), tool("forecast")]);
        before.see(&vec![vec![1.0, 0.0]; 6]);
        let after = Catalogue::new(vec![tool("forecast"), tool("new")]);
        after.take_over(&before, 2);
        let views = after.views().unwrap();
        assert_eq!((0..6).map(|at| views.has(at)).collect::<Vec<_>>(), [true, true, true, false, false, false]);
        let stranger = Catalogue::new(vec![tool("new")]);
        stranger.take_over(&before, 2);
        assert!(stranger.views().is_none(), "nothing of it is known");
    }
}
