//! The handle everybody finds tools with: the catalogue of the registry as it is now, and what was learned.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::{Mutex, RwLock};
use serde::Serialize;
use tokio::sync::OnceCell;

use super::{
    catalogue::Catalogue,
    hit::{Hit, Search},
    learner::Learner,
    past::Past,
    ranking::{self, Question, Ranked},
    trial::{self, Case, Missed, Summary},
    views,
};
use crate::{
    app::App,
    engine::{authorise, registry::Registry},
    model::{
        caller::{Caller, Permissions},
        error::{Error, Result},
        score::DEPTH,
        settings::Settings,
    },
    store::{tool_texts, vectors},
};

/// How long searches wait for tools to be embedded, from the first of them on; then they go by words until it is done.
const PATIENCE: Duration = Duration::from_secs(2);

/// Finds tools. Cheap to clone.
#[derive(Clone)]
pub struct Finder {
    app: Arc<App>,
    learner: Learner,
    now: Arc<RwLock<Option<Arc<Prepared>>>>,
}

/// The catalogue of one registry with one model.
struct Prepared {
    registry: Arc<Registry>,
    model: Option<String>,
    catalogue: Catalogue,
    seen: OnceCell<()>,
    since: Instant,
    mask: Mutex<Option<Mask>>,
}

/// Which tools somebody may call: asked again at every search, and the same most of the time.
#[derive(Clone)]
struct Mask {
    permissions: Permissions,
    settings: Arc<Settings>,
    allowed: Arc<[bool]>,
}

/// Who looks for tools, and among which.
#[derive(Clone, Copy)]
pub struct Asker<'a> {
    /// The tools.
    pub registry: &'a Arc<Registry>,
    /// Whose permissions count.
    pub caller: &'a Caller,
    /// What is switched on.
    pub settings: &'a Arc<Settings>,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The best first.
    pub hits: Vec<Hit>,
    /// What the answer must be taken with, for instance that only words were compared.
    pub note: Option<&'static str>,
    /// Not even the best has anything to do with the need.
    pub far: bool,
}

/// What came of one's own past requests.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Trial {
    /// How well the tools that helped are found again, nothing that was learned counting.
    #[serde(flatten)]
    pub summary: Summary,
    /// Requests whose tool did not come first.
    pub lost: Vec<Missed>,
    /// What the figures must be taken with.
    pub note: Option<&'static str>,
}

/// Most past requests that are tried, the newest.
const TRIED: usize = 500;
/// Most that are named as lost.
const LOST: usize = 50;
const NO_MODEL: &str = "There is no embedding model in use: tools were found by their words alone.";
const FAR: &str = "Nothing fits well: say what you need in other words. The built-in model reads English.";
const NOT_READY: &str = "The tools are still being embedded: this time they were found by their words alone.";

impl Finder {
    /// A finder over these services.
    pub fn new(app: Arc<App>) -> Self {
        Self { learner: Learner::new(Arc::clone(&app)), app, now: Arc::default() }
    }

    /// What is learned from use.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// The best tools for a need, among those the caller may call now: others are not even scored. An empty need is none.
    pub async fn find(&self, asker: Asker<'_>, need: &str, limit: usize) -> Result<Found> {
        if need.trim().is_empty() {
            return Err(Error::invalid("The need is empty: say in plain words what you want to do."));
        }
        let prepared = self.prepared(asker.registry).await;
        let question = self.question(&prepared, need).await?;
        let past = self.learner.past().await?;
        let past = past.read();
        let allowed = prepared.allowed(asker);
        let catalogue = &prepared.catalogue;
        let ranked = ranking::rank(catalogue, &question, &allowed, &past, limit);
        let best = ranked.first().map_or(0.0, |one| one.score);
        let search =
            Search { catalogue, question: &question, past: &past, user: asker.caller.user, registry: asker.registry };
        let tools = asker.registry.tools();
        let hits = ranked.iter().filter_map(|one| Some(search.hit(tools.get(one.tool)?, one, best))).collect();
        let far = ranked.first().is_some_and(Ranked::is_far);
        let note = prepared.note(question.whole.vector.is_some()).or(far.then_some(FAR));
        Ok(Found { hits, note, far })
    }

    /// The first places for a need among these tools, as they are numbered in the registry; nothing that was learned
    /// counts.
    pub(super) async fn places(&self, registry: &Arc<Registry>, need: &str, among: &[bool]) -> Result<Vec<usize>> {
        let prepared = self.prepared(registry).await;
        let question = self.question(&prepared, need).await?;
        let ranked = ranking::rank(&prepared.catalogue, &question, among, &Past::default(), DEPTH);
        Ok(ranked.into_iter().map(|one| one.tool).collect())
    }

