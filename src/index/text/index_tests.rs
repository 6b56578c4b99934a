//! The promises of a search by words.

#![expect(clippy::disallowed_methods, reason = "the tests damage files")]

use std::fs;

use super::*;

fn made(seq: i64) -> Made {
    Made { origin: "o".to_owned(), seq }
}

fn entry(id: i64, tag: i64, text: &str) -> Entry {
    Entry { id, tag, title: format!("Part {id}"), text: text.to_owned(), hash: None }
}

fn fruit(dir: &Path) -> Text {
    let (text, before) = Text::open(dir).unwrap();
    assert_eq!(before, None);
    for (id, words) in [(1, "red apples and pears"), (2, "an apple a day"), (3, "getUserName reads the users")] {
        text.put(&entry(id, id % 2, words)).unwrap();
    }
    text.commit(&made(9)).unwrap();
    text
}

fn ids(text: &Text, asked: &str) -> Vec<i64> {
    let hits = text.search(&Lookup { text: asked, tags: None, ids: None, limit: 9 }).unwrap();
    hits.into_iter().map(|hit| hit.id).collect()
}

#[test]
fn words_are_found_in_any_form_the_rarest_first() {
    let dir = tempfile::tempdir().unwrap();
    let text = fruit(dir.path());
    assert_eq!(ids(&text, "Apple"), [2, 1]);
    assert_eq!(ids(&text, "pear or apple"), [1, 2]);
    assert_eq!(ids(&text, "user_name"), [3]);
    assert_eq!(ids(&text, "the of and"), [] as [i64; 0]);
    assert_eq!(ids(&text, "+\"( AND :"), [] as [i64; 0]);
}

#[test]
fn filters_leave_only_what_they_name() {
    let dir = tempfile::tempdir().unwrap();
    let text = fruit(dir.path());
    let (tags, some) = (HashSet::from([1]), HashSet::from([2, 3]));
    let many: HashSet<i64> = (2..2 + 2 * FEW_IDS as i64).collect();
    let ask = |tags, ids| {
        let hits = text.search(&Lookup { text: "apple users", tags, ids, limit: 9 }).unwrap();
        hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>()
    };
    assert_eq!(ask(Some(&tags), None), [3, 1]);
    assert_eq!(ask(None, Some(&some)), [3, 2]);
    assert_eq!(ask(Some(&tags), Some(&some)), [3]);
    assert_eq!(ask(None, Some(&many)), [3, 2]);
}

#[test]
fn a_filter_does_not_change_a_score() {
    let dir = tempfile::tempdir().unwrap();
    let text = fruit(dir.path());
    let all = text.search(&Lookup { text: "red apple", tags: None, ids: None, limit: 9 }).unwrap();
    let all: HashMap<i64, f32> = all.into_iter().map(|hit| (hit.id, hit.score)).collect();
    assert_eq!(text.score("red apple", &HashSet::from([1, 2, 3])).unwrap(), all);
}

#[test]
fn what_is_passed_over_is_not_among_the_best() {
    let dir = tempfile::tempdir().unwrap();
    let text = Text::open(dir.path()).unwrap().0;
    let words =
        |id: i64| (1..40).filter(|n| (id * 7_919) % (n * n + 3) < 2).map(|n| format!("w{n}x ")).collect::<String>();
    for half in [0..4_000, 4_000..8_000] {
        half.for_each(|id| text.put(&entry(id, id % 20, &words(id))).unwrap());
        text.commit(&made(1)).unwrap();
    }
    (0..8_000).step_by(3).for_each(|id| text.remove(id).unwrap());
    text.commit(&made(2)).unwrap();
    let (one, most): (HashSet<i64>, HashSet<i64>) = (HashSet::from([7]), (0..19).collect());
    let ids: HashSet<i64> = (1_000..7_000).collect();
    for asked in ["w1x w5x w9x w30x", "w7x", "w2x w3x w31x w33x w35x"] {
        for (tags, ids) in
            [(None, None), (Some(&one), None), (Some(&most), None), (None, Some(&ids)), (Some(&most), Some(&ids))]
        {
            let wanted =
                |id: &i64| tags.is_none_or(|tags| tags.contains(&(id % 20))) && ids.is_none_or(|ids| ids.contains(id));
            let all = text.score(asked, &(0..8_000).filter(wanted).collect()).unwrap();
            let mut scores: Vec<f32> = all.values().copied().collect();
            scores.sort_by(|a, b| b.total_cmp(a));
            let found = text.search(&Lookup { text: asked, tags, ids, limit: 20 }).unwrap();
            assert_eq!(found.len(), 20.min(scores.len()));
            for (hit, score) in found.iter().zip(scores) {
                assert!(
                    (hit.score - score).abs() < 1e-3 && (all[&hit.id] - score).abs() < 1e-3,
                    "{asked}: {hit:?}, {score}"
                );
            }
        }
    }
}

