//! The best hits of a search, as they come.

use std::{cmp::Ordering, collections::BinaryHeap};

use tantivy::DocAddress;

/// Keeps the hits with the highest scores.
pub(super) struct Best {
    most: usize,
    /// The worst of them on top.
    kept: BinaryHeap<Scored>,
}

struct Scored(f32, DocAddress);

impl Best {
    /// Room for so many.
    pub(super) fn new(most: usize) -> Self {
        Self { most, kept: BinaryHeap::with_capacity(most + 1) }
    }

    /// Shows one.
    pub(super) fn show(&mut self, score: f32, at: DocAddress) {
        self.kept.push(Scored(score, at));
        if self.kept.len() > self.most {
            self.kept.pop();
        }
    }

    /// Only a higher score can be among the best any more.
    pub(super) fn least(&self) -> f32 {
        match self.kept.peek() {
            Some(worst) if self.kept.len() == self.most => worst.0,
            _ => f32::MIN,
        }
    }

    /// The best, in no order.
    pub(super) fn into_vec(self) -> Vec<(f32, DocAddress)> {
        self.kept.into_iter().map(|Scored(score, at)| (score, at)).collect()
    }
}

impl Ord for Scored {
    /// The lower score is the greater: a heap has its greatest on top. Of two equal ones the later entry goes first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Scored {}
