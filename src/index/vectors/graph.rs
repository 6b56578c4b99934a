//! The promise of a graph over rows, whichever implementation keeps it.

use super::rows::{Query, Row, Rows};

/// A row and how near it is: by its high bytes, times a factor that is the same for all rows of a search.
pub(crate) type Near = (f32, Row);

/// Links rows to their nearest, and walks the links to those nearest to a query.
pub(crate) trait Graph: Send + Sync {
    /// Returns the number of linked rows: the first so many.
    fn linked(&self) -> usize;

    /// Links the next row.
    fn link(&mut self, rows: &Rows);

    /// About the `effort` nearest rows, the nearest first. More effort finds more of the true nearest.
    fn nearest(&self, rows: &Rows, query: &Query, effort: usize) -> Vec<Near>;

    /// Bytes of memory.
    fn bytes(&self) -> usize;

    /// Its links as numbers, where it can be read back from them; empty where it must be built again.
    fn save(&self) -> Vec<u32>;
}
