//! The best of many, when only a few are wanted.

use super::{graph::Near, rows::Row};

/// Keeps about the `most` nearest of what it is shown.
pub(crate) struct Best {
    most: usize,
    kept: Vec<Near>,
    /// Nothing less near can be among the best any more.
    least: f32,
    dropped: bool,
}

impl Best {
    /// Nothing yet.
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), kept: Vec::new(), least: f32::NEG_INFINITY, dropped: false }
    }

    /// Shows one.
    #[inline]
    pub(crate) fn show(&mut self, near: f32, row: Row) {
        if near < self.least {
            self.dropped = true;
            return;
        }
        self.kept.push((near, row));
        if self.kept.len() >= 4 * self.most + 64 {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        if self.kept.len() > self.most {
            self.kept.select_nth_unstable_by(self.most, |a, b| b.0.total_cmp(&a.0));
            self.kept.truncate(self.most);
            self.dropped = true;
            self.least = self.kept.iter().map(|kept| kept.0).fold(f32::INFINITY, f32::min);
        }
    }

    /// The best, in no order, and how near one that was dropped can be at most; `None` if nothing was dropped.
    pub(crate) fn into_best(mut self) -> (Vec<Near>, Option<f32>) {
        self.shrink();
        let least = self.dropped.then_some(self.least);
        (self.kept, least)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_those_a_full_sort_gives(numbers in prop::collection::vec(-1000i16..1000, 0..600), most in 1usize..40) {
            let mut best = Best::new(most);
            for (row, number) in numbers.iter().enumerate() {
                best.show(f32::from(*number), row as Row);
            }
            let (mut found, least) = best.into_best();
            found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
            let mut sorted: Vec<f32> = numbers.iter().map(|number| f32::from(*number)).collect();
            sorted.sort_unstable_by(|a, b| b.total_cmp(a));
            let dropped = sorted.len() > most;
            sorted.truncate(most);
            prop_assert_eq!(found.iter().map(|found| found.0).collect::<Vec<_>>(), sorted.clone());
            prop_assert_eq!(least, dropped.then(|| sorted[sorted.len() - 1]));
        }
    }
}
