//! The handle everybody finds tools with: the catalogue of the registry as it is now, and what was learned.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::{Mutex, RwLock};
use serde::Serialize;
use tokio::{
    sync::{OnceCell, watch},
    task::spawn_blocking,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    catalogue::Catalogue,
    embedding::Embedding,
    hit::{Hit, Search},
    learner::Learner,
    past::Past,
    ranking::{self, Question, Ranked},
    trial::{self, Case, Missed, Summary},
};
use satchel_app::App;
use satchel_engine::{authorise, policy::View, registry::Registry};
use satchel_index::embed::model::ModelInfo;
use satchel_model::{
    caller::{Caller, Permissions},
    error::{Error, Kind, Result},
    figure,
    score::DEPTH,
    settings::Settings,
};
use satchel_store::outcomes::Outcomes;

/// The time a search waits before it goes by words. For tools that are still to be embedded none waits at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For the vectors the database has to be read, where none is in memory.
    pub reading: Duration,
    /// For the need to be embedded.
    pub need: Duration,
    /// For all past requests to be tried: what is not tried by then does not count.
    pub trial: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { reading: Duration::from_secs(2), need: Duration::from_secs(2), trial: Duration::from_secs(60) }
    }
}

/// Finds tools. Cheap to clone.
#[derive(Clone)]
pub struct Finder {
    app: Arc<App>,
    learner: Learner,
    patience: Patience,
    now: Arc<RwLock<Option<Slot>>>,
}

/// The place of the catalogue of one registry with one model: whoever comes first makes it, and the others wait for it.
#[derive(Clone)]
struct Slot {
    registry: Arc<Registry>,
    model: Option<ModelInfo>,
    made: Arc<OnceCell<Arc<Prepared>>>,
    /// Fires when another slot has taken its place: what its catalogue has not embedded is the other's to embed.
    outdated: CancellationToken,
    /// The state of the slot before: what it knows of the same tools is taken over.
    before: Option<Arc<Prepared>>,
}

/// The catalogue of one registry with one model.
struct Prepared {
    registry: Arc<Registry>,
    model: Option<ModelInfo>,
    catalogue: Catalogue,
    stage: watch::Sender<Stage>,
    outdated: CancellationToken,
    mask: Mutex<Option<Mask>>,
}

/// The progress of a catalogue's meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nobody has asked for it, or it failed: the next search begins.
    Idle,
    /// The vectors the database has are read.
    Reading,
    /// The rest is embedded.
    Embedding,
    /// All is known.
    Done,
}

/// The tools somebody may call: asked again at every search, and the same most of the time.
#[derive(Clone)]
struct Mask {
    permissions: Permissions,
    settings: Arc<Settings>,
    policy: Arc<View>,
    allowed: Arc<[bool]>,
}

/// The caller who looks for tools, and among which.
#[derive(Clone, Copy)]
pub struct Asker<'a> {
    /// The tools.
    pub registry: &'a Arc<Registry>,
    /// The caller whose permissions count.
    pub caller: &'a Caller,
    /// The settings of what is switched on.
    pub settings: &'a Arc<Settings>,
    /// The say of the policies in the situation.
    pub policy: &'a Arc<View>,
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The best first; none where not even the best has anything to do with the need.
    pub hits: Vec<Hit>,
    /// A caution to take the answer with, for instance that only words were compared.
    pub note: Option<&'static str>,
}

/// The result of trying one's own past requests.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Trial {
    /// The quality with which the tools that helped are found again, nothing that was learned counting.
    #[serde(flatten)]
    pub summary: Summary,
    /// Requests whose tool did not come first.
    pub lost: Vec<Missed>,
    /// A caution to take the figures with.
    pub note: Option<&'static str>,
}

