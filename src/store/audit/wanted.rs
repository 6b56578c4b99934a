//! The kinds a filter wants.

use super::{
    filter::{Filter, words},
    words::{FACETS, Kind, Words},
};

/// The kinds a filter wants: of each facet's words those that pass.
pub(super) struct Wanted {
    lists: [Vec<String>; 6],
    passes: [Vec<bool>; 6],
}

impl Wanted {
    /// The kinds the filter wants, of these words looked at once.
    pub(super) fn new(filter: &Filter, all: &Words) -> Self {
        let list = |list: Option<&str>| words(list).into_iter().map(str::to_owned).collect::<Vec<_>>();
        let lists = [
            list(filter.event_type.as_deref()),
            list(filter.outcome.as_deref()),
            list(filter.risk.as_deref()),
            list(filter.door.as_deref()),
            list(filter.user.as_deref()),
            filter.tools(),
        ];
        let mut wanted = Self { lists, passes: Default::default() };
        for facet in 0..FACETS.len() {
            let passes = all.iter().map(|word| wanted.wants(facet, word)).collect();
            if let Some(known) = wanted.passes.get_mut(facet) {
                *known = passes;
            }
        }
        wanted
    }

    /// Whether any facet is chosen at all.
    pub(super) fn is_choosy(&self) -> bool {
        self.lists.iter().any(|list| !list.is_empty())
    }

    fn wants(&self, facet: usize, word: &str) -> bool {
        self.lists.get(facet).is_none_or(|list| list.is_empty() || list.iter().any(|wanted| wanted == word))
    }

    /// The facets a kind of these words does not pass: how many, and the last of them.
    pub(super) fn misses(&self, kind: Kind, words: &Words) -> (usize, usize) {
        let mut misses = (0, 0);
        for (facet, (passes, word)) in self.passes.iter().zip(kind).enumerate() {
            // One that no kind has yet was not looked at.
            let known = passes.get(word as usize).copied();
            if !known.unwrap_or_else(|| self.wants(facet, words.get(word))) {
                misses = (misses.0 + 1, facet);
            }
        }
        misses
    }
}
