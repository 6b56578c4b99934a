//! Vectors as flat arrays of bytes: eight bits to search by, eight more to rank what was found.
//!
//! A number `x` of a row is `scale · (high + low / 254)` to within `scale / 508`: the high bytes alone order well
//! enough to find candidates, both together order as the 32-bit floats do in all but a few cases in a hundred thousand.

#[cfg(test)]
use super::dot::number;
use super::dot::{Bytes, Kernel, LANES, shifted, unshifted};

/// Rows allocated at a time: growing moves nothing.
pub(crate) const CHUNK: usize = 1024;

/// The place of a vector.
pub(crate) type Row = u32;

/// Quantised vectors of one length.
#[derive(Debug)]
pub(crate) struct Rows {
    dimensions: usize,
    width: usize,
    len: usize,
    high: Vec<Box<[u8]>>,
    low: Vec<Box<[u8]>>,
    scales: Vec<f32>,
    coarsest: f32,
    kernel: Kernel,
}

/// A vector to compare rows with.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    row: Vec<u8>,
    bytes: Bytes,
    scale: f32,
    exact: Vec<f32>,
}

impl Rows {
    /// No rows yet.
    pub(crate) fn new(dimensions: usize) -> Self {
        let width = dimensions.next_multiple_of(LANES);
        let (high, low, scales) = (Vec::new(), Vec::new(), Vec::new());
        Self { dimensions, width, len: 0, high, low, scales, coarsest: 0.0, kernel: Kernel::best() }
    }

    /// Returns the length of the vectors.
    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the number of bytes of a row in each plane.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The largest scale any row ever had: how coarse the coarsest is.
    pub(crate) fn coarsest(&self) -> f32 {
        self.coarsest
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the instructions that compare them.
    pub(crate) fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        (self.high.len() + self.low.len()) * CHUNK * self.width + self.scales.capacity() * 4
    }

    /// Adds a vector of the right length; what is missing counts as zero.
    pub(crate) fn push(&mut self, vector: &[f32]) -> Row {
        let (high, low, scale) = quantise(vector, self.width);
        self.push_raw(&high, &low, scale)
    }

    /// Adds a row as [`Rows::parts`] gives it.
    pub(crate) fn push_raw(&mut self, high: &[u8], low: &[u8], scale: f32) -> Row {
        if self.len.is_multiple_of(CHUNK) {
            for plane in [&mut self.high, &mut self.low] {
                plane.push(vec![0; CHUNK * self.width].into_boxed_slice());
            }
        }
        let at = (self.len % CHUNK) * self.width;
        for (plane, bytes) in [(&mut self.high, high), (&mut self.low, low)] {
            let place = plane.last_mut().and_then(|chunk| chunk.get_mut(at..at + self.width));
            if let Some(place) = place {
                place.copy_from_slice(bytes);
            }
        }
        self.scales.push(scale);
        self.coarsest = self.coarsest.max(scale);
        self.len += 1;
        Row::try_from(self.len - 1).unwrap_or(Row::MAX)
    }

    /// Leaves out the rows that are not to be kept; those after them move up.
    pub(crate) fn keep(&mut self, keep: &[bool]) {
        let mut to = 0;
        for from in keep.iter().enumerate().filter_map(|(row, keep)| keep.then_some(row)).take(self.len) {
            for plane in [&mut self.high, &mut self.low] {
                move_row(plane, self.width, from, to);
            }
            self.scales.swap(from, to);
            to += 1;
        }
        self.len = to;
        self.scales.truncate(to);
        self.high.truncate(to.div_ceil(CHUNK));
        self.low.truncate(to.div_ceil(CHUNK));
    }

    /// The bytes a row is searched by.
    #[inline]
    pub(crate) fn high(&self, row: Row) -> &[u8] {
        self.codes(&self.high, row)
    }

    /// A row's high bytes, low bytes and scale.
    pub(crate) fn parts(&self, row: Row) -> (&[u8], &[u8], f32) {
        (self.codes(&self.high, row), self.codes(&self.low, row), self.scale(row))
    }

