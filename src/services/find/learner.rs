//! Learns which tools needs were met with: a person's request and what was searched for in the conversation
//! are its needs, and each call that ends there says something of a tool.

use std::sync::Arc;

use moka::sync::Cache;
use parking_lot::{Mutex, RwLock};
use tokio::sync::Semaphore;

use super::{conversation::FoundByKey, parts, past::Past};
use satchel_app::App;
use satchel_engine::invoker::Concluded;
use satchel_index::embed::embedder::Embedder;
use satchel_model::{
    call::Outcome,
    conversation::ConversationId,
    error::{Error, Result},
    learning::{Ended, Used},
    user::UserId,
};
use satchel_store::learning::Learning;

/// Conversations whose needs are known at once.
const CONVERSATIONS: u64 = 10_000;

/// Ends of calls that wait to be learned from; those beyond teach nothing.
const WAITING: usize = 256;

/// Needs that are embedded before their vectors are kept.
const BATCH: usize = 64;

/// Remembers and tells. Cheap to clone.
#[derive(Clone)]
pub struct Learner {
    app: Arc<App>,
    stored: Learning,
    needs: Cache<ConversationId, Needs>,
    loaded: Arc<Mutex<Option<Loaded>>>,
    /// One reads the past.
    reading: Arc<Semaphore>,
    /// Places among the ends of calls that wait to be learned from.
    waiting: Arc<Semaphore>,
    /// One learns at a time: in turn, so that the copy in memory misses no change.
    learning: Arc<Semaphore>,
    /// One embeds what another model had embedded.
    embedding: Arc<Semaphore>,
    /// What MCP clients have found.
    by_key: FoundByKey,
}

/// The needs in a conversation now.
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
    /// `true` if all of it is there: the rest is being embedded.
    whole: bool,
}

/// A call that ended.
struct Called {
    user: UserId,
    topic: ConversationId,
    /// The tool's id.
    tool: String,
    /// `true` if it did what was asked.
    success: bool,
}

impl Learner {
    pub(super) fn new(app: Arc<App>) -> Self {
        let stored = Learning::new(&app.db);
        Self {
            app,
            stored,
            needs: Cache::new(CONVERSATIONS),
            loaded: Arc::default(),
            reading: Arc::new(Semaphore::new(1)),
            waiting: Arc::new(Semaphore::new(WAITING)),
            learning: Arc::new(Semaphore::new(1)),
            embedding: Arc::new(Semaphore::new(1)),
            by_key: FoundByKey::default(),
        }
    }

