//! The index people and agents fill themselves: texts and vectors under names, everybody's who may read it.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use serde::Serialize;

use satchel_app::{App, indexing::GIVEN};
use satchel_engine::context::Context;
use satchel_model::{
    author::Author,
    error::{Error, Result},
    index::{Ask, Scalar, Space},
    origin::Origin,
};
use satchel_store::entries::{self, Kept, Put};

/// Longest name of an entry, in characters.
const NAME: usize = 512;
/// Longest text, in bytes.
const TEXT: usize = 1 << 20;
/// Most metadata of an entry, and its longest part in characters.
const METADATA: usize = 64;
const METADATA_PART: usize = 2_000;
/// Most results of a query.
const RESULTS: usize = 200;
/// The time a writer is kept waiting until what they wrote is found; it is written all the same.
const VISIBLE: Duration = Duration::from_secs(3);

/// An entry to put under a name.
#[derive(Debug, Clone)]
pub struct NewEntry {
    /// Unique among entries.
    pub name: String,
    /// The text; left out, the text before stays.
    pub text: Option<String>,
    /// Its vector; left out, that of its text.
    pub vector: Option<Vec<f32>>,
    /// Facts to filter by; left out, those it had stay.
    pub metadata: Option<BTreeMap<String, Scalar>>,
}

/// A search for entries.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// By these words.
    pub text: Option<String>,
    /// By this vector.
    pub vector: Option<Vec<f32>>,
    /// The words are taken by what they mean, too.
    pub by_meaning: bool,
    /// Only entries with all of this metadata.
    pub filter: BTreeMap<String, Scalar>,
    /// Most results.
    pub limit: usize,
}

/// An entry that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundEntry {
    /// Its name.
    pub id: String,
    /// The score results are ordered by: BM25 as a share of the best, the cosine, or both weighed.
    pub score: f64,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Facts to filter by.
    pub metadata: BTreeMap<String, Scalar>,
    /// The origin of content from outside that was near when it was put.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The person who put it.
    #[serde(skip)]
    pub author: Option<Author>,
}

/// Puts an entry, in place of what was left under its name; a text without a vector is embedded. It is found
/// afterwards.
///
/// # Errors
///
/// If the caller may not, or the vector has another length than the index's.
pub async fn put(cx: &Context, new: NewEntry) -> Result<()> {
    cx.caller().require("index:write")?;
    check(&new)?;
    let (app, user, now, origin) = (cx.app(), cx.caller().user, cx.now(), cx.taint().origin_for_all());
    let given = new.vector.is_some();
    let vector = match (new.vector, &new.text) {
        (Some(vector), _) => Some((require_length(app, &vector)?, unit(&vector))),
        (None, Some(text)) => embedded(app, text).await?,
        (None, None) => return Err(Error::invalid("Give 'text', 'vector', or both.")),
    };
    let put = Put { name: new.name, text: new.text, vector, given, metadata: new.metadata, origin };
    app.db.write(move |c| entries::put(c, &put, Some(user), now)).await?;
    visible(app).await;
    Ok(())
}

/// Removes an entry; nothing where there is none.
///
/// # Errors
///
/// If the caller may not.
pub async fn remove(cx: &Context, name: String) -> Result<()> {
    cx.caller().require("index:write")?;
    let app = cx.app();
    app.db.write(move |c| entries::remove(c, &name)).await?;
    visible(app).await;
    Ok(())
}

/// The best entries, best first.
///
/// # Errors
///
/// If the caller may not read the index, or asks for nothing it can find.
pub async fn query(cx: &Context, query: Query) -> Result<Vec<FoundEntry>> {
    cx.caller().require("index:read")?;
    let found = best(cx.app(), query).await?;
    cx.taint().note(found.iter().filter_map(|entry| entry.origin.clone()));
    cx.taint().note_authors(found.iter().filter_map(|entry| entry.author.as_ref()));
    Ok(found)
}

