//! The handle everybody embeds with: it joins what is asked for at once and remembers what was asked before.

use std::sync::Arc;

use moka::sync::Cache;
use parking_lot::RwLock;
use tokio::sync::{Notify, OnceCell, oneshot};

use super::{
    model::{Model, ModelInfo},
    queue::Item,
    workers::{Limits, Workers},
};
use satchel_model::error::{Error, Result};

/// Bytes of queries and their vectors that are remembered: some 4,000 of them.
const CACHE_BYTES: u64 = 8 * 1024 * 1024;
/// Bytes of texts to be found, with their vectors, that are remembered: some 200 of them.
const EXPECTED_BYTES: u64 = 512 * 1024;
/// The bytes that stand for a token where no model counts: English has about four in one.
const BYTES_PER_TOKEN: usize = 4;

/// Cheap to clone. Without a model every answer is `None`, and search goes by words alone.
#[derive(Clone)]
pub struct Embedder {
    shared: Arc<Shared>,
}

struct Shared {
    active: RwLock<Option<Active>>,
    change: RwLock<Change>,
    asked: Notify,
}

#[derive(Clone)]
struct Active {
    workers: Arc<Workers>,
    queries: Known,
    /// Of texts to be found that somebody waits for.
    passages: Known,
}

/// Vectors of texts, which are there or on their way.
type Known = Cache<String, Arc<OnceCell<Arc<[f32]>>>>;

fn known(bytes: u64, dimensions: usize) -> Known {
    let weigh =
        move |text: &String, _: &_| u32::try_from(text.len() + dimensions * size_of::<f32>()).unwrap_or(u32::MAX);
    Cache::builder().weigher(weigh).max_capacity(bytes).build()
}

impl Active {
    /// The vector of a text before all passages that wait.
    async fn at_once(&self, known: &Known, prefix: &str, text: &str) -> Result<Arc<[f32]>> {
        let vector = known.get_with_by_ref(text, Arc::default);
        let read = vector.get_or_try_init(async || {
            let (item, answer) = item(prefix, text);
            self.workers.submit(|queue| queue.push_query(item))?;
            answered(answer).await.map(Arc::from)
        });
        read.await.cloned()
    }
}

/// A change to another model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// The work under way.
    pub running: Option<Running>,
    /// The reason the last one failed.
    pub failed: Option<String>,
}

/// The progress of a change.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[schema(as = EmbeddingChange)]
pub struct Running {
    /// The model's name.
    pub to: String,
    /// The stage of the work.
    pub stage: Stage,
    /// The part that is done: texts, or bytes of a download.
    pub done: u64,
    /// The whole amount, as far as it is known.
    pub total: u64,
}

/// The steps of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = EmbeddingStage)]
pub enum Stage {
    /// The model's files are fetched.
    Downloading,
    /// Everything is embedded anew.
    Embedding,
    /// The indexes are made of the new vectors.
    Indexing,
}

impl Embedder {
    /// With a model, or without one. Nothing is loaded before the first text.
    pub fn new(model: Option<Model>, limits: Limits) -> Self {
        Self::with(model.map(|model| {
            let dimensions = model.info.dimensions;
            let (queries, passages) = (known(CACHE_BYTES, dimensions), known(EXPECTED_BYTES, dimensions));
            Active { workers: Workers::new(model, limits), queries, passages }
        }))
    }

    fn with(active: Option<Active>) -> Self {
        let shared = Shared { active: RwLock::new(active), change: RwLock::default(), asked: Notify::new() };
        Self { shared: Arc::new(shared) }
    }

    fn active(&self) -> Option<Active> {
        self.shared.active.read().clone()
    }

    /// A handle that stays with the present model when this one goes to another: for whoever needs the model's id and
    /// its vectors.
    pub fn steady(&self) -> Self {
        Self::with(self.active())
    }

    /// Goes over to another's model; the one before leaves memory when it has done what it was asked.
    pub fn become_like(&self, other: &Self) {
        let before = std::mem::replace(&mut *self.shared.active.write(), other.active());
        if let Some(before) = before {
            before.workers.retire();
        }
    }

    /// Returns the identity of the vectors that come out; `None` without a model.
    pub fn model(&self) -> Option<ModelInfo> {
        self.active().map(|active| active.workers.model().info.clone())
    }