/// Most past requests that are tried, the newest.
const TRIED: usize = 500;
/// Most that are named as lost.
const LOST: usize = 50;
const NO_MODEL: &str = "There is no embedding model in use: tools were found by their words alone.";
const CUT: &str = "It took too long to try all of your past requests: these are the figures of the newest.";
const FORGETFUL: &str = "What was learned from earlier requests is still being embedded, and did not all count.";
const FAR: &str = "Nothing fits well: say what you need in other words. The built-in model reads English.";
const NOT_READY: &str =
    "The tools, or the need, are still being embedded: this time they were found by their words alone.";
const PARTLY: &str = "Some tools are still being embedded: those were found by their words alone.";
const IN_SHORT: &str =
    "The tools' details are still being embedded: until then they are found by name and description.";

fn too_slow(waited: Duration) -> Error {
    let waited = figure::duration(waited);
    let told =
        format!("None of your past requests could be tried within {waited}: the machine is busy. Try again later.");
    Error::new(Kind::Timeout, told)
}

impl Finder {
    /// A finder over these services.
    pub fn new(app: Arc<App>) -> Self {
        Self { learner: Learner::new(Arc::clone(&app)), app, patience: Patience::default(), now: Arc::default() }
    }

    /// The same finder, for whoever waits longer or shorter than others.
    #[must_use]
    pub fn with_patience(&self, patience: Patience) -> Self {
        Self { patience, ..self.clone() }
    }

    /// Returns the learner of what comes of use.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// The best tools for a need, among those the caller may call now: others are not even scored. An empty need is none.
    pub async fn find(&self, asker: Asker<'_>, need: &str, limit: usize) -> Result<Found> {
        if need.trim().is_empty() {
            return Err(Error::invalid("The need is empty: say in plain words what you want to do."));
        }
        let prepared = self.prepared(asker.registry).await?;
        let question = self.question(&prepared, need).await?;
        let (past, remembers) = self.learner.past().await?;
        let weights = Outcomes::new(&self.app.db).weights().await?;
        past.write().weigh(weights);
        let past = past.read();
        let allowed = prepared.allowed(asker);
        let catalogue = &prepared.catalogue;
        let mut ranked = ranking::rank(catalogue, &question, &allowed, &past, limit);
        let far = ranked.first().is_some_and(Ranked::is_far);
        // Where not even the best fits, none is shown; else what only comes before what fits even less is not.
        ranked.retain(|one| !far && !one.is_far());
        let best = ranked.first().map_or(0.0, |one| one.score);
        let caller = asker.caller;
        let person = caller.personal.then_some(caller.user);
        let search = Search { catalogue, question: &question, past: &past, person, registry: asker.registry };
        let tools = asker.registry.tools();
        let hits = ranked.iter().filter_map(|one| Some(search.hit(tools.get(one.tool)?, one, best))).collect();
        let note = prepared.note(question.whole.vector.is_some());
        let note = note.or((!remembers).then_some(FORGETFUL)).or(far.then_some(FAR));
        Ok(Found { hits, note })
    }

    /// The first places for a need among these tools, as they are numbered in the registry; nothing that was learned
    /// counts.
    pub(super) async fn places(&self, registry: &Arc<Registry>, need: &str, among: &[bool]) -> Result<Vec<usize>> {
        let prepared = self.prepared(registry).await?;
        let question = self.question(&prepared, need).await?;
        let ranked = ranking::rank(&prepared.catalogue, &question, among, &Past::default(), DEPTH);
        Ok(ranked.into_iter().map(|one| one.tool).collect())
    }

