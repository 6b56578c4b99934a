//! One search: candidates by words and by meaning, one order, and a last look at what changed meanwhile.

use std::{
    collections::{HashMap, HashSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use tokio::sync::oneshot;

use super::{
    fuse::{Side, fuse},
    shelf::{Seen, Shelf},
};
use satchel_index::{
    text::index::{Lookup, Text},
    vectors::index::Nearest,
};
use satchel_model::{
    error::{Error, Result},
    index::{Ask, Found},
};
use satchel_store::{outbox, sql::Tx};

/// Candidates each side names at least.
const CANDIDATES: usize = 100;
/// Results more than asked for, in place of those that turn out to be gone.
const SPARE: usize = 10;

/// A question, to be asked on other threads.
struct Question {
    text: String,
    vector: Option<Vec<f32>>,
    tags: Option<HashSet<i64>>,
    ids: Option<HashSet<i64>>,
    limit: usize,
}

impl Question {
    fn new(ask: &Ask<'_>) -> Self {
        Self {
            text: ask.text.to_owned(),
            vector: ask.vector.map(<[f32]>::to_vec),
            tags: ask.tags.cloned(),
            ids: ask.ids.cloned(),
            limit: ask.limit,
        }
    }

    fn has_words(&self) -> bool {
        !self.text.trim().is_empty()
    }

    /// Returns the number of candidates each side names.
    fn candidates(&self) -> usize {
        CANDIDATES.max(self.limit + SPARE)
    }

    fn wants(&self, id: i64, tag: i64) -> bool {
        self.tags.as_ref().is_none_or(|tags| tags.contains(&tag))
            && self.ids.as_ref().is_none_or(|ids| ids.contains(&id))
    }
}

/// A search under way.
pub(super) struct Search {
    shelf: Arc<Shelf>,
    ask: Arc<Question>,
    /// The changes the indexes had seen when it began: what changes after this is looked up.
    seen: Seen,
    /// The nearest in meaning, sought on a thread of its own while words are.
    nearest: Option<oneshot::Receiver<Option<Side>>>,
}

impl Search {
    pub(super) fn begin(shelf: &Arc<Shelf>, ask: &Ask<'_>) -> Self {
        let (shelf, ask) = (Arc::clone(shelf), Arc::new(Question::new(ask)));
        let seen = shelf.seen.borrow().clone();
        let nearest = (ask.has_words() && ask.vector.is_some()).then(|| {
            let (tell, nearest) = oneshot::channel();
            let (shelf, ask) = (Arc::clone(&shelf), Arc::clone(&ask));
            tokio::task::spawn_blocking(move || tell.send(by_meaning(&shelf, &ask)));
            nearest
        });
        Self { shelf, ask, seen, nearest }
    }

    /// Does the rest, on a thread that may wait.
    pub(super) fn finish(self, tx: &Tx) -> Result<Vec<Found>> {
        let Self { shelf, ask, seen, nearest } = self;
        let by_words = ask.has_words().then(|| shelf.text.read().clone()).flatten();
        let mut words = match &by_words {
            Some(text) => by_text(&shelf, text, &ask)?,
            None => None,
        };
        let mut meaning = match nearest {
            Some(nearest) => nearest.blocking_recv().map_err(Error::internal)?,
            None => by_meaning(&shelf, &ask),
        };
        if let (Some(words), Some(meaning), Some(text)) = (&mut words, &mut meaning, &by_words) {
            complete(&shelf, text, &ask, (words, meaning))?;
        }
        let mut found = fuse(words.as_ref(), meaning.as_ref());
        found.truncate(ask.limit + SPARE);
        let since = if meaning.is_some() { seen.text.min(seen.vectors) } else { seen.text };
        drop_stale(tx, &shelf, &ask, since, &mut found)?;
        found.truncate(ask.limit);
        if let Some(text) = &by_words {
            name_terms(&shelf, text, &ask.text, &mut found)?;
        }
        Ok(found)
    }
}

/// The best by words; `None` if the index cannot be read, which is then made again.
fn by_text(shelf: &Shelf, text: &Arc<Text>, ask: &Question) -> Result<Option<Side>> {
    let (tags, ids) = (ask.tags.as_ref(), ask.ids.as_ref());
    let lookup = Lookup { text: &ask.text, tags, ids, limit: ask.candidates() };
    let hits = contained(shelf, || text.search(&lookup))?;
    Ok(hits.map(|hits| Side {
        ranked: hits.into_iter().map(|hit| (hit.id, hit.score)).collect(),
        further: HashMap::new(),
    }))
}

fn by_meaning(shelf: &Shelf, ask: &Question) -> Option<Side> {
    let vector = ask.vector.as_deref()?;
    let meaning = shelf.meaning.read();
    let (tags, ids) = (ask.tags.as_ref(), ask.ids.as_ref());
    let nearest = Nearest { vector, tags, ids, limit: ask.candidates() };
    let ranked = meaning.as_ref()?.vectors.nearest(&nearest);
    Some(Side { ranked, further: HashMap::new() })
}

/// Asks each side of what only the other named.
fn complete(shelf: &Shelf, text: &Text, ask: &Question, (words, meaning): (&mut Side, &mut Side)) -> Result<()> {
    let named = |side: &Side| side.ranked.iter().map(|(id, _)| *id).collect::<HashSet<i64>>();
    let (by_words, by_meaning) = (named(words), named(meaning));
    let only_near: HashSet<i64> = by_meaning.difference(&by_words).copied().collect();
    if !only_near.is_empty() && !words.ranked.is_empty() {
        words.further = contained(shelf, || text.score(&ask.text, &only_near))?.unwrap_or_default();
    }
    let only_words: Vec<i64> = by_words.difference(&by_meaning).copied().collect();
    if let (Some(vector), Some(own)) = (&ask.vector, &*shelf.meaning.read()) {
        let cosines = own.vectors.cosine(vector, &only_words);
        meaning.further = only_words.into_iter().zip(cosines).filter_map(|(id, cosine)| Some((id, cosine?))).collect();
    }
    Ok(())
}

/// Leaves out what the database no longer has, or no longer where it was asked for.
fn drop_stale(tx: &Tx, shelf: &Shelf, ask: &Question, since: i64, found: &mut Vec<Found>) -> Result<()> {
    let ids = found.iter().map(|found| found.id).collect();
    let mut gone = HashSet::new();
    for id in outbox::changed_since(tx, shelf.space, since, &ids)? {
        let entry = outbox::entry(tx, shelf.space, id)?;
        if !entry.is_some_and(|entry| ask.wants(id, entry.tag)) {
            gone.insert(id);
        }
    }
    found.retain(|found| !gone.contains(&found.id));
    Ok(())
}

fn name_terms(shelf: &Shelf, text: &Text, asked: &str, found: &mut [Found]) -> Result<()> {
    let ids: Vec<i64> = found.iter().filter(|found| found.bm25.is_some()).map(|found| found.id).collect();
    let mut terms = contained(shelf, || text.terms(asked, &ids))?.unwrap_or_default();
    for found in found {
        found.terms = terms.remove(&found.id).unwrap_or_default();
    }
    Ok(())
}

/// Runs a read of the text index. Files damaged under a running process show themselves as errors or panics; either
/// way the index is made again, and the search answers with what else there is.
fn contained<T>(shelf: &Shelf, read: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
    let failed = match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(read)) => return Ok(Some(read)),
        Ok(Err(error)) => error,
        Err(_) => Error::internal("the text index could not be read"),
    };
    tracing::error!(space = %shelf.space, ?failed, "the text index is damaged: it is made again from the database");
    shelf.doubt_text();
    Ok(None)
}
