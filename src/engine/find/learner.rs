//! Learns which tools needs were met with (R43): a person's request and what was searched for in the conversation
//! are its needs, and each call that ends there says something of a tool.

use std::sync::Arc;

use moka::sync::Cache;
use parking_lot::RwLock;
use tokio::sync::Mutex;

use super::{parts, past::Past};
use crate::{
    app::App,
    index::embed::embedder::Embedder,
    model::{
        conversation::ConversationId,
        error::Result,
        learning::{Ended, Used},
        user::UserId,
    },
    store::learning::Learning,
};

/// Conversations whose needs are known at once.
const CONVERSATIONS: u64 = 10_000;

/// Remembers and tells. Cheap to clone.
#[derive(Clone)]
pub struct Learner {
    app: Arc<App>,
    learning: Learning,
    needs: Cache<ConversationId, Needs>,
    loaded: Arc<Mutex<Option<Loaded>>>,
}

/// What is wanted in a conversation now.
#[derive(Debug, Clone, Default)]
struct Needs {
    request: Option<String>,
    search: Option<String>,
}

/// The past as it was at a version.
struct Loaded {
    version: i64,
    model: String,
    past: Arc<RwLock<Past>>,
}

/// A call that ended.
#[derive(Debug, Clone)]
pub struct Called {
    /// Who called.
    pub user: UserId,
    /// In which conversation.
    pub topic: ConversationId,
    /// The tool's id.
    pub tool: String,
    /// Whether it did what was asked.
    pub success: bool,
}

impl Learner {
    pub(super) fn new(app: Arc<App>) -> Self {
        let learning = Learning::of(&app.db);
        Self { app, learning, needs: Cache::new(CONVERSATIONS), loaded: Arc::default() }
    }

    /// A person asks for something: what was wanted before is done with.
    pub fn requested(&self, topic: ConversationId, request: &str) {
        self.needs.insert(topic, Needs { request: kept(request), search: None });
    }

    /// Tools are looked for.
    pub fn searched(&self, topic: ConversationId, need: &str) {
        let mut needs = self.needs.get(&topic).unwrap_or_default();
        needs.search = kept(need);
        self.needs.insert(topic, needs);
    }

    /// Learns from the end of a call, in the background: nobody waits for it.
    pub fn called(&self, called: Called) {
        let Some(Needs { request, search }) = self.needs.get(&called.topic) else { return };
        let this = self.clone();
        let learn = async move {
            for need in [request, search].into_iter().flatten() {
                if let Err(error) = this.learn(&called, need).await {
                    tracing::warn!(?error, tool = called.tool, "nothing could be learned from a call");
                }
            }
        };
        self.app.tracker.spawn_on(learn, &self.app.runtime);
    }

    async fn learn(&self, called: &Called, need: String) -> Result<()> {
        let embedder = self.app.embedder.steady();
        let Some(model) = embedder.model() else { return Ok(()) };
        let Some(vector) = embedder.query(&need).await? else { return Ok(()) };
        let ended = Ended {
            user: called.user,
            topic: called.topic,
            need: need.clone(),
            vector: Some((model.id.clone(), vector.to_vec())),
            tool: called.tool.clone(),
            success: called.success,
            at: self.app.clock.now(),
        };
        let mut loaded = self.loaded.lock().await;
        let version = self.learning.note(ended).await?;
        // The copy in memory takes the change over where it misses no other.
        if let (Some(loaded), Some(version)) = (&mut *loaded, version)
            && loaded.version + 1 == version
            && loaded.model == model.id
        {
            let (successes, failures) = if called.success { (1, 0) } else { (0, 1) };
            let used = Used { tool: called.tool.clone(), successes, failures };
            loaded.past.write().note(called.user, &need, &vector, used);
            loaded.version = version;
        }
        Ok(())
    }

    /// All past needs as they are now; none without a model.
    pub async fn past(&self) -> Result<Arc<RwLock<Past>>> {
        let embedder = self.app.embedder.steady();
        let Some(model) = embedder.model() else { return Ok(Arc::default()) };
        let mut loaded = self.loaded.lock().await;
        if let Some(loaded) = &*loaded
            && loaded.model == model.id
            && loaded.version == self.learning.version().await?
        {
            return Ok(Arc::clone(&loaded.past));
        }
        let (version, past) = self.load(&embedder, &model.id).await?;
        let past = Arc::new(RwLock::new(past));
        *loaded = Some(Loaded { version, model: model.id, past: Arc::clone(&past) });
        Ok(past)
    }

    /// Reads the past; needs that another model had embedded are embedded now.
    async fn load(&self, embedder: &Embedder, model: &str) -> Result<(i64, Past)> {
        let (version, mut needs) = self.learning.all(model).await?;
        let missing: Vec<usize> =
            needs.iter().enumerate().filter(|(_, need)| need.vector.is_none()).map(|(at, _)| at).collect();
        let texts = missing.iter().filter_map(|at| Some(needs.get(*at)?.text.clone())).collect();
        let mut made = Vec::new();
        for (at, vector) in missing.iter().zip(embedder.passages(texts).await?.unwrap_or_default()) {
            if let Some(need) = needs.get_mut(*at) {
                made.push((need.id, vector.clone()));
                need.vector = Some(vector);
            }
        }
        if !made.is_empty() {
            self.learning.embed(model, made).await?;
        }
        let mut past = Past::default();
        for need in needs {
            let vector = need.vector.unwrap_or_default();
            need.used.into_iter().for_each(|used| past.note(need.user, &need.text, &vector, used));
        }
        Ok((version, past))
    }

    /// What was learned, as it is stored.
    pub fn stored(&self) -> &Learning {
        &self.learning
    }
}

/// A need as it is kept: its beginning; none where it says nothing.
fn kept(need: &str) -> Option<String> {
    let told = parts::told(need.trim());
    (!told.is_empty()).then(|| told.to_owned())
}