    /// Tries the tools this caller may call out on their own past requests.
    pub async fn try_out(&self, asker: Asker<'_>) -> Result<Trial> {
        let began = Instant::now();
        let prepared = self.prepared(asker.registry).await?;
        let by_meaning = prepared.catalogue.views().is_some();
        let (past, _) = self.learner.past().await?;
        let cases: Vec<Case> = past.read().cases(asker.caller.user).take(TRIED).collect();
        let catalogue = &prepared.catalogue;
        let allowed = prepared.allowed(asker);
        let nothing = Past::default();
        let mut without = Vec::with_capacity(cases.len());
        for case in cases.chunks(1) {
            let left = self.patience.trial.saturating_sub(began.elapsed());
            if left.is_zero() {
                break;
            }
            let answering = trial::answer(catalogue, &nothing, &self.app.search.embedder, &allowed, case);
            let Ok(answers) = timeout(left, answering).await else { break };
            without.extend(answers?);
        }
        if without.is_empty() && !cases.is_empty() {
            return Err(too_slow(self.patience.trial));
        }
        let is_cut = without.len() < cases.len();
        // The newest come first.
        let cases = cases.get(..without.len()).unwrap_or_default();
        let zero_shot = trial::summary("requests", catalogue.profiles().len(), cases, &without);
        let lost = trial::lost(cases, &without).take(LOST).collect();
        let note = is_cut.then_some(CUT).or(prepared.note(by_meaning));
        Ok(Trial { summary: zero_shot, lost, note })
    }

    /// Reads a need, by its words alone where nothing can be compared with its meaning or that is not known in time.
    async fn question(&self, prepared: &Prepared, need: &str) -> Result<Question> {
        if prepared.catalogue.views().is_none() {
            return Ok(Question::of_words(need));
        }
        match timeout(self.patience.need, Question::new(&self.app.search.embedder, need)).await {
            Ok(Ok(question)) => Ok(question),
            Ok(Err(error)) if error.kind() != Kind::Busy => Err(error),
            Ok(Err(_)) | Err(_) => Ok(Question::of_words(need)),
        }
    }

    /// The catalogue of this registry, with as much of its meaning as is known. The rest is embedded in the background.
    async fn prepared(&self, registry: &Arc<Registry>) -> Result<Arc<Prepared>> {
        let prepared = self.current(registry).await?;
        let Some(model) = prepared.model.clone() else { return Ok(prepared) };
        if prepared.begin() {
            let (app, mine) = (Arc::clone(&self.app), Arc::clone(&prepared));
            let embed = async move {
                tokio::select! {
                    () = app.lifecycle.shutdown.cancelled() => {}
                    () = mine.outdated.cancelled() => mine.stop(),
                    done = mine.embed(&app, &model) => mine.end(done),
                }
            };
            self.app.lifecycle.tracker.spawn_on(embed, &self.app.lifecycle.runtime);
        }
        if prepared.catalogue.views().is_none() {
            let mut stage = prepared.stage.subscribe();
            // Whoever waited too long goes on without; the task does not end with them.
            timeout(self.patience.reading, stage.wait_for(|stage| *stage != Stage::Reading)).await.ok();
        }
        Ok(prepared)
    }

    /// The catalogue of this registry with the model in use, made beside the async threads where nobody has asked for it.
    async fn current(&self, registry: &Arc<Registry>) -> Result<Arc<Prepared>> {
        let slot = self.slot(registry);
        let made = Arc::clone(&slot.made);
        let make = || async move {
            let make = spawn_blocking(move || Prepared::new(slot));
            make.await.map(Arc::new).map_err(Error::internal)
        };
        let prepared = made.get_or_try_init(make).await?;
        self.let_go_of_before(&made);
        Ok(Arc::clone(prepared))
    }

    fn slot(&self, registry: &Arc<Registry>) -> Slot {
        let model = self.app.search.embedder.model();
        // Each caller looks at the tools through a registry of their own.
        let is_it = |slot: &&Slot| slot.registry.has_same_tools(registry) && slot.model == model;
        if let Some(slot) = self.now.read().as_ref().filter(is_it) {
            return slot.clone();
        }
        let mut now = self.now.write();
        if let Some(slot) = now.as_ref().filter(is_it) {
            return slot.clone();
        }
        let before = now.take().and_then(|slot| {
            slot.outdated.cancel();
            slot.made.get().cloned().or(slot.before)
        });
        let (made, outdated) = (Arc::default(), CancellationToken::new());
        now.insert(Slot { registry: Arc::clone(registry), model, made, outdated, before }).clone()
    }

