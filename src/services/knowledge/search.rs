//! The search itself: by words and meaning at once, among what the asker may see, with the reason for every result.

use std::collections::{BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spans;
use satchel_app::App;
use satchel_formats::extracted::Kind;
use satchel_model::{
    error::{Error, Result},
    index::{Ask, Found, Space},
    knowledge::{ChunkId, Citation, DocumentId},
    origin::Origin,
    reader::Reader,
    words,
};
use satchel_store::excerpts::Excerpt;

/// Results unless told otherwise.
pub const RESULTS: usize = 5;
/// Most results.
pub const MOST: usize = 100;
/// Passages looked at in search of enough that differ.
const LOOKED_AT: usize = 400;
/// Longest question, in characters.
const LONGEST: usize = 4_000;

/// A question.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = KnowledgeQuestion)]
pub struct Question {
    /// The question, in the asker's own words.
    #[schema(min_length = 1, max_length = 4_000, pattern = r"\S")]
    pub query: String,
    /// Most passages; 5 if left out, 100 at most.
    #[schema(maximum = 100)]
    pub limit: Option<usize>,
    /// Only in these collections, by id or name.
    #[serde(default)]
    pub collections: Vec<String>,
    /// Only in these documents.
    #[serde(default)]
    #[schema(value_type = Vec<String>, format = "uuid")]
    pub documents: Vec<DocumentId>,
    /// Only in documents of these kinds: pdf, docx, markdown, …
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub kinds: Vec<Kind>,
    /// `true` if each result says why it was found.
    #[serde(default)]
    pub explain: bool,
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = KnowledgeResult)]
pub struct Hit {
    /// Its document.
    #[schema(value_type = String, format = "uuid")]
    pub document_id: DocumentId,
    /// Its number.
    pub chunk_id: ChunkId,
    /// The document's title.
    pub title: String,
    /// The headings it stands under.
    pub heading: String,
    /// The page it begins on.
    pub page: Option<u32>,
    /// Its beginning in the document's text, in characters (Unicode code points).
    pub start: u64,
    /// Its end.
    pub end: u64,
    /// The text.
    pub text: String,
    /// The places of the question's words in `text`, in characters: `[from, to)`.
    #[schema(value_type = Vec<[u32; 2]>)]
    pub spans: Vec<(usize, usize)>,
    /// The quality as an answer; 1 is the best there can be.
    pub score: f64,
    /// The reason it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explanation>,
    /// The origin of its document, if from outside.
    #[serde(skip)]
    pub outside: Option<Origin>,
    /// The nearness of the meaning.
    #[serde(skip)]
    pub cosine: Option<f32>,
}

/// The reason a passage was found.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = KnowledgeExplanation)]
pub struct Explanation {
    /// The fit of the words (BM25).
    pub bm25: Option<f32>,
    /// The nearness of the meaning (cosine).
    pub cosine: Option<f32>,
    /// Both together: what results are ordered by.
    pub fused: f32,
    /// Its place by words alone, from 1.
    pub rank_text: Option<u32>,
    /// Its place by meaning alone, from 1.
    pub rank_vector: Option<u32>,
    /// The words of the question it holds.
    pub terms: Vec<String>,
}

/// The passages that answer best, best first, among what this person may see. Of passages that say the same, the best
/// stands for all: a file that is there twice does not crowd out the others.
pub async fn search(app: &App, reader: Reader, question: &Question) -> Result<Vec<Hit>> {
    let limit = question.limit.unwrap_or(RESULTS);
    if limit > MOST {
        return Err(Error::invalid(format!("At most {MOST} passages come at once.")));
    }
    check(&question.query)?;
    let scope = Scope::new(app, reader.clone(), question).await?;
    let mut wanted = limit;
    loop {
        let found = ask(app, &question.query, &scope, wanted).await?;
        let all = found.len() < wanted || wanted >= LOOKED_AT;
        let mut hits = folded(hits(app, reader.clone(), question, found).await?);
        if all || hits.len() >= limit {
            hits.truncate(limit);
            return Ok(hits);
        }
        wanted = (wanted * 4).min(LOOKED_AT);
    }
}

/// The documents a question is asked of.
pub(super) struct Scope {
    /// The numbers of the collections.
    pub(super) tags: HashSet<i64>,
    /// The numbers of the passages; `None` if every one of the collections counts.
    pub(super) ids: Option<HashSet<ChunkId>>,
}

