//! The indexes beside a real database: what is written is found, what is gone is not, what breaks is made again.

#![expect(clippy::disallowed_methods, reason = "breaks the files of an index")]

use std::{collections::HashSet, fs, path::PathBuf};

use super::*;
use satchel_model::time::Time;
use satchel_store::{
    db::Commit,
    entries::{self, Put},
};

struct House {
    dir: tempfile::TempDir,
    db: Db,
    indexes: Indexing,
    tracker: TaskTracker,
    shutdown: CancellationToken,
}

impl House {
    fn open(dir: tempfile::TempDir) -> Self {
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let indexes = Indexing::open(&db, dir.path(), GraphKind::Own);
        indexes.use_model(Some("m".to_owned()));
        let (tracker, shutdown) = (TaskTracker::new(), CancellationToken::new());
        indexes.start(&tracker, &shutdown);
        Self { dir, db, indexes, tracker, shutdown }
    }

    async fn fruit() -> Self {
        let house = Self::open(tempfile::tempdir().unwrap());
        house.put("a", "a red apple", [1.0, 0.0]).await;
        house.put("b", "green pears", [0.0, 1.0]).await;
        house.put("c", "an apple and a pear", [0.6, 0.8]).await;
        house.indexes.settled().await.unwrap();
        house
    }

    /// Ends it as a process ends.
    async fn close(self) -> tempfile::TempDir {
        self.shutdown.cancel();
        self.tracker.close();
        self.tracker.wait().await;
        self.dir
    }

    async fn put(&self, name: &str, text: &str, vector: [f32; 2]) {
        let (name, text) = (name.to_owned(), Some(text.to_owned()));
        let vector = Some(("m".to_owned(), vector.to_vec()));
        let put = Put { name, text, vector, ..Put::default() };
        self.db.write(move |tx| entries::put(tx, &put, None, Time::from_millis(0))).await.unwrap();
    }

    async fn remove(&self, name: &'static str) {
        assert!(self.db.write(move |tx| entries::remove(tx, name)).await.unwrap());
    }

    async fn found(&self, text: &str, vector: Option<&[f32]>) -> Vec<i64> {
        let ask = Ask { text, vector, limit: 9, ..Ask::default() };
        self.indexes.search(Space::Entries, &ask).await.unwrap().into_iter().map(|found| found.id).collect()
    }

    /// Returns the results of a search by words, one by meaning and one by both.
    async fn all_ways(&self) -> [Vec<i64>; 3] {
        let near = Some(&[0.0, 1.0][..]);
        [self.found("apples", None).await, self.found("", near).await, self.found("apples", near).await]
    }
}

const FRUIT: [&[i64]; 3] = [&[1, 3], &[2, 3, 1], &[3, 2, 1]];

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files
}

#[tokio::test]
async fn what_is_written_is_found_by_word_and_meaning() {
    let house = House::fruit().await;
    assert_eq!(house.all_ways().await, FRUIT);
    let tags = HashSet::from([5]);
    let ask = Ask { text: "apple", tags: Some(&tags), limit: 9, ..Ask::default() };
    assert_eq!(house.indexes.search(Space::Entries, &ask).await.unwrap(), []);
    let ids = HashSet::from([3]);
    let ask = Ask { text: "red apple", ids: Some(&ids), limit: 9, ..Ask::default() };
    let found = house.indexes.search(Space::Entries, &ask).await.unwrap();
    assert_eq!(
        found.iter().map(|found| (found.id, found.terms.clone())).collect::<Vec<_>>(),
        [(3, vec!["apple".into()])]
    );
}

#[tokio::test]
async fn what_is_removed_is_not_found_even_before_the_indexes_know() {
    let house = House::fruit().await;
    house.remove("b").await;
    assert_eq!(house.all_ways().await, [vec![1, 3], vec![3, 1], vec![3, 1]]);
    house.put("b", "a pear again", [0.0, 1.0]).await;
    house.indexes.settled().await.unwrap();
    assert_eq!(house.found("pear", None).await, [4, 3]);
}

#[tokio::test]
async fn a_start_goes_on_where_the_indexes_were() {
    let dir = House::fruit().await.close().await;
    let house = House::open(dir);
    house.indexes.settled().await.unwrap();
    assert_eq!(house.all_ways().await, FRUIT);
    let pending = house.db.read(|tx| outbox::pending(tx, Space::Entries, 0)).await.unwrap();
    assert_eq!(pending, 0, "what every index has on the disk is trimmed");
}

