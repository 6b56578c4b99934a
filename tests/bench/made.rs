//! Vectors that behave as those of sentences do: few directions matter, and many lie near each other.

/// The number of directions that carry the meaning.
const INNER: usize = 64;
/// The number of topics.
const TOPICS: usize = 2_000;

/// Makes them, the same every time.
pub(crate) struct Made {
    state: u64,
    dimensions: usize,
    directions: Vec<Vec<f32>>,
    topics: Vec<Vec<f32>>,
}

impl Made {
    /// Begins anew.
    pub(crate) fn new(dimensions: usize) -> Self {
        let mut made = Self { state: 1, dimensions, directions: Vec::new(), topics: Vec::new() };
        made.directions = (0..INNER).map(|_| made.normals(dimensions, 0.125)).collect();
        made.topics = (0..TOPICS).map(|_| made.normals(INNER, 0.8)).collect();
        made
    }

    /// The next so many, one after the other, each of length 1.
    pub(crate) fn vectors(&mut self, count: usize) -> Vec<f32> {
        (0..count).flat_map(|_| self.vector()).collect()
    }

    fn vector(&mut self) -> Vec<f32> {
        let topic = (self.next() % TOPICS as u64) as usize;
        let own = self.normals(INNER, 0.7);
        let mut vector = self.normals(self.dimensions, 0.12);
        let inner = self.topics[topic].iter().zip(own).map(|(topic, own)| topic + own);
        for (weight, direction) in inner.zip(&self.directions) {
            vector.iter_mut().zip(direction).for_each(|(x, d)| *x += weight * d);
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter().map(|x| x / length).collect()
    }

    fn normals(&mut self, count: usize, scale: f32) -> Vec<f32> {
        // Twelve uniform numbers add up to nearly a normal one.
        (0..count).map(|_| scale * ((0..12).map(|_| self.uniform()).sum::<f32>() - 6.0)).collect()
    }

    fn uniform(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u32 << 24) as f32
    }

    /// SplitMix64 (Steele, Lea & Flood, 2014).
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.state;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}