    /// What MCP clients have found, by their keys.
    pub(super) fn by_key(&self) -> &FoundByKey {
        &self.by_key
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

    /// Learns from a call of a conversation. Innate tools are never looked for, so nothing is learned of them.
    pub fn concluded(&self, ended: &Concluded<'_>) {
        let Concluded { call, tool, is_approved, outcome } = *ended;
        let success = match outcome {
            Ok(Outcome::Done(_)) => true,
            Err(error) if error.is_tools_own() => false,
            _ => return,
        };
        // Collecting what a person has approved tells the same a second time.
        let is_collected = call.ticket.is_some() && !is_approved;
        let (Some(topic), false) = (call.topic, is_collected || call.dry_run) else { return };
        if !tool.spec().innate {
            self.called(Called { user: call.caller.user, topic, tool: tool.spec().id(), success });
        }
    }

    /// Learns from the end of a call, in the background: nobody waits for it.
    fn called(&self, called: Called) {
        let Some(Needs { request, search }) = self.needs.get(&called.topic) else { return };
        let Ok(place) = Arc::clone(&self.waiting).try_acquire_owned() else {
            tracing::debug!(tool = called.tool, "too many calls wait to be learned from");
            return;
        };
        let this = self.clone();
        let learn = async move {
            let _place = place;
            let Ok(_turn) = this.learning.acquire().await else { return };
            for need in [request, search].into_iter().flatten() {
                if let Err(error) = this.learn(&called, need).await {
                    tracing::warn!(?error, tool = called.tool, "nothing could be learned from a call");
                }
            }
        };
        let overdue = self.app.lifecycle.overdue.clone();
        let learn = async move { overdue.run_until_cancelled(learn).await };
        self.app.lifecycle.tracker.spawn_on(learn, &self.app.lifecycle.runtime);
    }

    async fn learn(&self, called: &Called, need: String) -> Result<()> {
        let embedder = self.app.search.embedder.steady();
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
        let version = self.stored.note(ended).await?;
        // The copy in memory takes the change over where it misses no other.
        if let (Some(loaded), Some(version)) = (&mut *self.loaded.lock(), version)
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

    /// The past needs, as far as they are embedded; none without a model. Says whether that is all of them: the others
    /// are embedded in the background, and nobody waits for it.
    pub async fn past(&self) -> Result<(Arc<RwLock<Past>>, bool)> {
        let embedder = self.app.search.embedder.steady();
        let Some(model) = embedder.model() else { return Ok((Arc::default(), true)) };
        let version = self.stored.version().await?;
        if let Some(known) = self.known(&model.id, version) {
            return Ok(known);
        }
        let _turn = self.reading.acquire().await.map_err(Error::internal)?;
        if let Some(known) = self.known(&model.id, version) {
            return Ok(known);
        }
        let (version, needs) = self.stored.all(&model.id).await?;
        let (known, missing): (Vec<_>, Vec<_>) = needs.into_iter().partition(|need| need.vector.is_some());
        let mut past = Past::default();
        for need in known {
            let vector = need.vector.unwrap_or_default();
            need.used.into_iter().for_each(|used| past.note(need.user, &need.text, &vector, used));
        }
        let (past, whole) = (Arc::new(RwLock::new(past)), missing.is_empty());
        if !whole {
            self.embed(embedder, model.id.clone(), missing.into_iter().map(|need| (need.id, need.text)).collect());
        }
        *self.loaded.lock() = Some(Loaded { version, model: model.id, past: Arc::clone(&past), whole });
        Ok((past, whole))
    }

    /// The past as it is in memory, where that is of this version or a newer one. What is not whole and is being embedded
    /// by nobody has failed: it is read again.
    fn known(&self, model: &str, version: i64) -> Option<(Arc<RwLock<Past>>, bool)> {
        let loaded = self.loaded.lock();
        let loaded = loaded.as_ref().filter(|loaded| loaded.model == model && loaded.version >= version)?;
        let stays = loaded.whole || self.embedding.available_permits() == 0;
        stays.then(|| (Arc::clone(&loaded.past), loaded.whole))
    }

    /// Embeds needs that another model had embedded, in the background; the next search reads them. Where it fails, the
    /// next search tries it again.
    fn embed(&self, embedder: Embedder, model: String, needs: Vec<(i64, String)>) {
        let Ok(turn) = Arc::clone(&self.embedding).try_acquire_owned() else { return };
        let this = self.clone();
        let work = async move {
            let _turn = turn;
            for batch in needs.chunks(BATCH) {
                let texts = batch.iter().map(|(_, text)| text.clone()).collect();
                let vectors = embedder.passages(texts).await?.unwrap_or_default();
                let made = batch.iter().map(|(id, _)| *id).zip(vectors).collect();
                this.stored.embed(&model, made).await?;
            }
            *this.loaded.lock() = None;
            Ok::<(), Error>(())
        };
        let shutdown = self.app.lifecycle.shutdown.clone();
        let work = async move {
            tokio::select! {
                () = shutdown.cancelled() => {}
                done = work => if let Err(error) = done {
                    tracing::warn!(?error, "what was learned could not be embedded anew");
                }
            }
        };
        self.app.lifecycle.tracker.spawn_on(work, &self.app.lifecycle.runtime);
    }

    /// Returns what was learned, as it is stored.
    pub fn stored(&self) -> &Learning {
        &self.stored
    }
}

/// A need as it is kept: its beginning; `None` if it says nothing.
fn kept(need: &str) -> Option<String> {
    let told = parts::beginning(need.trim());
    (!told.is_empty()).then(|| told.to_owned())
}
