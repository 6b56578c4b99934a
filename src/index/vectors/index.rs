//! The vectors of one space under one model: searched exactly while they are few or a filter leaves few, through a
//! graph above that. What was removed is never found, whatever state the graph is in.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::{
    best::Best,
    graph::{Graph, Near},
    rows::{Query, Row, Rows},
};

/// From this many vectors on a graph is kept.
pub const GRAPH_FROM: usize = 20_000;
/// Up to this many rows a filter leaves are all compared: nothing is missed, and it takes about a millisecond.
const EXACT_UP_TO: usize = 50_000;
/// Rows a walk keeps in sight: how many of the true nearest it finds depends on this. 0.9989 of ten among 100,000
/// sentences; 0.998 from 120 on.
const EFFORT: usize = 140;
/// Products taken at a time.
const BATCH: usize = 32;

pub use satchel_config::GraphKind;

/// The way the vectors are searched now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// Every row is compared.
    Exact,
    /// A graph leads to the nearest.
    Hnsw,
}

/// The vector to search for, and among what.
#[derive(Debug, Clone, Copy)]
pub struct Nearest<'a> {
    /// Of length 1.
    pub vector: &'a [f32],
    /// Only these tags.
    pub tags: Option<&'a HashSet<i64>>,
    /// Only these entries.
    pub ids: Option<&'a HashSet<i64>>,
    /// Most results.
    pub limit: usize,
}

/// The vectors of a space.
pub struct Vectors {
    pub(super) kind: GraphKind,
    pub(super) graph_from: usize,
    pub(super) rows: Rows,
    pub(super) owners: Vec<Owner>,
    pub(super) places: HashMap<i64, Row>,
    pub(super) by_tag: HashMap<i64, Vec<Row>>,
    pub(super) dead: usize,
    pub(super) graph: Option<Box<dyn Graph>>,
}

/// The owner of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) id: i64,
    pub(crate) tag: i64,
    pub(crate) dead: bool,
}

impl Vectors {
    /// No vectors yet; 0 leaves their length to the first.
    pub fn new(dimensions: usize, kind: GraphKind) -> Self {
        Self::with_graph_from(dimensions, kind, GRAPH_FROM)
    }

    /// The same, with a graph from another number of vectors on.
    pub(crate) fn with_graph_from(dimensions: usize, kind: GraphKind, graph_from: usize) -> Self {
        let (places, by_tag) = (HashMap::new(), HashMap::new());
        Self { kind, graph_from, rows: Rows::new(dimensions), owners: Vec::new(), places, by_tag, dead: 0, graph: None }
    }

    /// Returns the length of the vectors.
    pub fn dimensions(&self) -> usize {
        self.rows.dimensions()
    }

    /// Returns the number of vectors that can be found.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Returns the number of rows of vectors that were removed or replaced.
    pub fn dead(&self) -> usize {
        self.dead
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        let lists: usize = self.by_tag.values().map(|rows| rows.capacity() * size_of::<Row>()).sum();
        let owners = self.owners.capacity() * size_of::<Owner>();
        // A hash table's slot: key, value, one byte.
        let places = self.places.capacity() * (size_of::<(i64, Row)>() + 1);
        self.rows.bytes() + owners + places + lists + self.graph.as_ref().map_or(0, |graph| graph.bytes())
    }

    /// Returns how a search without a filter is done now.
    pub fn search_kind(&self) -> SearchKind {
        if self.useful_graph().is_some() { SearchKind::Hnsw } else { SearchKind::Exact }
    }

    /// Puts an entry's vector, in place of the one it had. The first says how long all are; one of another length is
    /// left out.
    pub fn put(&mut self, id: i64, tag: i64, vector: &[f32]) {
        if self.owners.is_empty() && vector.len() != self.rows.dimensions() {
            self.rows = Rows::new(vector.len());
        }
        self.remove(id);
        if vector.len() == self.rows.dimensions() {
            let row = self.rows.push(&unit(vector));
            self.own(row, Owner { id, tag, dead: false });
        }
    }

    /// Puts the vector an entry has now; none takes the one it had away.
    pub fn put_some(&mut self, id: i64, tag: i64, vector: Option<&[f32]>) {
        match vector {
            Some(vector) => self.put(id, tag, vector),
            None => self.remove(id),
        }
    }

    /// Takes an entry's vector away.
    pub fn remove(&mut self, id: i64) {
        let Some(row) = self.places.remove(&id) else { return };
        if let Some(owner) = self.owners.get_mut(row as usize) {
            owner.dead = true;
            self.dead += 1;
        }
    }

    pub(crate) fn own(&mut self, row: Row, owner: Owner) {
        debug_assert_eq!(row as usize, self.owners.len());
        self.owners.push(owner);
        if owner.dead {
            self.dead += 1;
            return;
        }
        self.places.insert(owner.id, row);
        self.by_tag.entry(owner.tag).or_default().push(row);
    }

    /// The nearest entries and their cosines, the nearest first.
    pub fn nearest(&self, ask: &Nearest<'_>) -> Vec<(i64, f32)> {
        if ask.vector.len() != self.rows.dimensions() || ask.limit == 0 {
            return Vec::new();
        }
        let query = Query::new(ask.vector);
        let rows = match self.few(ask) {
            Some(rows) => self.scan(&query, &rows, ask),
            None => match self.useful_graph() {
                Some(graph) => self.walk(graph, &query, ask),
                None => self.scan(&query, &self.all_rows(0), ask),
            },
        };
        rows.into_iter().filter_map(|(near, row)| Some((self.owners.get(row as usize)?.id, near))).collect()
    }

