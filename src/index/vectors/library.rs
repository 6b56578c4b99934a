//! The crate `hnsw_rs` behind the same promise as our own graph: chosen by `indexes.graph = "hnsw_rs"`, and what the
//! benchmark holds our own against.
//!
//! It keeps copies of the rows and a good deal beside them, and cannot be read back from its links.

use hnsw_rs::prelude::{Distance, Hnsw};

use super::{
    dot::Kernel,
    graph::{Graph, Near},
    rows::{Query, Row, Rows},
};

/// The same as our own graph's.
const LINKS: usize = 16;
const EFFORT: usize = 128;
const LAYERS: usize = 16;
/// Room asked for at first; it grows beyond.
const ROOM: usize = 100_000;

/// The crate's graph.
pub(crate) struct Library {
    graph: Hnsw<'static, u8, OneLess>,
    linked: usize,
}

/// One less the product of two rows, each followed by its scale.
#[derive(Clone, Copy)]
struct OneLess(Kernel);

impl Distance<u8> for OneLess {
    fn eval(&self, a: &[u8], b: &[u8]) -> f32 {
        let (Some((a, a_scale)), Some((b, b_scale))) = (a.split_last_chunk::<4>(), b.split_last_chunk::<4>()) else {
            return f32::MAX;
        };
        let scale = f32::from_le_bytes(*a_scale) * f32::from_le_bytes(*b_scale);
        (1.0 - self.0.dot_rows(a, b) as f32 * scale).max(0.0)
    }
}

impl Library {
    /// No rows are linked yet.
    pub(crate) fn new() -> Self {
        let graph = Hnsw::new(LINKS, ROOM, LAYERS, EFFORT, OneLess(Kernel::best()));
        Self { graph, linked: 0 }
    }
}

impl Graph for Library {
    fn linked(&self) -> usize {
        self.linked
    }

    fn link(&mut self, rows: &Rows) {
        if let Ok(row) = Row::try_from(self.linked) {
            let bytes = [rows.high(row), &rows.scale(row).to_le_bytes()].concat();
            self.graph.insert_slice((&bytes, self.linked));
            self.linked += 1;
        }
    }

    fn nearest(&self, _: &Rows, query: &Query, effort: usize) -> Vec<Near> {
        let bytes = [query.row(), &query.scale().to_le_bytes()].concat();
        let found = self.graph.search(&bytes, effort, effort);
        found.into_iter().filter_map(|found| Some((1.0 - found.distance, Row::try_from(found.d_id).ok()?))).collect()
    }

    fn bytes(&self) -> usize {
        // Not told by the crate: measured as 3.3 kB a row of 384 bytes, links and locks among them.
        self.linked * 3_300
    }

    fn save(&self) -> Vec<u32> {
        Vec::new()
    }
}
