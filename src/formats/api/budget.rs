//! The budget for a document's schemas: what one operation may take, and all of them together. A schema stands in a
//! document once and in every operation that refers to it, so a small document can be a large catalog.

use serde_json::Value;

use satchel_model::error::{Error, Result};

/// Most operations of a document.
const MAX_OPERATIONS: usize = 5_000;
/// Most values one operation's schemas may have once every reference is in place.
pub(super) const MAX_NODES: usize = 1_200;
/// Most bytes of one operation's schemas as JSON; a little less than an endpoint takes.
const MAX_BYTES: usize = 56 * 1024;
/// The memory a value takes beside its text.
const NODE: usize = 256;
/// The memory all operations of a document may take together.
pub(super) const DOCUMENT: usize = 64 << 20;
/// The memory an operation may always take.
const LEAST: usize = 8 << 10;
/// The number of even shares one operation may take: most take less than theirs.
const SHARES: usize = 4;
/// Longest default, constant or choice, as JSON.
const SMALL: usize = 1_024;

/// The memory left for the operations that are still to be read.
pub(super) struct Budget {
    left: usize,
    operations: usize,
}

impl Budget {
    /// Makes the budget of a document with so many operations, which together may take `most`.
    ///
    /// # Errors
    ///
    /// If they are too many.
    pub(super) fn new(most: usize, operations: usize) -> Result<Self> {
        if operations > MAX_OPERATIONS {
            return Err(Error::invalid(format!("The document has more than {MAX_OPERATIONS} operations: split it.")));
        }
        Ok(Self { left: most, operations })
    }

    /// Returns the allowance of the next operation.
    pub(super) fn next(&mut self) -> Allowance {
        let even = self.left / self.operations.max(1);
        self.operations = self.operations.saturating_sub(1);
        Allowance { most: even.saturating_mul(SHARES).max(LEAST), nodes: 0, bytes: 0 }
    }

    /// Takes off what an operation took.
    pub(super) fn spend(&mut self, allowance: &Allowance) {
        self.left = self.left.saturating_sub(allowance.weight());
    }
}

/// The memory one operation may take, and has taken.
pub(super) struct Allowance {
    most: usize,
    nodes: usize,
    bytes: usize,
}

impl Allowance {
    /// As much as one operation may take where there is no other.
    pub(super) fn whole() -> Self {
        Self { most: usize::MAX, nodes: 0, bytes: 0 }
    }

    /// Returns whether it is all that one operation may take.
    pub(super) fn is_whole(&self) -> bool {
        self.most >= MAX_NODES * NODE + MAX_BYTES
    }

    /// Takes one more value.
    pub(super) fn take(&mut self) {
        self.nodes += 1;
    }

    /// Takes so many bytes of it.
    pub(super) fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Returns whether nothing more may be taken.
    pub(super) fn is_spent(&self) -> bool {
        self.nodes > MAX_NODES || self.bytes > MAX_BYTES || self.weight() > self.most
    }

    /// Returns whether not even names may be taken: those of properties nothing more is said of are few bytes and much
    /// help.
    pub(super) fn is_exhausted(&self) -> bool {
        self.nodes > 2 * MAX_NODES
            || self.bytes > MAX_BYTES + MAX_BYTES / 16
            || self.weight() > self.most.saturating_add(self.most / 4)
    }

    fn weight(&self) -> usize {
        self.nodes * NODE + self.bytes
    }
}

/// Returns whether a default, a constant or a choice is short enough to be taken over.
pub(super) fn is_small(value: &Value) -> bool {
    let mut left = SMALL;
    fits(value, &mut left)
}

fn fits(value: &Value, left: &mut usize) -> bool {
    let own = match value {
        Value::String(text) => text.len() + 2,
        _ => 4,
    };
    let Some(rest) = left.checked_sub(own) else { return false };
    *left = rest;
    match value {
        Value::Array(items) => items.iter().all(|item| fits(item, left)),
        Value::Object(map) => map.iter().all(|(name, value)| {
            let Some(rest) = left.checked_sub(name.len() + 4) else { return false };
            *left = rest;
            fits(value, left)
        }),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn large_operations_are_cut_and_small_ones_are_whole() {
        let mut budget = Budget::new(DOCUMENT, 5_000).unwrap();
        let mut taken = 0;
        for n in 0..5_000 {
            let mut allowance = budget.next();
            let wanted = if n % 10 == 9 { 5 } else { 1_000 };
            while !allowance.is_spent() && allowance.nodes < wanted {
                allowance.take();
                allowance.add(200);
            }
            assert!(wanted > 5 || allowance.nodes == 5, "{n}");
            budget.spend(&allowance);
            taken += allowance.weight();
        }
        assert!(taken < DOCUMENT + 5_000 * (LEAST + NODE + 200), "{taken}");
        // In a document of few operations each has what it needs.
        let mut budget = Budget::new(DOCUMENT, 100).unwrap();
        for _ in 0..100 {
            let mut allowance = budget.next();
            (0..MAX_NODES).for_each(|_| allowance.take());
            allowance.add(MAX_BYTES);
            assert!(!allowance.is_spent());
            budget.spend(&allowance);
        }
    }

    #[test]
    fn a_value_is_small_with_all_that_is_in_it() {
        assert!(is_small(&json!({"a": [1, null, "x".repeat(900)]})));
        for large in [json!("x".repeat(1_024)), json!(vec![0; 300]), json!({"k".repeat(1_100): 1})] {
            assert!(!is_small(&large));
        }
    }
}
