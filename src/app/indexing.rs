//! Search by word and meaning over what the database holds.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use parking_lot::RwLock;
use rusqlite::Connection;

use crate::{
    model::{
        error::Result,
        index::{Ask, Entry, Found, Space},
        words,
    },
    store::{db::Db, outbox, vectors},
};

/// Entries read at a time.
const PAGE: u32 = 500;
/// Robertson and Zaragoza's k1 and b.
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// What meaning and words weigh.
const MEANING: f32 = 0.6;

/// The indexes of every space. Cheap to clone.
#[derive(Clone)]
pub struct Indexing {
    db: Db,
    model: Arc<RwLock<Option<String>>>,
}

/// A question of its own, to be asked on another thread.
struct Question {
    words: BTreeSet<String>,
    vector: Option<Vec<f32>>,
    tags: Option<HashSet<i64>>,
    ids: Option<HashSet<i64>>,
}

impl Indexing {
    /// The indexes of this database.
    pub fn open(db: &Db) -> Self {
        Self { db: db.clone(), model: Arc::default() }
    }

    /// Which model's vectors are searched; none searches by words alone.
    pub fn use_model(&self, model: Option<String>) {
        *self.model.write() = model;
    }

    /// The best entries of a space, best first. An entry that is gone is never among them.
    pub async fn search(&self, space: Space, ask: &Ask<'_>) -> Result<Vec<Found>> {
        let question = Question {
            words: words::topics(ask.text),
            vector: ask.vector.map(<[f32]>::to_vec),
            tags: ask.tags.cloned(),
            ids: ask.ids.cloned(),
        };
        let (limit, model) = (ask.limit, self.model.read().clone());
        self.db.read(move |c| best(c, space, &question, model.as_deref(), limit)).await
    }

    /// Waits until what was written before is found.
    pub async fn settled(&self) -> Result<()> {
        Ok(())
    }
}

fn best(c: &Connection, space: Space, ask: &Question, model: Option<&str>, limit: usize) -> Result<Vec<Found>> {
    let entries = entries(c, space, ask)?;
    let mut found = scored(&entries, &ask.words);
    if let (Some(asked), Some(model)) = (&ask.vector, model) {
        for (found, (entry, _)) in found.iter_mut().zip(&entries) {
            let own = entry.hash.map(|hash| vectors::get(c, model, &hash)).transpose()?.flatten();
            found.cosine = own.map(|own| own.iter().zip(asked).map(|(a, b)| a * b).sum());
        }
    }
    fuse(&mut found, ask.vector.is_some());
    found.retain(|found| found.score > 0.0);
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    found.truncate(limit);
    Ok(found)
}

fn entries(c: &Connection, space: Space, ask: &Question) -> Result<Vec<(Entry, Vec<String>)>> {
    let mut entries = Vec::new();
    let mut after = 0;
    loop {
        let page = outbox::entries_after(c, space, after, PAGE)?;
        let Some(last) = page.last() else { return Ok(entries) };
        after = last.id;
        let wanted = page.into_iter().filter(|entry| {
            ask.tags.as_ref().is_none_or(|tags| tags.contains(&entry.tag))
                && ask.ids.as_ref().is_none_or(|ids| ids.contains(&entry.id))
        });
        entries.extend(wanted.map(|entry| {
            let words = words::topics(&format!("{} {}", entry.title, entry.text));
            (entry, words.into_iter().collect())
        }));
    }
}

fn scored(entries: &[(Entry, Vec<String>)], asked: &BTreeSet<String>) -> Vec<Found> {
    let count = entries.len() as f32;
    let mean = entries.iter().map(|(_, words)| words.len() as f32).sum::<f32>() / count.max(1.0);
    let mut found: Vec<Found> = entries.iter().map(|(entry, _)| Found { id: entry.id, ..Found::default() }).collect();
    for word in asked {
        let holding: Vec<bool> = entries.iter().map(|(_, words)| words.binary_search(word).is_ok()).collect();
        let holders = holding.iter().filter(|holds| **holds).count() as f32;
        let rarity = (1.0 + (count - holders + 0.5) / (holders + 0.5)).ln();
        for ((found, (_, words)), _) in found.iter_mut().zip(entries).zip(&holding).filter(|(_, holds)| **holds) {
            let norm = K1 * (1.0 - B + B * words.len() as f32 / mean.max(1.0));
            *found.bm25.get_or_insert(0.0) += rarity * (K1 + 1.0) / (1.0 + norm);
            found.terms.push(word.clone());
        }
    }
    found
}

fn fuse(found: &mut [Found], meaning: bool) {
    let range = |of: fn(&Found) -> Option<f32>, found: &[Found]| {
        let (low, high) = found.iter().filter_map(of).fold((f32::MAX, f32::MIN), |(l, h), x| (l.min(x), h.max(x)));
        move |x: f32| if high > low { (x - low) / (high - low) } else { 1.0 }
    };
    let cosine = range(|found| found.cosine, found);
    let most = found.iter().filter_map(|found| found.bm25).fold(0.0, f32::max);
    for found in found {
        let words = found.bm25.map_or(0.0, |bm25| bm25 / most);
        let near = found.cosine.map_or(0.0, cosine);
        found.score = if meaning { MEANING * near + (1.0 - MEANING) * words } else { words };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::time::Time,
        store::{db::Commit, entries},
    };

    #[tokio::test]
    async fn the_nearest_in_words_and_meaning_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        db.write(|c| {
            for (name, text, vector) in [("a", "a red apple", [1.0, 0.0]), ("b", "green pears", [0.0, 1.0])] {
                let vector = Some(("m".to_owned(), vector.to_vec()));
                let put = entries::Put { name: name.into(), text: Some(text.into()), vector, ..Default::default() };
                entries::put(c, &put, None, Time::from_millis(0))?;
            }
            Ok(())
        })
        .await
        .unwrap();
        let indexes = Indexing::open(&db);
        indexes.use_model(Some("m".to_owned()));
        let ids = async |text, vector| {
            let ask = Ask { text, vector, limit: 5, ..Ask::default() };
            let found = indexes.search(Space::Entries, &ask).await.unwrap();
            found.into_iter().map(|found| found.id).collect::<Vec<_>>()
        };
        assert_eq!(ids("apples", None).await, [1]);
        assert_eq!(ids("", Some(&[0.0, 1.0][..])).await, [2]);
        assert_eq!(ids("pear", Some(&[0.1, 0.9][..])).await, [2]);
        db.write(|c| entries::remove(c, "b")).await.unwrap();
        assert_eq!(ids("pear", None).await, [] as [i64; 0]);
    }
}
