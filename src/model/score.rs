//! The quality of rankings, in the measures of retrieval: recall, nDCG, MRR and completeness, each from 0 to 1.
//!
//! Gain is binary; the ideal ranking has every wanted thing in front. Järvelin & Kekäläinen, "Cumulated gain-based
//! evaluation of IR techniques" (2002).

use std::collections::{HashMap, HashSet};

use serde::Serialize;

/// The depth to which a ranking is looked at.
pub const DEPTH: usize = 10;

/// The quality of one ranking, or the mean of many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Measures {
    /// Share of what was wanted that stands first.
    pub recall_1: f64,
    /// Share of what was wanted among the first five.
    pub recall_5: f64,
    /// Share of what was wanted among the first ten.
    pub recall_10: f64,
    /// Discounted gain of the first ten, against the best there could be.
    pub ndcg_10: f64,
    /// One over the rank of the first that was wanted.
    pub mrr_10: f64,
    /// 1 where everything wanted is among the first ten.
    pub complete_10: f64,
}

/// Judges a ranking, best first. Each group is one wanted thing with all the ids that give it; nothing wanted is
/// worth nothing.
pub fn measure(ranked: &[impl AsRef<str>], groups: &[Vec<String>]) -> Measures {
    if groups.is_empty() {
        return Measures::default();
    }
    let group_of: HashMap<&str, usize> =
        groups.iter().enumerate().flat_map(|(n, ids)| ids.iter().map(move |id| (id.as_str(), n))).collect();
    let wanted = groups.len() as f64;
    let (mut found, mut gain, mut first) = (HashSet::new(), 0.0, 0.0);
    let mut at: [f64; DEPTH] = [0.0; DEPTH];
    for (rank, slot) in at.iter_mut().enumerate() {
        let group = ranked.get(rank).and_then(|id| group_of.get(id.as_ref()));
        if let Some(group) = group
            && found.insert(*group)
        {
            gain += discount(rank);
            first = if first > 0.0 { first } else { 1.0 / (rank as f64 + 1.0) };
        }
        *slot = found.len() as f64 / wanted;
    }
    let ideal: f64 = (0..groups.len().min(DEPTH)).map(discount).sum();
    let [recall_1, _, _, _, recall_5, .., recall_10] = at;
    let complete_10 = if found.len() == groups.len() { 1.0 } else { 0.0 };
    Measures { recall_1, recall_5, recall_10, ndcg_10: gain / ideal, mrr_10: first, complete_10 }
}

fn discount(rank: usize) -> f64 {
    1.0 / (rank as f64 + 2.0).log2()
}

/// The mean of rankings; `None` of none.
pub fn mean(all: &[Measures]) -> Option<Measures> {
    let count = all.len() as f64;
    let of = |field: fn(&Measures) -> f64| all.iter().map(field).sum::<f64>() / count;
    (!all.is_empty()).then(|| Measures {
        recall_1: of(|m| m.recall_1),
        recall_5: of(|m| m.recall_5),
        recall_10: of(|m| m.recall_10),
        ndcg_10: of(|m| m.ndcg_10),
        mrr_10: of(|m| m.mrr_10),
        complete_10: of(|m| m.complete_10),
    })
}

/// The value below which this share of `times` lies, 0 to 1; 0 where there are none.
pub fn percentile(times: &[f64], share: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len() as f64 * share) as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(all: &[&[&str]]) -> Vec<Vec<String>> {
        all.iter().map(|ids| ids.iter().map(|id| (*id).to_owned()).collect()).collect()
    }

    #[test]
    fn the_one_wanted_thing_in_second_place_is_worth_its_discount() {
        let found = measure(&["x", "a", "y"], &groups(&[&["a"]]));
        let ndcg_10 = 1.0 / 3.0_f64.log2();
        let expected =
            Measures { recall_1: 0.0, recall_5: 1.0, recall_10: 1.0, ndcg_10, mrr_10: 0.5, complete_10: 1.0 };
        assert_eq!(found, expected);
    }

    #[test]
    fn any_id_of_a_group_counts_once() {
        let found = measure(&["a1", "a2", "b"], &groups(&[&["a1", "a2"], &["b"], &["c"]]));
        let ideal = 1.0 + 1.0 / 3.0_f64.log2() + 0.5;
        assert!((found.ndcg_10 - 1.5 / ideal).abs() < 1e-12);
        assert!((found.recall_1 - 1.0 / 3.0).abs() < 1e-12 && (found.recall_10 - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!((found.mrr_10, found.complete_10), (1.0, 0.0));
    }

    #[test]
    fn what_comes_after_the_tenth_place_is_not_seen() {
        let ranked: Vec<String> = (0..11).map(|n| n.to_string()).collect();
        assert_eq!(measure(&ranked, &groups(&[&["10"]])), Measures::default());
        assert_eq!(measure(&ranked, &[]), Measures::default());
    }

    #[test]
    fn means_and_percentiles_are_of_all() {
        let one = measure(&["a"], &groups(&[&["a"]]));
        let none = measure(&["b"], &groups(&[&["a"]]));
        assert_eq!(mean(&[one, none]).map(|m| m.ndcg_10), Some(0.5));
        assert_eq!(mean(&[]), None);
        assert_eq!((percentile(&[3.0, 1.0, 2.0], 0.5), percentile(&[], 0.95)), (2.0, 0.0));
    }
}
