//! The upkeep of vectors in the background, in small pieces: linking, leaving the dead out; and what a snapshot needs.

use std::{
    mem,
    time::{Duration, Instant},
};

use super::{
    hnsw::Hnsw,
    index::{GraphKind, Owner, Vectors},
    library::Library,
    rows::{Row, Rows},
};

/// One dead row in this many, and the index is made anew without them.
const DEAD_SHARE: usize = 5;
/// Fewer dead rows than one in this many of what a graph begins at are not worth it.
const DEAD_LEAST: usize = 20;

impl Vectors {
    /// Links rows for about this long; whether there is more to do.
    pub fn work(&mut self, budget: Duration) -> bool {
        if self.dead * DEAD_LEAST >= self.graph_from && self.dead * DEAD_SHARE >= self.owners.len() {
            self.compact();
        }
        if self.graph.is_none() && self.count() > self.graph_from {
            self.graph = Some(match self.kind {
                GraphKind::Own => Box::new(Hnsw::new()),
                GraphKind::Library => Box::new(Library::new()),
            });
        }
        if self.count() < self.graph_from / 2 {
            self.graph = None;
        }
        let Some(graph) = &mut self.graph else { return false };
        let begun = Instant::now();
        while graph.linked() < self.rows.len() {
            graph.link(&self.rows);
            if begun.elapsed() >= budget {
                break;
            }
        }
        graph.linked() < self.rows.len()
    }

    /// Returns whether [`Vectors::work`] has something to do.
    pub fn has_work(&self) -> bool {
        match &self.graph {
            Some(graph) => graph.linked() < self.rows.len(),
            None => self.count() > self.graph_from,
        }
    }

    /// Leaves the dead rows out. The graph is made again; until then every row is compared.
    fn compact(&mut self) {
        self.graph = None;
        self.rows.keep(&self.owners.iter().map(|owner| !owner.dead).collect::<Vec<_>>());
        let mut owners = mem::take(&mut self.owners);
        owners.retain(|owner| !owner.dead);
        self.places.clear();
        self.by_tag.clear();
        self.dead = 0;
        for (row, owner) in owners.into_iter().enumerate() {
            self.own(Row::try_from(row).unwrap_or(Row::MAX), owner);
        }
    }
}

/// The parts a snapshot is made of.
impl Vectors {
    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    pub(crate) fn rows_mut(&mut self) -> &mut Rows {
        &mut self.rows
    }

    pub(crate) fn owners(&self) -> &[Owner] {
        &self.owners
    }

    pub(crate) fn graph_words(&self) -> Vec<u32> {
        self.graph.as_ref().map_or_else(Vec::new, |graph| graph.save())
    }

    /// Takes a saved graph over; what it cannot use is built again.
    pub(crate) fn use_graph(&mut self, words: &[u32]) {
        if self.kind == GraphKind::Own
            && let Some(graph) = Hnsw::read(words, self.rows.len())
        {
            self.graph = Some(Box::new(graph));
        }
    }
}
