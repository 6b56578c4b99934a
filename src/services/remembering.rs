//! One person's memory as tools, the chat and the memory page use it: the rows, and what they mean.
//!
//! Without a model of meaning, or where it fails, everything goes on by words. Memories that have no vector of the
//! current model yet, because it is new or there was none, get theirs in the background once they are searched.

use std::time::Duration;

use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

use satchel_app::App;
use satchel_engine::context::Context;
use satchel_host::clock::Clock;
use satchel_index::embed::embedder::Embedder;
use satchel_model::{
    conversation::ConversationId,
    error::Result,
    memory::{Layer, Match, Memory, MemoryChange, MemoryId, NewMemory, Vector},
    time::Time,
    user::UserId,
};
use satchel_share::behalf;
use satchel_store::{
    lists::Lists,
    memory::{Digest, Memories, Reach, Saved, Search},
};

/// Memories read in one go in the background.
const BATCH: usize = 32;
/// The longest that whoever saves waits for the meaning of it. After that it is read in the background.
const SOON: Duration = Duration::from_secs(4);
/// Most memories that bear on the topic of a digest.
const BEARING: usize = 100;

/// The lists of a run's caller.
pub fn lists(cx: &Context) -> Lists {
    Lists::new(&cx.app().db, cx.caller().user)
}

/// One person's memory. Cheap to clone.
#[derive(Clone)]
pub struct Remembering {
    memories: Memories,
    meaning: Meaning,
    clock: Clock,
    runtime: Handle,
    tracker: TaskTracker,
}

/// The subject of a search in memories.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// In words.
    pub query: String,
    /// Only these layers; empty means all.
    pub layers: Vec<Layer>,
    /// Only matches at least this good, 0 to 1; 0 takes what does not match as well. `None` takes what matches at all.
    pub threshold: Option<f64>,
    /// Most matches.
    pub limit: usize,
}

impl Remembering {
    /// This person's.
    pub fn new(app: &App, user: UserId) -> Self {
        Self {
            memories: app.stores.memories.own(user),
            meaning: Meaning::new(app),
            clock: app.clock.clone(),
            runtime: app.lifecycle.runtime.clone(),
            tracker: app.lifecycle.tracker.clone(),
        }
    }

    /// Returns the memories of a run's caller.
    pub fn of_caller(cx: &Context) -> Self {
        Self::new(cx.app(), cx.caller().user)
    }

    /// Remembers these, all or none, in order. What is there already is renewed instead of doubled.
    pub async fn save(&self, new: Vec<NewMemory>, source: Option<ConversationId>) -> Result<Vec<Saved>> {
        let texts = new.iter().map(|new| new.content().to_owned()).collect();
        let mut vectors = self.meaning.passages_soon(texts).await.into_iter();
        let is_read = vectors.len() == new.len();
        let new = new.into_iter().map(|new| new.with_vector(vectors.next())).collect();
        let saved = self.memories.save(new, source, self.clock.now()).await?;
        if !is_read {
            self.understand_later();
        }
        Ok(saved)
    }

    /// The memory with this key or id, called back by it.
    pub async fn get(&self, key: &str) -> Result<Memory> {
        let memory = self.memories.get(key, self.clock.now()).await?;
        self.recalled(std::slice::from_ref(&memory)).await?;
        Ok(memory)
    }

    /// The best matches, best first.
    pub async fn search(&self, ask: Ask) -> Result<Vec<Match>> {
        let search = self.asked(ask).await;
        self.memories.search(search).await
    }

    /// Returns what a turn about `text` should know: the memories that bear on it, then the latest preferences.
    pub async fn relevant(&self, text: &str, limit: usize, reach: Reach) -> Result<Vec<Memory>> {
        let ask = Ask { query: text.to_owned(), limit, ..Ask::default() };
        let search = self.asked(ask).await;
        self.memories.relevant(search, reach).await
    }

    /// The memories last said or changed, newest first; empty `layers` means all.
    pub async fn recent(&self, layers: Vec<Layer>, limit: usize) -> Result<Vec<Memory>> {
        self.memories.recent(layers, limit, self.clock.now()).await
    }

    /// Notes that these were called back, which firms them up.
    pub async fn recalled(&self, memories: &[Memory]) -> Result<()> {
        if memories.is_empty() {
            return Ok(());
        }
        self.memories.recalled(memories.iter().map(|memory| memory.id).collect(), self.clock.now()).await
    }

    /// As [`Self::recalled`], in the background. Where that fails it is logged.
    pub fn recalled_soon(&self, memories: &[Memory]) {
        let (this, memories) = (self.clone(), memories.to_vec());
        self.later(async move {
            if let Err(error) = this.recalled(&memories).await {
                tracing::warn!(?error, "memories that were called back could not be noted");
            }
        });
    }

