//! One order from two: meaning weighs 0.6, words 0.4, each brought to 0..1 over the candidates of both.

use std::collections::HashMap;

use satchel_model::index::Found;

/// The weight of meaning; words weigh the rest.
const MEANING: f32 = 0.6;

/// The answer of one side: the candidates in its order, and what it says of those only the other side named.
#[derive(Debug, Default)]
pub(super) struct Side {
    pub(super) ranked: Vec<(i64, f32)>,
    pub(super) further: HashMap<i64, f32>,
}

/// The order of words and meaning together; a side that was not asked is none.
pub(super) fn fuse(text: Option<&Side>, meaning: Option<&Side>) -> Vec<Found> {
    let mut found = gather(text, meaning);
    match (text, meaning) {
        (Some(_), Some(_)) => {
            let ends = ends(found.iter().filter_map(|found| found.cosine));
            let most = found.iter().filter_map(|found| found.bm25).fold(0.0, f32::max);
            for found in &mut found {
                let words = found.bm25.map_or(0.0, |bm25| bm25 / most);
                found.score =
                    MEANING * found.cosine.map_or(0.0, |cosine| between(ends, cosine)) + (1.0 - MEANING) * words;
            }
        }
        (Some(_), None) => {
            let most = found.iter().filter_map(|found| found.bm25).fold(0.0, f32::max);
            found.iter_mut().for_each(|found| found.score = found.bm25.map_or(0.0, |bm25| bm25 / most));
        }
        _ => found.iter_mut().for_each(|found| found.score = found.cosine.unwrap_or_default()),
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    found
}

fn gather(text: Option<&Side>, meaning: Option<&Side>) -> Vec<Found> {
    let mut found: HashMap<i64, Found> = HashMap::new();
    for (rank, (id, bm25)) in (1..).zip(text.map_or(&[][..], |side| &side.ranked)) {
        let one = found.entry(*id).or_insert_with(|| Found { id: *id, ..Found::default() });
        (one.bm25, one.rank_text) = (Some(*bm25), Some(rank));
    }
    for (rank, (id, cosine)) in (1..).zip(meaning.map_or(&[][..], |side| &side.ranked)) {
        let one = found.entry(*id).or_insert_with(|| Found { id: *id, ..Found::default() });
        (one.cosine, one.rank_vector) = (Some(*cosine), Some(rank));
    }
    for one in found.values_mut() {
        one.bm25 = one.bm25.or_else(|| text?.further.get(&one.id).copied());
        one.cosine = one.cosine.or_else(|| meaning?.further.get(&one.id).copied());
    }
    found.into_values().collect()
}

fn ends(numbers: impl Iterator<Item = f32>) -> (f32, f32) {
    numbers.fold((f32::MAX, f32::MIN), |(low, high), x| (low.min(x), high.max(x)))
}

/// Returns the place of a number between two, 0 to 1.
fn between((low, high): (f32, f32), x: f32) -> f32 {
    if high > low { (x - low) / (high - low) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(ranked: &[(i64, f32)], further: &[(i64, f32)]) -> Side {
        Side { ranked: ranked.to_vec(), further: further.iter().copied().collect() }
    }

    #[test]
    fn both_sides_are_brought_to_one_scale_and_weighed() {
        let text = side(&[(1, 8.0), (2, 4.0)], &[(3, 1.6)]);
        let meaning = side(&[(2, 0.9), (3, 0.5)], &[(1, 0.1)]);
        let found = fuse(Some(&text), Some(&meaning));
        let told: Vec<_> =
            found.iter().map(|f| (f.id, (f.score * 100.0).round(), f.rank_text, f.rank_vector)).collect();
        assert_eq!(told, [(2, 80.0, Some(2), Some(1)), (1, 40.0, Some(1), None), (3, 38.0, None, Some(2))]);
        assert_eq!((found[1].bm25, found[1].cosine), (Some(8.0), Some(0.1)));
    }

    #[test]
    fn one_side_alone_keeps_its_order() {
        let words = fuse(Some(&side(&[(1, 8.0), (2, 4.0)], &[])), None);
        assert_eq!(words.iter().map(|f| (f.id, f.score)).collect::<Vec<_>>(), [(1, 1.0), (2, 0.5)]);
        let near = fuse(None, Some(&side(&[(5, 0.4), (6, -0.2)], &[])));
        assert_eq!(near.iter().map(|f| (f.id, f.score, f.bm25)).collect::<Vec<_>>(), [(5, 0.4, None), (6, -0.2, None)]);
        assert_eq!(fuse(Some(&Side::default()), Some(&Side::default())), []);
    }
}
