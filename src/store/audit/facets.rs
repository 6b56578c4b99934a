//! Counts of the rows under each value of a facet.

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use serde_json::{Map, json};

use super::{
    Audit,
    filter::Filter,
    tally::{Counted, KindOf, tally},
    wanted::Wanted,
    words::{FACETS, Kind, Words},
};
use satchel_model::{audit::AuditFacets, error::Result};

/// Most values told of one facet.
const MOST: usize = 20;
/// Stretches may be as long as they are counted.
const ANY_LENGTH: i64 = i64::MAX;

impl Audit {
    /// Counts the rows that pass, and those that would with each value of a facet chosen in place of what is.
    pub async fn facets(&self, filter: Filter) -> Result<AuditFacets> {
        let kinds = Arc::clone(&self.kinds);
        self.db
            .read(move |tx| {
                let filter = filter.resolve(tx)?;
                let known = kinds.all(tx)?;
                let wanted = Wanted::new(&filter, &known.words);
                let mut sums = vec![0_i64; known.kinds.len()];
                let mut made = Made::default();
                let left = tally(tx, &filter, ANY_LENGTH, Some(&known), |Counted { kind, number, .. }| match kind {
                    KindOf::Known(kind) => {
                        // One that came while this was read is of the next answer.
                        if let Some(sum) = sums.get_mut(kind) {
                            *sum += number;
                        }
                    }
                    KindOf::Any { .. } => {}
                    KindOf::Row(kind, words) => made.add(&wanted, (kind, words), number),
                })?;
                for (kind, sum) in known.kinds.iter().zip(sums).filter(|(_, sum)| *sum > 0) {
                    made.add(&wanted, (*kind, &known.words), sum);
                }
                Ok(AuditFacets { among: left.among, uncounted: left.uncounted, rounded: left.rounded, ..made.finish() })
            })
            .await
    }
}

#[derive(Default)]
struct Made {
    total: i64,
    facets: [HashMap<Box<str>, i64>; 6],
}

impl Made {
    fn add(&mut self, wanted: &Wanted, (kind, words): (Kind, &Words), number: i64) {
        let (misses, missed) = wanted.misses(kind, words);
        if misses == 0 {
            self.total += number;
        }
        for (facet, (counts, word)) in self.facets.iter_mut().zip(kind).enumerate() {
            let counts_here = misses == 0 || (misses == 1 && missed == facet);
            let word = words.get(word);
            if !counts_here || word.is_empty() {
                continue;
            }
            // Most words are there already: no copy is made of those.
            match counts.get_mut(word) {
                Some(count) => *count += number,
                None => {
                    counts.insert(word.into(), number);
                }
            }
        }
    }

    fn finish(self) -> AuditFacets {
        let mut facets = Map::new();
        for (facet, counts) in FACETS.iter().zip(self.facets) {
            let mut counts: Vec<_> = counts.into_iter().collect();
            counts.sort_by(|a, b| (Reverse(a.1), &a.0).cmp(&(Reverse(b.1), &b.0)));
            let told = counts.into_iter().take(MOST).map(|(word, count)| (word.into_string(), json!(count)));
            facets.insert((*facet).to_owned(), told.collect::<Map<_, _>>().into());
        }
        AuditFacets { total: self.total, facets, among: None, uncounted: 0, rounded: false }
    }
}