impl Scope {
    /// Returns what is open to this person of what a question names.
    pub(super) async fn new(app: &App, reader: Reader, question: &Question) -> Result<Self> {
        let Question { collections, documents, kinds, .. } = question;
        let tags = app.stores.knowledge.collections.tags(reader.clone(), collections.clone()).await?;
        let ids = match documents.is_empty() && kinds.is_empty() {
            true => None,
            false => {
                let kinds = kinds.iter().map(|kind| kind.as_str().to_owned()).collect();
                Some(app.stores.knowledge.documents.chunk_ids(reader, documents.clone(), kinds).await?)
            }
        };
        Ok(Self { tags, ids })
    }
}

/// Of passages with the same text, only the first.
fn folded(hits: Vec<Hit>) -> Vec<Hit> {
    let mut seen = HashSet::new();
    hits.into_iter().filter(|hit| seen.insert(hit.text.trim().to_owned())).collect()
}

pub(super) fn check(query: &str) -> Result<()> {
    if query.trim().is_empty() {
        return Err(Error::invalid("'query' is empty: say what is to be found."));
    }
    if query.chars().count() > LONGEST {
        return Err(Error::invalid(format!("A question has at most {LONGEST} characters.")));
    }
    Ok(())
}

/// Asks the indexes.
pub(super) async fn ask(app: &App, query: &str, scope: &Scope, limit: usize) -> Result<Vec<Found>> {
    let Scope { tags, ids } = scope;
    if tags.is_empty() || ids.as_ref().is_some_and(HashSet::is_empty) || limit == 0 {
        return Ok(Vec::new());
    }
    let vector = app.search.embedder.query(query).await?;
    let ask = Ask { text: query, vector: vector.as_deref(), tags: Some(tags), ids: ids.as_ref(), limit };
    app.search.indexes.search(Space::Knowledge, &ask).await
}

async fn hits(app: &App, reader: Reader, question: &Question, found: Vec<Found>) -> Result<Vec<Hit>> {
    let ids = found.iter().map(|found| found.id).collect();
    let passages = app.stores.knowledge.documents.excerpts(reader.clone(), ids).await?;
    let mut passages: HashMap<ChunkId, Excerpt> = passages.into_iter().map(|p| (p.chunk.id, p)).collect();
    let terms = words::topics(&question.query);
    let hit = |found: Found| {
        // What was deleted between the two questions is not there any more.
        let passage = passages.remove(&found.id)?;
        let outside = passage.outside(reader.user(), app.clock.now());
        Some(Hit { outside, ..hit(passage, found, &terms, question.explain) })
    };
    Ok(found.into_iter().filter_map(hit).collect())
}

fn hit(passage: Excerpt, found: Found, terms: &BTreeSet<String>, explain: bool) -> Hit {
    let spans = spans::matches(&passage.chunk.text, terms);
    let Excerpt { document, title, chunk, .. } = passage;
    let explanation = || Explanation {
        bm25: found.bm25,
        cosine: found.cosine,
        fused: found.score,
        rank_text: found.rank_text,
        rank_vector: found.rank_vector,
        terms: found.terms.clone(),
    };
    Hit {
        document_id: document,
        chunk_id: chunk.id,
        heading: chunk.heading,
        page: chunk.page,
        start: chunk.start,
        end: chunk.end,
        spans,
        score: found.shown_score(),
        explain: explain.then(explanation),
        text: chunk.text,
        title,
        outside: None,
        cosine: found.cosine,
    }
}

impl Hit {
    /// At most about `most` characters of the passage, where the words of the question stand.
    pub fn snippet(&self, most: usize) -> String {
        spans::snippet(&self.text, &self.spans, most)
    }

    /// The passage as a conversation keeps it.
    pub fn citation(&self) -> Citation {
        Citation {
            number: 0,
            document_id: Some(self.document_id),
            url: None,
            chunk_id: Some(self.chunk_id),
            title: self.title.clone(),
            heading: self.heading.clone(),
            page: self.page,
            start: self.start,
            end: self.end,
            text: self.text.clone(),
            score: self.score,
        }
    }
}

#[cfg(test)]
impl Hit {
    /// A passage that says this, and nothing else of note.
    pub(super) fn saying(text: &str) -> Self {
        Self {
            document_id: DocumentId::new(),
            chunk_id: 1,
            title: "Herons".to_owned(),
            heading: String::new(),
            page: None,
            start: 0,
            end: 0,
            text: text.to_owned(),
            spans: Vec::new(),
            score: 1.0,
            explain: None,
            outside: None,
            cosine: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_that_say_the_same_are_one() {
        let hit = |chunk_id: ChunkId, text: &str| Hit { chunk_id, ..Hit::saying(text) };
        let hits = vec![
            hit(3, "A heron waits."),
            hit(1, "A heron waits.\n"),
            hit(2, "Otters swim."),
            hit(4, "A heron waits."),
        ];
        assert_eq!(folded(hits).into_iter().map(|hit| hit.chunk_id).collect::<Vec<_>>(), [3, 2]);
    }
}