    /// Reads what a question means before it is asked for.
    pub fn expect(&self, query: &str) {
        let (meaning, query) = (self.meaning.clone(), query.to_owned());
        self.later(async move {
            meaning.query(&query).await;
        });
    }

    /// Returns what the time since `from` was about; with a topic, only what bears on it.
    pub async fn digest(&self, from: Time, topic: Option<&str>) -> Result<Digest> {
        let only = match topic {
            Some(topic) => {
                let ask = Ask { query: topic.to_owned(), limit: BEARING, ..Ask::default() };
                Some(self.search(ask).await?.into_iter().map(|found| found.memory.id).collect())
            }
            None => None,
        };
        self.memories.digest(from, only, self.clock.now()).await
    }

    /// Changes one memory.
    ///
    /// # Errors
    ///
    /// If a text is empty or too long, or the key is another memory's.
    pub async fn update(&self, id: MemoryId, change: MemoryChange) -> Result<Memory> {
        let mut change = change.checked()?;
        if let Some(content) = &change.content {
            change.vector = self.meaning.passages_soon(vec![content.clone()]).await.pop();
        }
        self.memories.update(id, change, self.clock.now()).await
    }

    /// Forgets one memory, with its wordings and its meaning.
    pub async fn delete(&self, id: MemoryId) -> Result<()> {
        self.memories.delete(id).await
    }

    async fn asked(&self, ask: Ask) -> Search {
        let Ask { query, layers, threshold, limit } = ask;
        let vector = self.meaning.query(&query).await;
        if vector.is_some() {
            self.understand_later();
        }
        Search { query, vector, layers, threshold, limit, now: self.clock.now() }
    }

    /// Reads in the background what has no vector of the current model.
    fn understand_later(&self) {
        let this = self.clone();
        self.later(async move {
            if let Err(error) = this.understand().await {
                tracing::warn!(?error, "memories could not be read for their meaning");
            }
        });
    }

    fn later(&self, work: impl Future<Output = ()> + Send + 'static) {
        drop(self.tracker.spawn_on(behalf::run_as(behalf::current(), work), &self.runtime));
    }

    async fn understand(&self) -> Result<()> {
        let Some(model) = self.meaning.model() else { return Ok(()) };
        let Some(_reading) = self.memories.begin_reading() else { return Ok(()) };
        loop {
            let unread = self.memories.unread(model.clone(), BATCH).await?;
            let texts: Vec<String> = unread.iter().map(|(_, said)| said.clone()).collect();
            let vectors = self.meaning.passages(texts).await;
            if unread.is_empty() || vectors.len() < unread.len() {
                return Ok(());
            }
            let read = unread.into_iter().zip(vectors).map(|((id, said), vector)| (id, said, vector)).collect();
            self.memories.understand(read).await?;
        }
    }
}

/// The judge of what a text means. Where it fails that is logged, and what asked goes on by words.
#[derive(Clone)]
pub struct Meaning {
    embedder: Embedder,
}

impl Meaning {
    /// The model of this application.
    pub fn new(app: &App) -> Self {
        Self { embedder: app.search.embedder.clone() }
    }

    fn model(&self) -> Option<String> {
        self.embedder.model().map(|model| model.id)
    }

    /// Returns the meaning of a question; `None` without a model.
    pub async fn query(&self, text: &str) -> Option<Vector> {
        let embedder = self.embedder.steady();
        let model = embedder.model()?.id;
        let values = known(embedder.query(text).await)?;
        Some(Vector { model, values: values.to_vec() })
    }

    /// Returns the meaning of a statement, for which somebody waits; `None` without a model. It is remembered for a while.
    pub async fn passage_at_once(&self, text: &str) -> Option<Vector> {
        let embedder = self.embedder.steady();
        let model = embedder.model()?.id;
        Some(Vector { model, values: known(embedder.passage_at_once(text).await)?.to_vec() })
    }

    /// Returns the meanings of statements that somebody waits to have kept, in their order; none of them without a model, or
    /// where much else is being read.
    async fn passages_soon(&self, texts: Vec<String>) -> Vec<Vector> {
        let reading = async {
            match texts.as_slice() {
                [one] => self.passage_at_once(one).await.into_iter().collect(),
                _ => self.passages(texts).await,
            }
        };
        tokio::time::timeout(SOON, reading).await.unwrap_or_default()
    }

    /// Returns the meanings of statements, in their order; none of them without a model.
    pub async fn passages(&self, texts: Vec<String>) -> Vec<Vector> {
        let embedder = self.embedder.steady();
        let Some(model) = embedder.model().filter(|_| !texts.is_empty()) else { return Vec::new() };
        let read = known(embedder.passages(texts).await).unwrap_or_default();
        read.into_iter().map(|values| Vector { model: model.id.clone(), values }).collect()
    }
}

fn known<T>(read: Result<Option<T>>) -> Option<T> {
    read.unwrap_or_else(|error| {
        tracing::warn!(?error, "a text could not be read for its meaning");
        None
    })
}