#[tokio::test]
async fn what_was_written_while_the_indexes_were_away_is_found() {
    let dir = House::fruit().await.close().await;
    let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
    db.write(|tx| entries::remove(tx, "a")).await.unwrap();
    drop(db);
    let house = House::open(dir);
    house.indexes.settled().await.unwrap();
    assert_eq!(house.all_ways().await, [vec![3], vec![2, 3], vec![2, 3]]);
}

#[tokio::test]
async fn any_file_cut_changed_or_deleted_is_made_again() {
    let mut dir = House::fruit().await.close().await;
    let kinds = files(&dir.path().join(FOLDER).join("entries")).len();
    assert!(kinds >= 8, "{kinds}");
    type Damage = (&'static str, fn(&Path));
    let damages: [Damage; 3] = [
        ("cut", |path| fs::write(path, &fs::read(path).unwrap()[..fs::read(path).unwrap().len() / 2]).unwrap()),
        ("changed", |path| {
            let mut bytes = fs::read(path).unwrap();
            let middle = bytes.len() / 2;
            if let Some(byte) = bytes.get_mut(middle) {
                *byte ^= 0x04;
            }
            fs::write(path, bytes).unwrap();
        }),
        ("deleted", |path| fs::remove_file(path).unwrap()),
    ];
    for (how, damage) in damages {
        for number in 0..kinds {
            let all = files(&dir.path().join(FOLDER).join("entries"));
            let Some(path) = all.into_iter().filter(|path| !path.to_string_lossy().contains("broken")).nth(number)
            else {
                break;
            };
            damage(&path);
            let house = House::open(dir);
            house.indexes.settled().await.unwrap();
            assert_eq!(house.all_ways().await, FRUIT, "{how} {}", path.display());
            dir = house.close().await;
        }
    }
}

#[tokio::test]
async fn an_index_older_than_the_changes_that_are_left_is_not_believed() {
    let dir = House::fruit().await.close().await;
    let (indexes, old) = (dir.path().join(FOLDER), dir.path().join("old"));
    fs::rename(&indexes, &old).unwrap();
    let house = House::open(dir);
    house.remove("a").await;
    house.indexes.settled().await.unwrap();
    let dir = house.close().await;
    fs::remove_dir_all(&indexes).unwrap();
    fs::rename(&old, &indexes).unwrap();
    let house = House::open(dir);
    house.indexes.settled().await.unwrap();
    assert_eq!(house.all_ways().await, [vec![3], vec![2, 3], vec![2, 3]]);
}

#[tokio::test]
async fn an_index_of_another_database_is_not_believed() {
    let dir = House::fruit().await.close().await;
    let other = House::open(tempfile::tempdir().unwrap());
    other.put("x", "plums", [1.0, 0.0]).await;
    other.indexes.settled().await.unwrap();
    let other = other.close().await;
    fs::remove_dir_all(other.path().join(FOLDER)).unwrap();
    fs::rename(dir.path().join(FOLDER), other.path().join(FOLDER)).unwrap();
    let house = House::open(other);
    house.indexes.settled().await.unwrap();
    assert_eq!((house.found("plum", None).await, house.found("apple", None).await), (vec![1], vec![]));
}

#[tokio::test]
async fn a_rebuild_finds_the_same() {
    let house = House::fruit().await;
    house.indexes.rebuild(Space::Entries).unwrap();
    house.put("d", "plums", [-1.0, 0.0]).await;
    house.indexes.settled().await.unwrap();
    assert_eq!((house.found("apples", None).await, house.found("plum", None).await), (vec![1, 3], vec![4]));
}

#[tokio::test]
async fn another_model_searches_by_its_own_vectors() {
    let house = House::fruit().await;
    house
        .db
        .write(|tx| {
            satchel_store::vectors::put(tx, "n", &satchel_store::vectors::hash("green pears"), &[0.0, 0.0, 1.0])
        })
        .await
        .unwrap();
    house.indexes.use_model(Some("n".to_owned()));
    house.indexes.model_in_use().await.unwrap();
    assert_eq!(house.found("", Some(&[0.0, 0.6, 0.8])).await, [2]);
    house.indexes.use_model(None);
    house.indexes.model_in_use().await.unwrap();
    assert_eq!(
        (house.found("apples", None).await, house.found("", Some(&[0.0, 0.6, 0.8])).await),
        (vec![1, 3], vec![])
    );
}