    /// Returns the nearness of entries; `None` for one that has no vector.
    pub fn cosine(&self, vector: &[f32], ids: &[i64]) -> Vec<Option<f32>> {
        if vector.len() != self.rows.dimensions() {
            return vec![None; ids.len()];
        }
        let query = Query::new(vector);
        ids.iter().map(|id| self.places.get(id).map(|row| self.rows.exact(&query, *row))).collect()
    }

    /// The rows a filter leaves, where it leaves few.
    fn few(&self, ask: &Nearest<'_>) -> Option<Vec<Row>> {
        if let Some(ids) = ask.ids.filter(|ids| ids.len() <= EXACT_UP_TO) {
            return Some(ids.iter().filter_map(|id| self.places.get(id)).copied().collect());
        }
        let lists = ask.tags?.iter().filter_map(|tag| self.by_tag.get(tag));
        let count: usize = lists.clone().map(Vec::len).sum();
        (count <= EXACT_UP_TO).then(|| lists.flatten().copied().collect())
    }

    fn all_rows(&self, from: usize) -> Vec<Row> {
        (from..self.owners.len()).filter_map(|row| Row::try_from(row).ok()).collect()
    }

    fn wanted(&self, row: Row, ask: &Nearest<'_>) -> bool {
        self.owners.get(row as usize).is_some_and(|owner| {
            !owner.dead
                && ask.tags.is_none_or(|tags| tags.contains(&owner.tag))
                && ask.ids.is_none_or(|ids| ids.contains(&owner.id))
        })
    }

    /// Compares every row, then ranks the best by both bytes; looks at more where the first byte left it open.
    fn scan(&self, query: &Query, rows: &[Row], ask: &Nearest<'_>) -> Vec<Near> {
        let mut keep = 4 * ask.limit + 64;
        loop {
            let mut best = Best::new(keep);
            for batch in rows.chunks(BATCH) {
                self.show(query, batch, ask, &mut best);
            }
            let (candidates, dropped) = best.into_best();
            let ranked = self.rank(query, &candidates, ask.limit);
            let worst = ranked.get(ask.limit - 1).map(|found| found.0);
            match (worst, dropped) {
                (Some(worst), Some(dropped)) if dropped + self.doubt(query) > worst && keep < rows.len() => keep *= 4,
                _ => return ranked,
            }
        }
    }

    fn show(&self, query: &Query, batch: &[Row], ask: &Nearest<'_>, best: &mut Best) {
        let (mut places, mut slices, mut products) = ([0; BATCH], [&[][..]; BATCH], [0; BATCH]);
        let mut count = 0;
        for row in batch.iter().filter(|row| self.wanted(**row, ask)) {
            if let (Some(place), Some(slice)) = (places.get_mut(count), slices.get_mut(count)) {
                (*place, *slice) = (*row, self.rows.high(*row));
                count += 1;
            }
        }
        self.rows.kernel().dots(query.bytes(), slices.get(..count).unwrap_or_default(), &mut products);
        for (row, product) in places.iter().zip(products).take(count) {
            best.show(product as f32 * self.rows.scale(*row) * query.scale(), *row);
        }
    }

    /// Five times the standard deviation of a product's error: both vectors are rounded, each number by at most half a
    /// step.
    fn doubt(&self, query: &Query) -> f32 {
        let step = query.scale().max(self.rows.coarsest());
        5.0 * step * (2f32 / 12.0).sqrt()
    }

    fn rank(&self, query: &Query, candidates: &[Near], limit: usize) -> Vec<Near> {
        let mut ranked: Vec<Near> = candidates.iter().map(|(_, row)| (self.rows.exact(query, *row), *row)).collect();
        ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.truncate(limit);
        ranked
    }

    /// The graph, where what it does not know yet is little.
    fn useful_graph(&self) -> Option<&dyn Graph> {
        let graph = self.graph.as_deref()?;
        (self.owners.len() - graph.linked() <= self.graph_from).then_some(graph)
    }

    fn walk(&self, graph: &dyn Graph, query: &Query, ask: &Nearest<'_>) -> Vec<Near> {
        // Rows that will be left out take the place of others: the more there are, the more is looked at.
        let wanted = match ask.tags {
            Some(tags) => tags.iter().filter_map(|tag| self.by_tag.get(tag)).map(Vec::len).sum(),
            None => self.count(),
        };
        let effort = EFFORT.max(ask.limit + EFFORT / 4) * self.owners.len() / wanted.max(1);
        let found = graph.nearest(&self.rows, query, effort);
        let mut candidates: Vec<Near> = found.into_iter().filter(|(_, row)| self.wanted(*row, ask)).collect();
        candidates.truncate(3 * ask.limit + 32);
        let new = self.all_rows(graph.linked());
        if !new.is_empty() {
            candidates.extend(self.scan(query, &new, ask));
        }
        let ranked = self.rank(query, &candidates, ask.limit);
        if ranked.len() < ask.limit.min(wanted) { self.scan(query, &self.all_rows(0), ask) } else { ranked }
    }
}

fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 && length.is_finite() { vector.iter().map(|x| x / length).collect() } else { vector.to_vec() }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