    #[inline]
    fn codes<'a>(&self, plane: &'a [Box<[u8]>], row: Row) -> &'a [u8] {
        let row = row as usize;
        let at = (row % CHUNK) * self.width;
        plane.get(row / CHUNK).and_then(|chunk| chunk.get(at..at + self.width)).unwrap_or_default()
    }

    /// Returns the factor of a product of high bytes.
    #[inline]
    pub(crate) fn scale(&self, row: Row) -> f32 {
        self.scales.get(row as usize).copied().unwrap_or_default()
    }

    /// The rows' vectors again, as near as they are kept.
    #[cfg(test)]
    pub(crate) fn vector(&self, row: Row) -> Vec<f32> {
        let (high, low, scale) = self.parts(row);
        high.iter().zip(low).take(self.dimensions).map(|(high, low)| number(*high, *low) * scale).collect()
    }

    /// Returns the nearness of a row to a query, by both its bytes.
    pub(crate) fn exact(&self, query: &Query, row: Row) -> f32 {
        let (high, low, scale) = self.parts(row);
        scale * self.kernel.weighed(high, low, &query.exact)
    }

    /// Returns the nearness of a row to a query, by its high bytes.
    #[cfg(test)]
    pub(crate) fn near(&self, query: &Query, row: Row) -> f32 {
        self.kernel.dot(&query.bytes, self.high(row)) as f32 * self.scale(row) * query.scale
    }
}

impl Query {
    /// A vector to ask for, prepared for rows of this width.
    pub(crate) fn new(vector: &[f32]) -> Self {
        let width = vector.len().next_multiple_of(LANES);
        let (high, _, scale) = quantise(vector, width);
        let mut exact = vector.to_vec();
        exact.resize(width, 0.0);
        let bytes = Bytes::new(high.iter().map(|byte| unshifted(*byte)).collect());
        Self { row: high, bytes, scale, exact }
    }

    /// Its high bytes as a row has them.
    pub(crate) fn row(&self) -> &[u8] {
        &self.row
    }

    /// Its high bytes.
    pub(crate) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns the factor of a product of high bytes, beside the row's scale.
    pub(crate) fn scale(&self) -> f32 {
        self.scale
    }
}

fn move_row(plane: &mut [Box<[u8]>], width: usize, from: usize, to: usize) {
    let (from_at, to_at) = ((from % CHUNK) * width, (to % CHUNK) * width);
    if from / CHUNK == to / CHUNK {
        if let Some(chunk) = plane.get_mut(from / CHUNK) {
            chunk.copy_within(from_at..from_at + width, to_at);
        }
    } else if let Some((head, tail)) = plane.split_at_mut_checked(from / CHUNK)
        && let (Some(source), Some(target)) = (tail.first(), head.get_mut(to / CHUNK))
        && let (Some(source), Some(target)) =
            (source.get(from_at..from_at + width), target.get_mut(to_at..to_at + width))
    {
        target.copy_from_slice(source);
    }
}

/// High bytes, low bytes, scale.
fn quantise(vector: &[f32], width: usize) -> (Vec<u8>, Vec<u8>, f32) {
    let most = vector.iter().fold(0f32, |most, x| most.max(x.abs()));
    let scale = if most > 0.0 && most.is_finite() { most / 127.0 } else { 1.0 };
    let (mut high, mut low) = (vec![shifted(0); width], vec![shifted(0); width]);
    for ((x, high), low) in vector.iter().zip(&mut high).zip(&mut low) {
        let steps = x / scale;
        // `as` saturates, and takes what is not a number for zero.
        let whole = steps.round() as i8;
        *high = shifted(whole);
        *low = shifted(((steps - f32::from(whole)) * 254.0).round() as i8);
    }
    (high, low, scale)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_row_is_the_vector_to_a_part_in_sixty_thousand(vector in prop::collection::vec(-1f32..1.0, 1..200)) {
            let mut rows = Rows::new(vector.len());
            let row = rows.push(&vector);
            let most = vector.iter().fold(0f32, |most, x| most.max(x.abs()));
            for (kept, given) in rows.vector(row).iter().zip(&vector) {
                prop_assert!((kept - given).abs() <= most / 60_000.0, "{kept} for {given}");
            }
            let norm: f32 = vector.iter().map(|x| x * x).sum();
            prop_assert!((rows.exact(&Query::new(&vector), row) - norm).abs() <= norm * 1e-3 + 1e-6);
            prop_assert!((rows.near(&Query::new(&vector), row) - norm).abs() <= norm * 0.05 + 1e-6);
        }
    }

    #[test]
    fn rows_keep_their_place_as_more_come() {
        let mut rows = Rows::new(2);
        for n in 0..CHUNK + 5 {
            assert_eq!(rows.push(&[n as f32, 1.0]) as usize, n);
        }
        assert_eq!(rows.vector(CHUNK as Row + 2)[0].round() as usize, CHUNK + 2);
        assert_eq!(rows.len(), CHUNK + 5);
    }

    #[test]
    fn a_vector_of_zeros_or_of_no_numbers_is_near_nothing() {
        let mut rows = Rows::new(2);
        let (zero, none) = (rows.push(&[0.0, 0.0]), rows.push(&[f32::NAN, f32::INFINITY]));
        let query = Query::new(&[1.0, 0.0]);
        assert_eq!((rows.exact(&query, zero), rows.near(&query, none).is_finite()), (0.0, true));
    }
}
