//! Directions of length 1, as a model of meaning gives them.

/// The cosine of the angle between two directions of length 1: their product. Of two with different dimensions, 0.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    if a.len() == b.len() { a.iter().zip(b).map(|(x, y)| x * y).sum() } else { 0.0 }
}
