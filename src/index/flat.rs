//! Vectors one after the other, as bytes: a quarter of the memory, and many times as fast to go through, at a loss too
//! small to change a ranking.

use super::vectors::dot::{Bytes, Kernel, LANES, shifted};

/// Rows that are multiplied at once.
const TOGETHER: usize = 64;

/// A vector to compare with, in bytes.
#[derive(Debug, Clone)]
pub struct Row {
    bytes: Bytes,
    width: usize,
    unit: f32,
}

impl Row {
    /// The nearest bytes to a vector.
    pub fn new(vector: &[f32]) -> Self {
        let (bytes, unit) = quantised(vector);
        Self { bytes: Bytes::new(bytes), width: vector.len(), unit }
    }
}

/// Many vectors of one length.
#[derive(Debug, Clone)]
pub struct Rows {
    bytes: Vec<u8>,
    units: Vec<f32>,
    width: usize,
    kernel: Kernel,
}

impl Default for Rows {
    fn default() -> Self {
        Self { bytes: Vec::new(), units: Vec::new(), width: 0, kernel: Kernel::best() }
    }
}

impl Rows {
    /// These vectors. One of another length than the first is as far from everything as can be.
    pub fn new<'a>(vectors: impl IntoIterator<Item = &'a [f32]>) -> Self {
        let mut rows = Self::default();
        vectors.into_iter().for_each(|vector| rows.push(vector));
        rows
    }

    /// Adds a vector.
    pub fn push(&mut self, vector: &[f32]) {
        if self.units.is_empty() {
            self.width = vector.len();
        }
        let (mut bytes, unit) = if vector.len() == self.width { quantised(vector) } else { (vec![0; self.width], 1.0) };
        bytes.resize(self.padded(), 0);
        self.bytes.extend(bytes.into_iter().map(shifted));
        self.units.push(unit);
    }

    /// So many rows that are as far from everything as can be, until they are set.
    pub fn blank(count: usize, width: usize) -> Self {
        let mut rows = Self { width, units: vec![1.0; count], ..Self::default() };
        rows.bytes = vec![shifted(0); count * rows.padded()];
        rows
    }

    /// Puts a vector in the place of a row; one of another length leaves it as it is.
    pub fn set(&mut self, at: usize, vector: &[f32]) {
        let padded = self.padded();
        let place = self.bytes.get_mut(at * padded..(at + 1) * padded).filter(|_| vector.len() == self.width);
        if let (Some(place), Some(own)) = (place, self.units.get_mut(at)) {
            let (bytes, unit) = quantised(vector);
            place.iter_mut().zip(bytes).for_each(|(place, byte)| *place = shifted(byte));
            *own = unit;
        }
    }

    /// Puts a row of others in the place of one of these; one of another length leaves it as it is.
    pub fn copy(&mut self, at: usize, from: &Self, row: usize) {
        let padded = self.padded();
        let source = from.bytes.get(row * padded..(row + 1) * padded).filter(|_| from.width == self.width);
        let place = self.bytes.get_mut(at * padded..(at + 1) * padded);
        if let (Some(source), Some(place), Some(unit), Some(own)) =
            (source, place, from.units.get(row), self.units.get_mut(at))
        {
            place.copy_from_slice(source);
            *own = *unit;
        }
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// The cosine of one of these with a vector, both of length 1; 0 where there is no such row.
    pub fn cosine(&self, at: usize, with: &Row) -> f32 {
        let start = at * self.padded();
        let row = self.bytes.get(start..start + self.padded()).filter(|_| with.width == self.width);
        let unit = self.units.get(at).copied().unwrap_or_default();
        row.map_or(0.0, |row| {
            let mut product = [0];
            self.kernel.dots(&with.bytes, &[row], &mut product);
            product.iter().sum::<i32>() as f32 * unit * with.unit
        })
    }

    /// The cosines of all of these with a vector.
    pub fn cosines(&self, with: &Row) -> Vec<f32> {
        let mut all = Vec::with_capacity(self.len());
        if with.width != self.width || self.width == 0 {
            all.resize(self.len(), 0.0);
            return all;
        }
        let rows: Vec<&[u8]> = self.bytes.chunks_exact(self.padded()).collect();
        let mut products = [0; TOGETHER];
        for (rows, units) in rows.chunks(TOGETHER).zip(self.units.chunks(TOGETHER)) {
            self.kernel.dots(&with.bytes, rows, &mut products);
            all.extend(products.iter().zip(units).map(|(product, unit)| *product as f32 * unit * with.unit));
        }
        all
    }

    fn padded(&self) -> usize {
        self.width.next_multiple_of(LANES)
    }
}

/// The nearest bytes to a vector, and what one unit of them is worth.
fn quantised(vector: &[f32]) -> (Vec<i8>, f32) {
    let largest = vector.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let unit = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    // A float beyond the range of a byte becomes its end, and these are within it.
    (vector.iter().map(|x| (x / unit).round() as i8).collect(), unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_are_those_of_the_vectors() {
        let a: Vec<f32> = (0..50).map(|n| (n as f32 * 0.37).sin() / 5.0).collect();
        let b: Vec<f32> = (0..50).map(|n| (n as f32 * 0.11).cos() / 5.0).collect();
        let exact: f32 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
        let rows = Rows::new([a.as_slice(), b.as_slice()]);
        assert!((rows.cosine(1, &Row::new(&a)) - exact).abs() < 0.005, "{exact}");
        assert_eq!(rows.cosine(2, &Row::new(&a)), 0.0);
    }

    #[test]
    fn a_row_is_far_from_everything_until_it_is_set() {
        let mut rows = Rows::blank(2, 3);
        let with = Row::new(&[0.6, 0.8, 0.0]);
        assert_eq!(rows.cosines(&with), [0.0, 0.0]);
        rows.set(1, &[0.6, 0.8, 0.0]);
        rows.set(0, &[1.0]);
        rows.set(2, &[1.0, 0.0, 0.0]);
        assert!(rows.cosine(0, &with) == 0.0 && rows.cosine(1, &with) > 0.99 && rows.len() == 2);
    }

    #[test]
    fn a_vector_of_another_length_is_far_from_everything() {
        let mut rows = Rows::new([[1.0, 0.0].as_slice()]);
        rows.push(&[1.0]);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows.cosine(1, &Row::new(&[1.0, 0.0])), 0.0);
    }
}