    /// Tries the tools this caller may call out on his own past requests.
    pub async fn try_out(&self, asker: Asker<'_>) -> Result<Trial> {
        let prepared = self.prepared(asker.registry).await;
        let by_meaning = prepared.catalogue.views().is_some();
        let past = self.learner.past().await?;
        let cases: Vec<Case> = past.read().cases(asker.caller.user).take(TRIED).collect();
        let catalogue = &prepared.catalogue;
        let allowed = prepared.allowed(asker);
        let without = trial::answer(catalogue, &Past::default(), &self.app.embedder, &allowed, &cases).await?;
        let zero_shot = trial::summary("requests", catalogue.profiles().len(), &cases, &without);
        let lost = trial::lost(&cases, &without).take(LOST).collect();
        Ok(Trial { summary: zero_shot, lost, note: prepared.note(by_meaning) })
    }

    async fn question(&self, prepared: &Prepared, need: &str) -> Result<Question> {
        if prepared.catalogue.views().is_some() {
            Question::of(&self.app.embedder, need).await
        } else {
            Ok(Question::of_words(need))
        }
    }

    /// The catalogue of this registry, embedded unless that takes too long or there is no model.
    async fn prepared(&self, registry: &Arc<Registry>) -> Arc<Prepared> {
        let prepared = self.current(registry);
        if prepared.model.is_some() && !prepared.seen.initialized() {
            let (app, mine) = (Arc::clone(&self.app), Arc::clone(&prepared));
            let embed = async move {
                tokio::select! {
                    () = app.shutdown.cancelled() => {}
                    done = mine.seen.get_or_try_init(|| mine.embed(&app)) => {
                        if let Err(error) = done {
                            tracing::warn!(?error, "the tools could not be embedded and are found by their words");
                        }
                    }
                }
            };
            let task = self.app.tracker.spawn_on(embed, &self.app.runtime);
            // Whoever waited too long goes on without; the task does not end with him.
            tokio::time::timeout(PATIENCE.saturating_sub(prepared.since.elapsed()), task).await.ok();
        }
        prepared
    }

    fn current(&self, registry: &Arc<Registry>) -> Arc<Prepared> {
        let model = self.app.embedder.model().map(|model| model.id);
        if let Some(prepared) = &*self.now.read()
            && Arc::ptr_eq(&prepared.registry, registry)
            && prepared.model == model
        {
            return Arc::clone(prepared);
        }
        let prepared = Arc::new(Prepared {
            registry: Arc::clone(registry),
            model,
            catalogue: Catalogue::of_registry(registry),
            seen: OnceCell::new(),
            since: Instant::now(),
            mask: Mutex::default(),
        });
        *self.now.write() = Some(Arc::clone(&prepared));
        prepared
    }
}

impl Prepared {
    /// What is to be known of a search that went, or did not go, by meaning. It may be ready by now.
    fn note(&self, by_meaning: bool) -> Option<&'static str> {
        match &self.model {
            _ if by_meaning => None,
            None => Some(NO_MODEL),
            Some(_) => Some(NOT_READY),
        }
    }

    async fn embed(&self, app: &App) -> Result<()> {
        let texts = self.catalogue.texts();
        let vectors = views::embedded(&app.db, &app.embedder, &texts).await?;
        let vectors = vectors.ok_or_else(|| Error::internal("the embedding model went away"))?;
        self.catalogue.see(&vectors);
        let hashes: Vec<_> = texts.iter().map(|text| vectors::hash(text)).collect();
        app.db.write(move |c| tool_texts::keep(c, &hashes)).await
    }

    fn allowed(&self, asker: Asker<'_>) -> Arc<[bool]> {
        let mut mask = self.mask.lock();
        if let Some(mask) = &*mask
            && Arc::ptr_eq(&mask.settings, asker.settings)
            && mask.permissions == asker.caller.permissions
        {
            return Arc::clone(&mask.allowed);
        }
        let may = |tool| authorise::may_call(tool, asker.caller, asker.settings);
        let allowed: Arc<[bool]> = self.registry.tools().iter().map(|tool| may(tool)).collect();
        let (permissions, settings) = (asker.caller.permissions.clone(), Arc::clone(asker.settings));
        *mask = Some(Mask { permissions, settings, allowed: Arc::clone(&allowed) });
        allowed
    }
}