#[test]
fn entries_far_apart_score_as_in_a_search() {
    let dir = tempfile::tempdir().unwrap();
    let text = Text::open(dir.path()).unwrap().0;
    let words =
        |id: i64| format!("{} {}", "apple ".repeat(1 + id as usize % 5), if id % 3 == 0 { "pear" } else { "plum" });
    (0..9_000).for_each(|id| text.put(&entry(id, 0, &words(id))).unwrap());
    text.commit(&made(1)).unwrap();
    let all = text.search(&Lookup { text: "apple pear", tags: None, ids: None, limit: 9_000 }).unwrap();
    let all: HashMap<i64, f32> = all.into_iter().map(|hit| (hit.id, hit.score)).collect();
    let some = HashSet::from([1, 2, 4_500, 8_998, 8_999, 70_000]);
    let scores = text.score("apple pear", &some).unwrap();
    assert_eq!(scores.len(), 5);
    assert!(scores.iter().all(|(id, score)| (score - all[id]).abs() < 1e-4), "{scores:?}");
    assert_eq!(text.score("plum", &HashSet::from([3, 4])).unwrap().into_keys().collect::<Vec<_>>(), [4]);
}

#[test]
fn it_says_which_words_matched() {
    let dir = tempfile::tempdir().unwrap();
    let text = fruit(dir.path());
    let terms = text.terms("Red apples, users", &[1, 2, 3]).unwrap();
    let of = |id| terms[&id].join(" ");
    assert_eq!((of(1), of(2), of(3)), ("apples red".into(), "apples".into(), "users".into()));
}

#[test]
fn what_was_removed_or_replaced_is_not_found() {
    let dir = tempfile::tempdir().unwrap();
    let text = fruit(dir.path());
    text.remove(2).unwrap();
    text.put(&entry(1, 1, "plums")).unwrap();
    text.commit(&made(10)).unwrap();
    assert_eq!((ids(&text, "apple"), ids(&text, "plum"), text.count()), (vec![], vec![1], 2));
}

#[test]
fn it_opens_again_with_what_the_last_commit_carried() {
    let dir = tempfile::tempdir().unwrap();
    let text = fruit(dir.path());
    text.put(&entry(4, 0, "never committed")).unwrap();
    drop(text);
    let (text, before) = Text::open(dir.path()).unwrap();
    assert_eq!((before, ids(&text, "apple"), ids(&text, "committed")), (Some(made(9)), vec![2, 1], vec![]));
}

#[test]
fn a_damaged_file_is_seen_when_it_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    fruit(dir.path()).rest().unwrap();
    let segment = |path: &Path| path.extension().is_some_and(|kind| kind != "json" && kind != "lock");
    let files: Vec<_> = fs::read_dir(dir.path().join("0")).unwrap().map(|file| file.unwrap().path()).collect();
    let files: Vec<_> = files.into_iter().filter(|path| segment(path)).collect();
    assert!(files.len() >= 4, "{files:?}");
    let list = dir.path().join("0/.managed.json");
    let good = fs::read_to_string(&list).unwrap();
    for path in &files {
        let name = path.file_name().unwrap().to_str().unwrap();
        fs::write(&list, good.replace(name, &format!("x{name}"))).unwrap();
        assert!(Text::open(dir.path()).is_err(), "not listed {path:?}");
    }
    fs::write(&list, good).unwrap();
    for path in files {
        let good = fs::read(&path).unwrap();
        let mut bad = good.clone();
        bad[good.len() / 3] ^= 1;
        fs::write(&path, bad).unwrap();
        assert!(Text::open(dir.path()).is_err(), "changed {path:?}");
        fs::write(&path, &good[..good.len() / 2]).unwrap();
        assert!(Text::open(dir.path()).is_err(), "cut {path:?}");
        fs::remove_file(&path).unwrap();
        assert!(Text::open(dir.path()).is_err(), "deleted {path:?}");
        fs::write(&path, good).unwrap();
    }
    assert!(Text::open(dir.path()).is_ok());
}
