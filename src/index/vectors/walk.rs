//! A walk through a graph: what it has seen, and the nearest so far.

use super::{
    dot::{Bytes, Kernel},
    graph::Near,
    rows::{Row, Rows},
};

/// Products taken at a time.
const BATCH: usize = 32;

/// The memory of a walk; kept for the next one.
#[derive(Default)]
pub(super) struct Walk {
    /// The rows that were seen: those with this walk's mark.
    pub(super) seen: Vec<u8>,
    pub(super) mark: u8,
    /// The nearest so far, the nearest first, and whether their links were followed.
    pub(super) best: Vec<(f32, Row, bool)>,
    pub(super) fresh: Vec<Row>,
}

impl Walk {
    /// Forgets the last walk.
    pub(super) fn begin(&mut self, rows: usize) {
        if self.seen.len() < rows {
            self.seen.resize(rows + rows / 8, 0);
        }
        self.best.clear();
        self.fresh.clear();
        self.next_mark();
    }

    /// Goes on in the next layer from the nearest of this one.
    pub(super) fn again(&mut self) {
        self.next_mark();
        for (_, row, followed) in &mut self.best {
            *followed = false;
            if let Some(seen) = self.seen.get_mut(*row as usize) {
                *seen = self.mark;
            }
        }
    }

    fn next_mark(&mut self) {
        self.mark = self.mark.wrapping_add(1);
        if self.mark == 0 {
            self.seen.fill(0);
            self.mark = 1;
        }
    }

    /// Puts the fresh rows among the best; the first place that changed.
    pub(super) fn weigh(&mut self, rows: &Rows, query: &Bytes, effort: usize) -> usize {
        let mut first = usize::MAX;
        let mut products = [0i32; BATCH];
        for batch in self.fresh.chunks(BATCH) {
            products_of(rows, rows.kernel(), query, batch, &mut products);
            for (row, product) in batch.iter().zip(products) {
                let near = product as f32 * rows.scale(*row);
                if self.best.len() == effort && self.best.last().is_some_and(|worst| near <= worst.0) {
                    continue;
                }
                let place = self.best.partition_point(|better| better.0 >= near);
                if self.best.len() == effort {
                    self.best.pop();
                }
                self.best.insert(place, (near, *row, false));
                first = first.min(place);
            }
        }
        first
    }
}

/// Returns whether any of these is nearer to a row than so near.
pub(super) fn any_nearer(rows: &Rows, bytes: &Bytes, scale: f32, chosen: &[Row], near: f32) -> bool {
    let mut products = [0i32; BATCH];
    chosen.chunks(4).any(|some| {
        products_of(rows, rows.kernel(), bytes, some, &mut products);
        some.iter().zip(products).any(|(row, product)| product as f32 * rows.scale(*row) * scale > near)
    })
}

/// Returns the nearness of these, in their order.
pub(super) fn nearness(rows: &Rows, bytes: &Bytes, links: &[Row]) -> Vec<Near> {
    let mut products = [0i32; BATCH];
    let mut near = Vec::with_capacity(links.len());
    for batch in links.chunks(BATCH) {
        products_of(rows, rows.kernel(), bytes, batch, &mut products);
        near.extend(batch.iter().zip(products).map(|(row, product)| (product as f32 * rows.scale(*row), *row)));
    }
    near
}

/// The products of up to [`BATCH`] rows.
fn products_of(rows: &Rows, kernel: Kernel, query: &Bytes, batch: &[Row], products: &mut [i32; BATCH]) {
    let mut slices: [&[u8]; BATCH] = [&[]; BATCH];
    for (slice, row) in slices.iter_mut().zip(batch) {
        *slice = rows.high(*row);
    }
    kernel.dots(query, slices.get(..batch.len()).unwrap_or_default(), products);
}
