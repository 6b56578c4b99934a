//! A hierarchical navigable small world over quantised rows.
//!
//! Malkov & Yashunin, "Efficient and robust approximate nearest neighbor search using Hierarchical Navigable Small World
//! graphs" (2018): algorithms 1, 2, 4 and 5. The links of the lowest layer stand in flat arrays; candidates are kept in one
//! sorted list instead of two heaps, which is faster for the few hundred that are kept.

use std::{collections::HashMap, mem};

use parking_lot::Mutex;

use super::{
    dot::Bytes,
    graph::{Graph, Near},
    rows::{CHUNK, Query, Row, Rows},
    walk::{Walk, any_nearer, nearness},
};

/// Links of a new row in each layer; the lowest layer holds twice as many.
const LINKS: usize = 20;
const LOWEST: usize = 2 * LINKS;
/// Rows a new row's links are chosen from.
const EFFORT: usize = 200;
/// A list of links: how many there are, then the links.
const STRIDE: usize = LOWEST + 1;
/// No row is in more layers above the lowest.
const MOST_LAYERS: usize = 8;
/// One row in two to the power of this is in the next layer, too: about one in [`LINKS`].
const LAYER_BITS: u32 = LINKS.ilog2();

/// The graph.
pub(crate) struct Hnsw {
    linked: usize,
    lowest: Vec<Box<[Row]>>,
    /// The lists of the layers above, for the few rows that are in them.
    upper: HashMap<Row, Vec<Vec<Row>>>,
    /// The row every walk begins at, and the highest layer it is in.
    entry: Option<(Row, usize)>,
    walks: Mutex<Vec<Walk>>,
}

impl Hnsw {
    /// No rows are linked yet.
    pub(crate) fn new() -> Self {
        let (lowest, upper, walks) = (Vec::new(), HashMap::new(), Mutex::default());
        Self { linked: 0, lowest, upper, entry: None, walks }
    }

    fn links(&self, row: Row, layer: usize) -> &[Row] {
        if layer > 0 {
            let lists = self.upper.get(&row);
            return lists.and_then(|lists| lists.get(layer - 1)).map_or(&[], Vec::as_slice);
        }
        let row = row as usize;
        let at = (row % CHUNK) * STRIDE;
        let list = self.lowest.get(row / CHUNK).and_then(|chunk| chunk.get(at..at + STRIDE)).unwrap_or_default();
        let (count, links) = list.split_first().unwrap_or((&0, &[]));
        links.get(..*count as usize).unwrap_or_default()
    }

    fn set_links(&mut self, row: Row, layer: usize, links: &[Row]) {
        if layer > 0 {
            if let Some(list) = self.upper.get_mut(&row).and_then(|lists| lists.get_mut(layer - 1)) {
                links.clone_into(list);
            }
            return;
        }
        let row = row as usize;
        let at = (row % CHUNK) * STRIDE;
        let list = self.lowest.get_mut(row / CHUNK).and_then(|chunk| chunk.get_mut(at..at + STRIDE));
        if let Some((count, list)) = list.and_then(<[Row]>::split_first_mut) {
            *count = Row::try_from(links.len()).unwrap_or(0);
            list.iter_mut().zip(links).for_each(|(place, link)| *place = *link);
        }
    }

    /// Walks one layer from `walk.best`, keeping the `effort` nearest there.
    #[expect(clippy::too_many_arguments, reason = "the innermost loop: what it needs, by reference")]
    fn walk(&self, rows: &Rows, query: &Bytes, layer: usize, effort: usize, walk: &mut Walk) {
        let mut next = 0;
        while let Some(candidate) = walk.best.get_mut(next) {
            if mem::replace(&mut candidate.2, true) {
                next += 1;
                continue;
            }
            let row = candidate.1;
            walk.fresh.clear();
            for link in self.links(row, layer) {
                if let Some(seen) = walk.seen.get_mut(*link as usize)
                    && mem::replace(seen, walk.mark) != walk.mark
                {
                    walk.fresh.push(*link);
                }
            }
            next = walk.weigh(rows, query, effort).min(next + 1);
        }
    }

    /// The nearest of each layer above `down_to`, then of it: where the walk of the next layer begins.
    fn descend(&self, rows: &Rows, query: &Bytes, down_to: usize, walk: &mut Walk) {
        let Some((entry, top)) = self.entry else { return };
        walk.begin(rows.len());
        walk.fresh.push(entry);
        walk.weigh(rows, query, 1);
        for layer in (down_to + 1..=top).rev() {
            walk.again();
            self.walk(rows, query, layer, 1, walk);
        }
        walk.again();
    }

    /// Chooses from candidates, the nearest first, those no chosen one is nearer to than the row itself (algorithm 4):
    /// links then point in different directions.
    fn choose(rows: &Rows, candidates: &[Near], most: usize, bytes: &mut Bytes) -> Vec<Row> {
        let mut chosen: Vec<Row> = Vec::with_capacity(most);
        for (near, candidate) in candidates {
            if chosen.len() == most {
                break;
            }
            bytes.set_to_row(rows.high(*candidate));
            let scale = rows.scale(*candidate);
            if !any_nearer(rows, bytes, scale, &chosen, *near) {
                chosen.push(*candidate);
            }
        }
        chosen
    }