    /// Returns the name the model is chosen by; `None` without a model.
    pub fn name(&self) -> Option<String> {
        self.active().map(|active| active.workers.model().name.clone())
    }

    /// Returns whether the model is in memory now.
    pub fn is_loaded(&self) -> bool {
        self.active().is_some_and(|active| active.workers.is_loaded())
    }

    /// Sets how much of the machine it may take from now on.
    pub fn limit(&self, limits: Limits) {
        if let Some(active) = self.active() {
            active.workers.limit(limits);
        }
    }

    /// Returns the number of queries that are remembered.
    pub fn cached_queries(&self) -> u64 {
        self.active().map_or(0, |active| {
            active.queries.run_pending_tasks();
            active.queries.entry_count()
        })
    }

    /// Returns what is known of a change to another model.
    pub fn change(&self) -> Change {
        self.shared.change.read().clone()
    }

    /// Says how far a change is.
    pub fn set_change(&self, change: Change) {
        *self.shared.change.write() = change;
    }

    /// Says that another model is wanted.
    pub fn ask_for_change(&self) {
        self.shared.asked.notify_one();
    }

    /// Waits until somebody says so.
    pub async fn change_asked(&self) {
        self.shared.asked.notified().await;
    }

    /// The vector of what somebody looks for, of length 1. Goes before all passages; who asks for the same meanwhile waits
    /// for the same.
    ///
    /// # Errors
    ///
    /// [`Busy`](satchel_model::error::Kind::Busy) if too many wait already.
    pub async fn query(&self, text: &str) -> Result<Option<Arc<[f32]>>> {
        let Some(active) = self.active() else { return Ok(None) };
        active.at_once(&active.queries, &active.workers.model().query_prefix, text).await.map(Some)
    }

    /// The vectors of texts that are to be found, in their order, each of length 1. Dropping the future takes them back.
    ///
    /// # Errors
    ///
    /// [`Busy`](satchel_model::error::Kind::Busy) if too many wait already: hand over many in portions.
    pub async fn passages(&self, texts: Vec<String>) -> Result<Option<Vec<Vec<f32>>>> {
        let Some(active) = self.active() else { return Ok(None) };
        let prefix = &active.workers.model().passage_prefix;
        let (items, answers): (Vec<_>, Vec<_>) = texts.iter().map(|text| item(prefix, text)).unzip();
        drop(texts);
        active.workers.submit(|queue| queue.push_passages(items))?;
        let mut vectors = Vec::with_capacity(answers.len());
        for answer in answers {
            vectors.push(answered(answer).await?);
        }
        Ok(Some(vectors))
    }

    /// The vector of a text that is to be found, which somebody waits for: it goes with the queries, before other passages.
    /// It is remembered for a while.
    ///
    /// # Errors
    ///
    /// As [`Self::query`].
    pub async fn passage_at_once(&self, text: &str) -> Result<Option<Arc<[f32]>>> {
        let Some(active) = self.active() else { return Ok(None) };
        active.at_once(&active.passages, &active.workers.model().passage_prefix, text).await.map(Some)
    }

    /// Returns the number of the model's tokens in a text; without a model a quarter of its bytes. Blocks while it
    /// counts.
    pub fn count_tokens(&self, text: &str) -> usize {
        let counted = self.active().and_then(|active| active.workers.counter().ok()?.count(text).ok());
        counted.unwrap_or_else(|| text.len().div_ceil(BYTES_PER_TOKEN))
    }
}

fn item(prefix: &str, text: &str) -> (Item, oneshot::Receiver<Result<Vec<f32>>>) {
    let (reply, answer) = oneshot::channel();
    (Item { text: format!("{prefix}{text}"), reply }, answer)
}

async fn answered(answer: oneshot::Receiver<Result<Vec<f32>>>) -> Result<Vec<f32>> {
    answer.await.map_err(|_| Error::internal("the thread that embedded is gone"))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn without_a_model_there_is_no_vector_and_tokens_are_estimated() {
        let embedder = Embedder::new(None, Limits::default());
        assert_eq!((embedder.model(), embedder.name(), embedder.is_loaded()), (None, None, false));
        assert_eq!(embedder.query("mail").await.unwrap(), None);
        assert_eq!(embedder.passages(vec!["mail".to_owned()]).await.unwrap(), None);
        assert_eq!(embedder.count_tokens("some words"), 3);
    }
}