    /// Nothing more is taken over once a catalogue is made.
    fn let_go_of_before(&self, made: &Arc<OnceCell<Arc<Prepared>>>) {
        let is_kept = |slot: &Slot| Arc::ptr_eq(&slot.made, made) && slot.before.is_some();
        // Seldom: of most searches, none has to wait for the others.
        let kept = self.now.read().as_ref().is_some_and(is_kept);
        if kept && let Some(slot) = self.now.write().as_mut().filter(|slot| is_kept(slot)) {
            slot.before = None;
        }
    }
}

impl Prepared {
    /// With the vectors that the catalogue before has of the same model.
    fn new(slot: Slot) -> Self {
        let Slot { registry, model, outdated, before, .. } = slot;
        let catalogue = Catalogue::of_registry(&registry);
        if let (Some(model), Some(before)) = (&model, before.filter(|before| before.model == model)) {
            catalogue.take_over(&before.catalogue, model.dimensions);
        }
        let stage = watch::Sender::new(Stage::Idle);
        Self { registry, model, catalogue, stage, outdated, mask: Mutex::default() }
    }

    /// Returns a note on a search that went, or did not go, by meaning. It may be ready by now.
    fn note(&self, by_meaning: bool) -> Option<&'static str> {
        let unseen = self.catalogue.views().map_or(0, |views| views.unseen());
        match &self.model {
            None => Some(NO_MODEL),
            Some(_) if !by_meaning => Some(NOT_READY),
            Some(_) if unseen > 0 => Some(PARTLY),
            Some(_) => (*self.stage.borrow() == Stage::Embedding).then_some(IN_SHORT),
        }
    }

    /// Returns whether it is this caller's to bring the meaning together: it was nobody's before.
    fn begin(&self) -> bool {
        self.stage.send_if_modified(|stage| {
            let idle = *stage == Stage::Idle;
            if idle {
                *stage = Stage::Reading;
            }
            idle
        })
    }

    async fn embed(&self, app: &App, model: &ModelInfo) -> Result<()> {
        let begun = Embedding::begin(&app.db, &app.search.embedder, model, &self.catalogue);
        let mut embedding = begun.ok_or_else(|| Error::internal("the embedding model went away"))?;
        let missing = embedding.known().await?;
        self.stage.send_replace(if missing.is_empty() { Stage::Done } else { Stage::Embedding });
        embedding.rest(missing).await
    }

    /// Nobody is to wait for what another one reads now.
    fn stop(&self) {
        self.stage.send_replace(Stage::Embedding);
    }

    fn end(&self, done: Result<()>) {
        if let Err(error) = &done {
            tracing::warn!(?error, "the tools could not be embedded and are found by their words");
        }
        self.stage.send_replace(if done.is_ok() { Stage::Done } else { Stage::Idle });
    }

    fn allowed(&self, asker: Asker<'_>) -> Arc<[bool]> {
        let mut mask = self.mask.lock();
        if let Some(mask) = &*mask
            && Arc::ptr_eq(&mask.settings, asker.settings)
            && Arc::ptr_eq(&mask.policy, asker.policy)
            && mask.permissions == asker.caller.permissions
        {
            return Arc::clone(&mask.allowed);
        }
        let may = |tool| authorise::may_call(tool, asker.caller, asker.settings, asker.policy);
        let allowed: Arc<[bool]> = self.registry.tools().iter().map(|tool| may(tool)).collect();
        let (permissions, settings) = (asker.caller.permissions.clone(), Arc::clone(asker.settings));
        let policy = Arc::clone(asker.policy);
        *mask = Some(Mask { permissions, settings, policy, allowed: Arc::clone(&allowed) });
        allowed
    }
}
