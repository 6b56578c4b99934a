//! A Tantivy index of one space's texts: BM25 over stems, with what matched.
//!
//! It is a cache: each commit carries the last change it has seen, and what is broken is made again from the database.

#![expect(clippy::disallowed_methods, reason = "index files are this module's own; user files are host's")]

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs,
    path::Path,
};

use parking_lot::Mutex;
use tantivy::{
    DocAddress, DocId, DocSet, Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, TERMINATED, TantivyDocument,
    Term,
    collector::TopDocs,
    columnar::Column,
    directory::MmapDirectory,
    query::{BooleanQuery, ConstScoreQuery, EnableScoring, Occur, Query, TermQuery, TermSetQuery},
    schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
    tokenizer::TextAnalyzer,
};

pub use super::made::Made;
use super::{
    best::Best,
    listed::unlisted,
    made::{Sealed, generations},
    words::{Split, words},
};
use satchel_model::{
    error::{Error, Result},
    index::Entry,
};

/// The name of our tokenizer in the schema. Where it cuts otherwise it gets another, and indexes are made again.
const TOKENIZER: &str = "words-2";
/// The memory the writer may hold before it writes; the least Tantivy takes is 15 MB.
const WRITER_BYTES: usize = 20_000_000;
/// Up to this many ids are looked up one by one; beyond it each hit is held against the set.
const FEW_IDS: usize = 2_000;
/// Tags are looked up where fewer than one entry in so many has one of them; else each hit is held against the set.
const FEW_SHARE: u64 = 8;
/// Most different words of a question that count.
const MOST_WORDS: usize = 64;

/// The words to look for, and among what.
#[derive(Debug, Clone, Copy)]
pub struct Lookup<'a> {
    /// The words.
    pub text: &'a str,
    /// Only these tags.
    pub tags: Option<&'a HashSet<i64>>,
    /// Only these entries.
    pub ids: Option<&'a HashSet<i64>>,
    /// Most results.
    pub limit: usize,
}

/// An entry that holds some of the words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The entry.
    pub id: i64,
    /// BM25, k1 = 1.2, b = 0.75.
    pub score: f32,
}

/// The texts of a space.
pub struct Text {
    index: Index,
    reader: IndexReader,
    /// Made at the first change, let go when idle: it has threads and memory of its own.
    writer: Mutex<Option<IndexWriter>>,
    fields: Fields,
}

#[derive(Clone, Copy)]
struct Fields {
    id: Field,
    tag: Field,
    words: Field,
}

impl Text {
    /// Opens what stands in a folder, or begins anew there; with what its last commit carried, `None` if there was
    /// none.
    ///
    /// # Errors
    ///
    /// If a file is damaged.
    pub fn open(folder: &Path) -> Result<(Self, Option<Made>)> {
        Self::open_in(&folder.join(generations(folder)?.last().unwrap_or(&0).to_string()))
    }

    /// Leaves what stands in a folder aside, in place of what was left aside before, and begins anew. Nothing that still
    /// reads or writes the old files reaches the new ones.
    pub fn begin_anew(folder: &Path) -> Result<(Self, Option<Made>)> {
        let generations = generations(folder)?;
        let next = generations.last().map_or(0, |last| last + 1);
        for old in generations.iter().rev().skip(1) {
            fs::remove_dir_all(folder.join(old.to_string())).map_err(Error::internal)?;
        }
        Self::open_in(&folder.join(next.to_string()))
    }

    fn open_in(dir: &Path) -> Result<(Self, Option<Made>)> {
        fs::create_dir_all(dir).map_err(Error::internal)?;
        let (schema, fields) = schema();
        let directory = MmapDirectory::open(dir).map_err(Error::internal)?;
        let index = Index::open_or_create(directory, schema).map_err(Error::internal)?;
        index.tokenizers().register(TOKENIZER, TextAnalyzer::from(Split));
        let damaged = index.validate_checksum().map_err(Error::internal)?;
        if !damaged.is_empty() {
            return Err(Error::internal(format!("the text index is damaged: {damaged:?}")));
        }
        if let Some(unlisted) = unlisted(&index)? {
            return Err(Error::internal(format!("the text index lacks {unlisted:?} in its list of files")));
        }
        let payload = index.load_metas().map_err(Error::internal)?.payload;
        let made = payload.map(|payload| Sealed::open(&payload)).transpose()?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(Error::internal)?;
        Ok((Self { index, reader, writer: Mutex::default(), fields }, made))
    }

    /// Puts an entry, in place of what it was. It is found after the next commit.
    pub fn put(&self, entry: &Entry) -> Result<()> {
        let Fields { id, tag, words } = self.fields;
        self.write(|writer| {
            writer.delete_term(Term::from_field_i64(id, entry.id));
            let mut document = TantivyDocument::new();
            document.add_i64(id, entry.id);
            document.add_i64(tag, entry.tag);
            document.add_text(words, format!("{}\n{}", entry.title, entry.text));
            writer.add_document(document).map(|_| ())
        })
    }

