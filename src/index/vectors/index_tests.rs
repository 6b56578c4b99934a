//! The promises of a search of vectors, whatever it is done by.

use std::time::Duration;

use super::*;

/// Numbers that look random and are the same every time.
fn noise(seed: u64, length: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let numbers = (0..length).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    });
    unit(&numbers.collect::<Vec<_>>())
}

/// A graph is kept from here on.
const FROM: usize = 300;

fn filled(kind: GraphKind, count: i64) -> Vectors {
    let mut vectors = Vectors::with_graph_from(16, kind, FROM);
    for id in 0..count {
        vectors.put(id, id % 7, &noise(id as u64 + 1, 16));
    }
    vectors
}

fn all_linked(vectors: &mut Vectors) {
    while vectors.work(Duration::from_secs(1)) {}
}

/// The nearest by the numbers themselves.
fn truth(asked: &[f32], count: i64, wanted: impl Fn(i64) -> bool, limit: usize) -> Vec<i64> {
    let cosine = |id: i64| noise(id as u64 + 1, 16).iter().zip(asked).map(|(a, b)| a * b).sum::<f32>();
    let mut ids: Vec<(i64, f32)> = (0..count).filter(|id| wanted(*id)).map(|id| (id, cosine(id))).collect();
    ids.sort_by(|a, b| b.1.total_cmp(&a.1));
    ids.into_iter().take(limit).map(|(id, _)| id).collect()
}

fn ids(vectors: &Vectors, vector: &[f32], tags: Option<&HashSet<i64>>, limit: usize) -> Vec<i64> {
    let ask = Nearest { vector, tags, ids: None, limit };
    vectors.nearest(&ask).into_iter().map(|(id, _)| id).collect()
}

#[test]
fn few_vectors_are_searched_exactly() {
    let vectors = filled(GraphKind::Own, 250);
    assert_eq!(vectors.search_kind(), SearchKind::Exact);
    for seed in 0..50 {
        let asked = noise(1 << 40 | seed, 16);
        assert_eq!(ids(&vectors, &asked, None, 10), truth(&asked, 250, |_| true, 10));
    }
}

#[test]
fn both_graphs_find_nearly_all_of_the_true_nearest() {
    for kind in [GraphKind::Own, GraphKind::Library] {
        let count = FROM as i64 + 900;
        let mut vectors = filled(kind, count);
        all_linked(&mut vectors);
        assert_eq!(vectors.search_kind(), SearchKind::Hnsw);
        let mut found = 0;
        for seed in 0..40 {
            let asked = noise(1 << 40 | seed, 16);
            let true_nearest = truth(&asked, count, |_| true, 10);
            found += ids(&vectors, &asked, None, 10).iter().filter(|id| true_nearest.contains(id)).count();
        }
        assert!(found >= 392, "{kind:?}: {found} of 400");
    }
}

#[test]
fn a_filter_loses_nothing() {
    let count = FROM as i64 + 900;
    let mut vectors = filled(GraphKind::Own, count);
    all_linked(&mut vectors);
    let asked = noise(77, 16);
    let tags = HashSet::from([2, 5]);
    assert_eq!(ids(&vectors, &asked, Some(&tags), 20), truth(&asked, count, |id| tags.contains(&(id % 7)), 20));
    let some: HashSet<i64> = (0..count).filter(|id| id % 100 == 3).collect();
    let ask = Nearest { vector: &asked, tags: Some(&tags), ids: Some(&some), limit: 10 };
    let found: Vec<i64> = vectors.nearest(&ask).into_iter().map(|(id, _)| id).collect();
    assert_eq!(found, truth(&asked, count, |id| some.contains(&id) && tags.contains(&(id % 7)), 10));
}

#[test]
fn what_was_removed_is_never_found_and_what_was_replaced_is_found_as_it_is_now() {
    let count = FROM as i64 + 900;
    let mut vectors = filled(GraphKind::Own, count);
    all_linked(&mut vectors);
    let gone = |id: i64| id % 9 == 4;
    (0..count).filter(|id| gone(*id)).for_each(|id| vectors.remove(id));
    vectors.put(1, 3, &noise(77, 16));
    let asked = noise(77, 16);
    let found = ids(&vectors, &asked, None, 50);
    assert_eq!((found.len(), found[0]), (50, 1));
    assert!(found.iter().all(|id| !gone(*id)), "{found:?}");
    assert_eq!(ids(&vectors, &asked, Some(&HashSet::from([3])), 1), [1]);
}

#[test]
fn with_a_fifth_dead_it_is_made_anew_without_them() {
    let count = FROM as i64 + 900;
    let mut vectors = filled(GraphKind::Own, count);
    all_linked(&mut vectors);
    let gone = |id: i64| id % 4 == 1;
    (0..count).filter(|id| gone(*id)).for_each(|id| vectors.remove(id));
    assert_eq!(vectors.dead(), (0..count).filter(|id| gone(*id)).count());
    vectors.work(Duration::ZERO);
    assert_eq!((vectors.dead(), vectors.count()), (0, (0..count).filter(|id| !gone(*id)).count()));
    let asked = noise(1 << 41, 16);
    assert_eq!(ids(&vectors, &asked, None, 10), truth(&asked, count, |id| !gone(id), 10));
}

#[test]
fn a_vector_of_another_length_is_left_out_and_finds_nothing() {
    let mut vectors = filled(GraphKind::Own, 10);
    vectors.put(3, 0, &[1.0, 0.0]);
    assert_eq!(vectors.count(), 9);
    assert_eq!(ids(&vectors, &[1.0, 0.0], None, 5), [] as [i64; 0]);
    assert_eq!(vectors.cosine(&noise(1, 16), &[0, 3]).iter().map(Option::is_some).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn many_equal_vectors_are_all_found() {
    let mut vectors = Vectors::new(4, GraphKind::Own);
    (0..900).for_each(|id| vectors.put(id, 0, &[0.5, 0.5, 0.5, 0.5]));
    assert_eq!(ids(&vectors, &[0.5, 0.5, 0.5, 0.5], None, 900).len(), 900);
}