async fn best(app: &App, query: Query) -> Result<Vec<FoundEntry>> {
    let text = query.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    if text.is_none() && query.vector.is_none() {
        return Err(Error::invalid("Give a 'query', a 'vector', or both."));
    }
    if !(1..=RESULTS).contains(&query.limit) {
        return Err(Error::invalid(format!("From 1 to {RESULTS} results can be asked for.")));
    }
    let vector = match (&query.vector, text) {
        (Some(vector), _) => {
            require_length(app, vector)?;
            Some(unit(vector))
        }
        (None, Some(text)) if query.by_meaning => app.search.embedder.query(text).await?.map(|vector| vector.to_vec()),
        _ => None,
    };
    let filter = query.filter;
    let ids = match filter.is_empty() {
        true => None,
        false => Some(app.db.read(move |c| entries::having(c, &filter)).await?),
    };
    let ask = Ask {
        text: text.unwrap_or_default(),
        vector: vector.as_deref(),
        tags: None,
        ids: ids.as_ref(),
        limit: query.limit,
    };
    let found = app.search.indexes.search(Space::Entries, &ask).await?;
    let numbers: Vec<i64> = found.iter().map(|found| found.id).collect();
    let kept = app.db.read(move |c| numbers.into_iter().map(|id| entries::kept(c, id)).collect::<Result<Vec<_>>>());
    let mut kept: HashMap<i64, Kept> = kept.await?.into_iter().flatten().map(|kept| (kept.id, kept)).collect();
    let shown = found.into_iter().filter_map(|found| {
        let kept = kept.remove(&found.id)?;
        let Kept { name: id, text, metadata, origin, author, .. } = kept;
        Some(FoundEntry { id, score: found.shown_score(), text, metadata, origin, author })
    });
    Ok(shown.collect())
}

fn check(new: &NewEntry) -> Result<()> {
    if new.name.trim().is_empty() || new.name.chars().count() > NAME {
        return Err(Error::invalid(format!("'id' is 1 to {NAME} characters.")));
    }
    if new.text.as_ref().is_some_and(|text| text.len() > TEXT) {
        return Err(Error::invalid("The text is longer than 1 MB: put it in parts, or into knowledge as a document."));
    }
    let metadata = new.metadata.iter().flatten();
    let too_long = |text: &str| text.chars().count() > METADATA_PART;
    if metadata.clone().count() > METADATA
        || metadata.clone().any(|(key, value)| too_long(key) || too_long(&value.as_text()))
    {
        return Err(Error::invalid(format!(
            "'metadata' has at most {METADATA} keys, and none of its parts more than {METADATA_PART} characters."
        )));
    }
    Ok(())
}

/// Returns the model a given vector goes with.
///
/// # Errors
///
/// If its length is not the model's.
fn require_length(app: &App, vector: &[f32]) -> Result<String> {
    if !vector.iter().any(|x| *x != 0.0) || !vector.iter().all(|x| x.is_finite()) {
        return Err(Error::invalid("'vector' needs numbers that are finite and not all zero."));
    }
    match app.search.embedder.model() {
        Some(model) if model.dimensions == vector.len() => Ok(model.id),
        Some(model) => Err(Error::invalid(format!(
            "The vector has {} numbers; this index takes vectors of {}, as the model {} makes them.",
            vector.len(),
            model.dimensions,
            model.id
        ))),
        None => Ok(GIVEN.to_owned()),
    }
}

async fn embedded(app: &App, text: &str) -> Result<Option<(String, Vec<f32>)>> {
    let embedder = app.search.embedder.steady();
    let Some(model) = embedder.model().filter(|_| !text.trim().is_empty()) else { return Ok(None) };
    let vectors = embedder.passages(vec![text.to_owned()]).await?;
    Ok(vectors.and_then(|vectors| vectors.into_iter().next()).map(|vector| (model.id, vector)))
}

fn unit(vector: &[f32]) -> Vec<f32> {
    // Squares of numbers that fit into 32 bits may not.
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "a part of a vector of length 1 is 1 at most")]
    vector.iter().map(|x| (f64::from(*x) / length) as f32).collect()
}

async fn visible(app: &App) {
    if tokio::time::timeout(VISIBLE, app.search.indexes.settled()).await.is_err() {
        tracing::warn!("the indexes are busy: an entry is written and will be found a little later");
    }
}