#[cfg(all(test, feature = "embedded-model"))]
mod model_tests {
    use futures_util::future::try_join_all;

    use super::*;
    use satchel_model::vector::cosine;

    fn embedder() -> Embedder {
        Embedder::new(Model::embedded(), Limits::default())
    }

    #[tokio::test]
    async fn what_is_asked_at_once_gets_the_vectors_it_would_get_alone() {
        let needs = ["read the invoice of May and send it to the accountant by mail", "read the invoice", "send mail"];
        let together = Embedder::new(Model::embedded(), Limits { threads: 2, ..Limits::default() });
        let alone = embedder();
        for round in 0..20 {
            let asked = needs.map(|need| format!("{need} {round}"));
            let at_once = try_join_all(asked.iter().map(|need| together.query(need))).await.unwrap();
            for (need, vector) in asked.iter().zip(at_once) {
                let own = alone.query(need).await.unwrap().unwrap();
                assert!(cosine(&vector.unwrap(), &own) > 0.9999, "{need}");
            }
        }
    }

    #[tokio::test]
    async fn who_asks_for_the_same_at_once_or_later_is_given_the_same_vector() {
        let embedder = embedder();
        let queries = try_join_all((0..5).map(|_| embedder.query("a heron"))).await.unwrap();
        let passages = try_join_all((0..5).map(|_| embedder.passage_at_once("a heron"))).await.unwrap();
        let later = [embedder.query("a heron").await.unwrap(), embedder.passage_at_once("a heron").await.unwrap()];
        for (read, later) in [queries, passages].into_iter().zip(later) {
            // Read anew, it would be another one.
            let same = |vector: &Option<Arc<[f32]>>| Arc::ptr_eq(vector.as_ref().unwrap(), later.as_ref().unwrap());
            assert!(read.iter().all(same));
        }
    }

    #[tokio::test]
    async fn a_query_is_closer_to_what_it_means_than_to_anything_else() {
        let embedder = embedder();
        let query = embedder.query("how do I throw a file away").await.unwrap().unwrap();
        let texts = ["Delete a document for ever", "Send a letter", "The weather in Rome"].map(str::to_owned);
        let passages = embedder.passages(texts.to_vec()).await.unwrap().unwrap();
        let scores: Vec<f32> = passages.iter().map(|passage| cosine(&query, passage)).collect();
        assert!(scores[0] > scores[1] && scores[0] > scores[2], "{scores:?}");
    }

    #[tokio::test]
    async fn a_text_has_the_same_vector_alone_and_among_longer_ones() {
        let embedder = embedder();
        let alone = embedder.passages(vec!["a short text".to_owned()]).await.unwrap().unwrap();
        let texts = vec!["much longer words ".repeat(30), "a short text".to_owned(), String::new()];
        let among = embedder.passages(texts).await.unwrap().unwrap();
        let at_once = embedder.passage_at_once("a short text").await.unwrap().unwrap();
        assert!(cosine(&alone[0], &among[1]) > 0.9999 && cosine(&alone[0], &at_once) > 0.9999);
    }

    #[tokio::test]
    async fn a_query_is_asked_of_the_model_once() {
        let embedder = embedder();
        let first = embedder.query("the same").await.unwrap().unwrap();
        let second = embedder.query("the same").await.unwrap().unwrap();
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(embedder.cached_queries(), 1);
    }

    #[tokio::test]
    async fn who_holds_on_to_a_model_keeps_it_when_others_go_over() {
        let embedder = embedder();
        let steady = embedder.steady();
        embedder.become_like(&Embedder::new(None, Limits::default()));
        assert_eq!(embedder.query("gone").await.unwrap(), None);
        assert_eq!(steady.name().as_deref(), Some("builtin"));
        assert!(steady.query("still there").await.unwrap().is_some());
    }

    #[test]
    fn tokens_are_the_models_own() {
        let embedder = embedder();
        assert_eq!(embedder.count_tokens("embeddings"), 4);
        assert_eq!(embedder.count_tokens(&"word ".repeat(1000)), 1000);
    }
}