    /// Takes an entry away, with the next commit.
    pub fn remove(&self, entry: i64) -> Result<()> {
        self.write(|writer| {
            writer.delete_term(Term::from_field_i64(self.fields.id, entry));
            Ok(())
        })
    }

    /// Takes everything away, with the next commit.
    pub fn clear(&self) -> Result<()> {
        self.write(|writer| writer.delete_all_documents().map(|_| ()))
    }

    /// Writes everything to the disk and lets searches see it. It costs about 10 ms of processor time.
    pub fn commit(&self, made: &Made) -> Result<()> {
        let sealed = Sealed::seal(made)?;
        self.write(|writer| {
            let mut commit = writer.prepare_commit()?;
            commit.set_payload(&sealed);
            commit.commit().map(|_| ())
        })?;
        self.reader.reload().map_err(Error::internal)
    }

    /// Lets the writer's threads and memory go; the next change makes them again.
    pub fn rest(&self) -> Result<()> {
        match self.writer.lock().take() {
            Some(writer) => writer.wait_merging_threads().map_err(Error::internal),
            None => Ok(()),
        }
    }

    /// Returns the number of entries.
    pub fn count(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// The best entries, best first.
    pub fn search(&self, ask: &Lookup<'_>) -> Result<Vec<Hit>> {
        let stems = stems(ask.text);
        if stems.is_empty() || ask.limit == 0 {
            return Ok(Vec::new());
        }
        let searcher = self.reader.searcher();
        let few = ask.ids.filter(|ids| ids.len() <= FEW_IDS);
        let found = if few.is_some() || self.are_few(&searcher, ask.tags)? {
            let query = self.among(&stems, ask.tags, few);
            searcher.search(&query, &TopDocs::with_limit(ask.limit).order_by_score()).map_err(Error::internal)?
        } else {
            self.best(&searcher, &stems, ask)?
        };
        let mut hits = self.hits(&searcher, found)?;
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
        Ok(hits)
    }

    /// Returns whether so few entries have one of these tags that it is quicker to look at each of them.
    fn are_few(&self, searcher: &Searcher, tags: Option<&HashSet<i64>>) -> Result<bool> {
        let Some(tags) = tags else { return Ok(false) };
        let count = |tag: &i64| searcher.doc_freq(&Term::from_field_i64(self.fields.tag, *tag));
        let counts = tags.iter().map(count).sum::<tantivy::Result<u64>>().map_err(Error::internal)?;
        Ok(counts < searcher.num_docs() / FEW_SHARE)
    }

    /// The best among those wanted. Blocks of entries that cannot be among the best any more are passed over (Ding & Suel,
    /// "Faster top-k document retrieval using block-max indexes", 2011).
    fn best(
        &self,
        searcher: &Searcher,
        stems: &BTreeMap<String, String>,
        ask: &Lookup<'_>,
    ) -> Result<Vec<(f32, DocAddress)>> {
        let words = self.words(stems).weight(EnableScoring::enabled_from_searcher(searcher));
        let words = words.map_err(Error::internal)?;
        let mut best = Best::new(ask.limit);
        for (segment, reader) in (0..).zip(searcher.segment_readers()) {
            let columns = reader.fast_fields();
            let (ids, tags) = (columns.i64("id"), columns.i64("tag"));
            let (ids, tags) = (ids.map_err(Error::internal)?, tags.map_err(Error::internal)?);
            let among = |set: Option<&HashSet<i64>>, column: &Column<i64>, doc| {
                set.is_none_or(|set| column.first(doc).is_some_and(|number| set.contains(&number)))
            };
            let least = best.least();
            let mut show = |doc, score| {
                if !reader.is_deleted(doc) && among(ask.tags, &tags, doc) && among(ask.ids, &ids, doc) {
                    best.show(score, DocAddress::new(segment, doc));
                }
                best.least()
            };
            words.for_each_pruning(least, reader, &mut show).map_err(Error::internal)?;
        }
        Ok(best.into_vec())
    }

    /// Returns the scores of these entries, of those that hold any of the words.
    pub fn score(&self, text: &str, ids: &HashSet<i64>) -> Result<HashMap<i64, f32>> {
        let stems = stems(text);
        let searcher = self.reader.searcher();
        let ids: Vec<i64> = ids.iter().copied().collect();
        let places = self.places(&searcher, &ids)?;
        let mut scores = HashMap::new();
        // Word by word, from one entry to the next: a union of the words would read all that lies between.
        for stem in stems.keys() {
            let word = self.word(stem).weight(EnableScoring::enabled_from_searcher(&searcher));
            let word = word.map_err(Error::internal)?;
            for (segment, reader) in (0..).zip(searcher.segment_readers()) {
                let mut scorer = word.scorer(reader, 1.0).map_err(Error::internal)?;
                for ((_, doc), id) in places.range((segment, 0)..(segment + 1, 0)) {
                    if scorer.doc() <= *doc && scorer.seek(*doc) == *doc {
                        *scores.entry(*id).or_default() += scorer.score();
                    }
                }
            }
        }
        Ok(scores)
    }

    /// Returns the words of the question that each of these entries holds, as they were asked.
    pub fn terms(&self, text: &str, ids: &[i64]) -> Result<HashMap<i64, Vec<String>>> {
        let searcher = self.reader.searcher();
        let places = self.places(&searcher, ids)?;
        let mut terms: HashMap<i64, Vec<String>> = HashMap::new();
        for (stem, word) in stems(text) {
            let term = Term::from_field_text(self.fields.words, &stem);
            for (segment, reader) in (0..).zip(searcher.segment_readers()) {
                let list = reader.inverted_index(self.fields.words).map_err(Error::internal)?;
                let postings = list.read_postings(&term, IndexRecordOption::Basic).map_err(Error::internal)?;
                let Some(mut postings) = postings else { continue };
                for ((_, doc), id) in places.range((segment, 0)..(segment + 1, 0)) {
                    if postings.doc() <= *doc && postings.seek(*doc) == *doc {
                        terms.entry(*id).or_default().push(word.clone());
                    }
                }
            }
        }
        Ok(terms)
    }

    /// Returns the places of entries, in the order of the index.
    fn places(&self, searcher: &Searcher, ids: &[i64]) -> Result<BTreeMap<(u32, DocId), i64>> {
        let mut places = BTreeMap::new();
        for (segment, reader) in (0..).zip(searcher.segment_readers()) {
            let list = reader.inverted_index(self.fields.id).map_err(Error::internal)?;
            for id in ids {
                let term = Term::from_field_i64(self.fields.id, *id);
                let postings = list.read_postings(&term, IndexRecordOption::Basic).map_err(Error::internal)?;
                let Some(mut postings) = postings else { continue };
                while postings.doc() != TERMINATED {
                    if !reader.is_deleted(postings.doc()) {
                        places.insert((segment, postings.doc()), *id);
                    }
                    postings.advance();
                }
            }
        }
        Ok(places)
    }

    fn word(&self, stem: &str) -> Box<dyn Query> {
        let term = Term::from_field_text(self.fields.words, stem);
        Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
    }

    /// Any of the words.
    fn words(&self, stems: &BTreeMap<String, String>) -> Box<dyn Query> {
        // Alone, a word passes over blocks too; as the only part of a union it would not.
        match stems.keys().next().filter(|_| stems.len() == 1) {
            Some(stem) => self.word(stem),
            None => Box::new(BooleanQuery::union(stems.keys().map(|stem| self.word(stem)).collect())),
        }
    }

    /// Any of the words, in an entry with one of the tags and one of the ids.
    fn among(
        &self,
        stems: &BTreeMap<String, String>,
        tags: Option<&HashSet<i64>>,
        ids: Option<&HashSet<i64>>,
    ) -> BooleanQuery {
        let mut parts: Vec<(Occur, Box<dyn Query>)> = vec![(Occur::Must, self.words(stems))];
        for (field, among) in [(self.fields.tag, tags), (self.fields.id, ids)] {
            if let Some(among) = among {
                let set = TermSetQuery::new(among.iter().map(|number| Term::from_field_i64(field, *number)));
                parts.push((Occur::Must, Box::new(ConstScoreQuery::new(Box::new(set), 0.0))));
            }
        }
        BooleanQuery::new(parts)
    }

    fn hits(&self, searcher: &Searcher, found: Vec<(f32, DocAddress)>) -> Result<Vec<Hit>> {
        let mut columns = HashMap::new();
        let mut hits = Vec::with_capacity(found.len());
        for (score, at) in found {
            let column = match columns.entry(at.segment_ord) {
                std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::hash_map::Entry::Vacant(new) => {
                    let reader = searcher.segment_reader(at.segment_ord);
                    new.insert(reader.fast_fields().i64("id").map_err(Error::internal)?)
                }
            };
            hits.extend(column.first(at.doc_id).map(|id| Hit { id, score }));
        }
        Ok(hits)
    }

    fn write<T>(&self, work: impl FnOnce(&mut IndexWriter) -> tantivy::Result<T>) -> Result<T> {
        let mut held = self.writer.lock();
        let writer = match &mut *held {
            Some(writer) => writer,
            none => none.insert(self.index.writer_with_num_threads(1, WRITER_BYTES).map_err(Error::internal)?),
        };
        let done = work(writer).map_err(Error::internal);
        if done.is_err() {
            // A writer that has failed stays failed.
            *held = None;
        }
        done
    }
}

/// The different stems of a question, each with the word it was made from.
fn stems(text: &str) -> BTreeMap<String, String> {
    let mut stems = BTreeMap::new();
    for word in words(text) {
        if stems.len() == MOST_WORDS {
            break;
        }
        let asked = text.get(word.at).unwrap_or_default().to_lowercase();
        stems.entry(word.stem).or_insert(asked);
    }
    stems
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    // Without positions: no phrase is asked for, and they are half of the index.
    let words = TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(IndexRecordOption::WithFreqs);
    let fields = Fields {
        id: schema.add_i64_field("id", FAST | INDEXED),
        tag: schema.add_i64_field("tag", FAST | INDEXED),
        words: schema.add_text_field("words", TextOptions::default().set_indexing_options(words)),
    };
    (schema.build(), fields)
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