    #[expect(clippy::too_many_arguments, reason = "buffers are reused while a graph is built")]
    fn link_back(&mut self, rows: &Rows, from: Row, to: Row, layer: usize, bytes: &mut Bytes) {
        let most = if layer == 0 { LOWEST } else { LINKS };
        let mut links = self.links(from, layer).to_vec();
        links.push(to);
        if links.len() > most {
            bytes.set_to_row(rows.high(from));
            let own = rows.scale(from);
            let mut candidates = nearness(rows, bytes, &links);
            candidates.iter_mut().for_each(|(near, _)| *near *= own);
            candidates.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
            links = Self::choose(rows, &candidates, most, bytes);
        }
        self.set_links(from, layer, &links);
    }

    fn take_walk(&self) -> Walk {
        self.walks.lock().pop().unwrap_or_default()
    }
}

impl Graph for Hnsw {
    fn linked(&self) -> usize {
        self.linked
    }

    fn link(&mut self, rows: &Rows) {
        let Ok(row) = Row::try_from(self.linked) else { return };
        let layers = layers_of(row);
        if self.linked.is_multiple_of(CHUNK) {
            self.lowest.push(vec![0; CHUNK * STRIDE].into_boxed_slice());
        }
        if layers > 0 {
            self.upper.insert(row, vec![Vec::new(); layers]);
        }
        self.linked += 1;
        let Some((_, top)) = self.entry else {
            self.entry = Some((row, layers));
            return;
        };
        let (mut query, mut spare) = (Bytes::default(), Bytes::default());
        query.set_to_row(rows.high(row));
        let own = rows.scale(row);
        let mut walk = self.take_walk();
        self.descend(rows, &query, layers, &mut walk);
        for layer in (0..=layers.min(top)).rev() {
            self.walk(rows, &query, layer, EFFORT, &mut walk);
            let candidates: Vec<Near> = walk.best.iter().map(|(near, row, _)| (near * own, *row)).collect();
            let chosen = Self::choose(rows, &candidates, LINKS, &mut spare);
            self.set_links(row, layer, &chosen);
            for other in chosen {
                self.link_back(rows, other, row, layer, &mut spare);
            }
            walk.again();
        }
        self.walks.lock().push(walk);
        if layers > top {
            self.entry = Some((row, layers));
        }
    }

    fn nearest(&self, rows: &Rows, query: &Query, effort: usize) -> Vec<Near> {
        let mut walk = self.take_walk();
        self.descend(rows, query.bytes(), 0, &mut walk);
        self.walk(rows, query.bytes(), 0, effort, &mut walk);
        let found = walk.best.iter().map(|(near, row, _)| (*near, *row)).collect();
        self.walks.lock().push(walk);
        found
    }

    fn bytes(&self) -> usize {
        let upper: usize = self.upper.values().flatten().map(|list| 32 + 4 * list.capacity()).sum();
        self.lowest.len() * CHUNK * STRIDE * 4 + upper + 48 * self.upper.capacity()
    }

    fn save(&self) -> Vec<u32> {
        let Some((entry, top)) = self.entry else { return Vec::new() };
        let mut words = vec![self.linked as u32, entry, top as u32];
        for row in (0..self.linked).filter_map(|row| Row::try_from(row).ok()) {
            for layer in 0..=layers_of(row) {
                let links = self.links(row, layer);
                words.push(links.len() as u32);
                words.extend(links);
            }
        }
        words
    }
}

impl Hnsw {
    /// The graph that [`Graph::save`] wrote; `None` if the numbers cannot be one over this many rows.
    pub(crate) fn read(words: &[u32], rows: usize) -> Option<Self> {
        let [linked, entry, top, lists @ ..] = words else { return None };
        let (count, top) = (*linked as usize, *top as usize);
        if count > rows || entry >= linked || top != layers_of(*entry) {
            return None;
        }
        let mut graph = Self::new();
        let mut rest = lists;
        for row in 0..*linked {
            if graph.linked.is_multiple_of(CHUNK) {
                graph.lowest.push(vec![0; CHUNK * STRIDE].into_boxed_slice());
            }
            let layers = layers_of(row);
            if layers > 0 {
                graph.upper.insert(row, vec![Vec::new(); layers]);
            }
            graph.linked += 1;
            for layer in 0..=layers {
                let (length, after) = rest.split_first()?;
                let (links, after) = after.split_at_checked(*length as usize)?;
                if links.len() > LOWEST || links.iter().any(|link| link >= linked) {
                    return None;
                }
                graph.set_links(row, layer, links);
                rest = after;
            }
        }
        graph.entry = Some((*entry, top));
        rest.is_empty().then_some(graph)
    }
}

/// In how many layers above the lowest a row is: one row in 16 is in the first, one in 256 in the second.
/// Drawn from the row's number, so that the same rows give the same graph.
fn layers_of(row: Row) -> usize {
    // SplitMix64 (Steele, Lea & Flood, 2014).
    let mut x = u64::from(row).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    ((x.trailing_zeros() / LAYER_BITS) as usize).min(MOST_LAYERS)
}
