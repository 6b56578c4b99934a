//! The pipeline: the one function that runs a tool, whoever asks and through whichever door.
//!
//! find → authorise → validate → confirm → configure → run → sanitise → audit → remember.
//! Each step is a file of its own beside this one, and each fails closed.

use std::{collections::HashMap, panic::AssertUnwindSafe, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture};
use parking_lot::RwLock;
use serde_json::json;

use super::{
    approval::{Approval, Coverage, To},
    approved::ApprovedCalls,
    authorise, bounds, changed, configure,
    confirm::{self, Asked, AssessedCall},
    consent,
    context::{Conclusion, Pipeline, Run, Toolset},
    cut,
    grant::Grant,
    judged::Judged,
    origin,
    places::{self, Place, Places},
    policy::{PolicyCache, View},
    record::Record,
    registry::{self, Found, Refused, Registry},
    run::{self, Stops},
    sanitise,
    tool::Tool,
};
use satchel_app::App;
use satchel_formats::fragment;
use satchel_model::{
    call::{Call, Done, Outcome},
    error::{Error, Result},
    origin::Origin,
    output::Output,
    policy::Situation,
    spec::Source,
};
use satchel_share::{Part, behalf};
use satchel_store::{
    conversations::Conversations,
    results::{Results, StoredText},
};

/// Runs calls. Cheap to clone; every clone is the same invoker.
#[derive(Clone)]
pub struct Invoker {
    /// The handles of the platform.
    pub app: Arc<App>,
    registry: Arc<RwLock<Arc<Registry>>>,
    listeners: Arc<[Listener]>,
    pub(super) approved: ApprovedCalls,
    places: Places,
    policies: PolicyCache,
}

impl Invoker {
    /// An invoker over these tools.
    pub fn new(app: Arc<App>, registry: Registry) -> Self {
        let registry = Arc::new(RwLock::new(Arc::new(registry)));
        let listeners = Arc::new([]);
        Self {
            app,
            registry,
            listeners,
            approved: ApprovedCalls::default(),
            places: Places::default(),
            policies: PolicyCache::default(),
        }
    }

    /// The same invoker, which tells this listener as well of the outcome of each call that teaches something.
    #[must_use]
    pub fn on_outcome(self, listener: impl Fn(&Concluded<'_>) + Send + Sync + 'static) -> Self {
        let listener: Listener = Arc::new(listener);
        let listeners = self.listeners.iter().cloned().chain([listener]).collect();
        Self { listeners, ..self }
    }

    /// The same invoker over other tools: for trying one out that is not offered to anybody.
    #[must_use]
    pub fn beside(&self, registry: Registry) -> Self {
        let policies = PolicyCache::default();
        Self { registry: Arc::new(RwLock::new(Arc::new(registry))), policies, ..self.clone() }
    }

    /// The tools as they are now.
    pub fn registry(&self) -> Arc<Registry> {
        Arc::clone(&self.registry.read())
    }

    /// The say of the policies in force on the tools there are, in a situation.
    pub fn policy(&self, situation: &Situation) -> Arc<View> {
        self.policies.view(&self.app.stores.policies.get(), self.registry().set().tools.clone(), situation)
    }

    /// From now on `source` has these tools and no others. What could not be registered comes back.
    pub fn offer<T: Into<Arc<Tool>>>(&self, source: Source, tools: Vec<T>) -> Vec<Refused> {
        let mut now = self.registry.write();
        let (registry, refused) = now.with_source(source, tools);
        *now = Arc::new(registry);
        refused
    }

    /// From now on whoever asks for one of these names, which should mean tools and do not, is told this.
    pub fn tell_broken(&self, broken: HashMap<String, String>) {
        let mut now = self.registry.write();
        *now = Arc::new(now.with_broken(broken));
    }

    /// Checks that a call's tool is there, and that its caller may use it now; not its arguments.
    ///
    /// # Errors
    ///
    /// If it is not, or they may not.
    pub fn ensure_callable(&self, call: &Call) -> Result<()> {
        let found = self.registry().as_seen_by(&call.caller).find(&call.tool)?;
        let policy = self.policy(&call.situation);
        Grant::check(&found.tool, &call.caller, &self.app.settings.get(), &policy).map(drop)
    }

    /// Runs a call to its end, in a task of its own: when the caller goes away, the call and its audit row do not.
    pub async fn invoke(&self, call: Call, stops: impl Into<Stops>) -> Result<Outcome> {
        self.start(call, None, stops.into()).await.outcome
    }

    /// Runs a call, with a person's approval where it or its parent has one.
    pub(super) async fn start(&self, call: Call, approval: Option<Approval>, stops: Stops) -> Conclusion {
        let (is_heavy, user) = (places::is_heavy(&call), Some(call.caller.user));
        let this = self.clone();
        let attempt = async move {
            match this.places.take(&call).await {
                Ok(Place { turn, call: _call, room: _room }) => {
                    places::run(is_heavy, this.attempt(call, approval, stops, turn)).await
                }
                Err(error) => Conclusion { outcome: Err(error), origin: None },
            }
        };
        let task = self.app.lifecycle.tracker.spawn_on(behalf::run_as(user, attempt), &self.app.lifecycle.runtime);
        task.await.unwrap_or_else(|error| Conclusion { outcome: Err(Error::internal(error)), origin: None })
    }

    /// Opens the record, takes the steps, closes the record: a panic closes it too.
    async fn attempt(&self, call: Call, approval: Option<Approval>, stops: Stops, turn: Option<Part>) -> Conclusion {
        let mut record = Record::open(&call, approval.as_ref(), self.app.clock.now());
        let registry = self.registry();
        // Looked up once: whoever withdraws it while it runs does not take away what it is.
        let found = registry.find(&call.tool);
        let is_hidden = found.as_ref().is_ok_and(|found| !authorise::may_see(&found.tool, &call.caller));
        let registry = Arc::new(registry.as_seen_by(&call.caller));
        let outcome = match &found {
            Ok(found) => {
                let attempt = Attempt {
                    call: &call,
                    approval: approval.as_ref(),
                    found,
                    registry: &registry,
                    stops: &stops,
                    turn,
                };
                let steps = AssertUnwindSafe(self.steps(attempt, &mut record)).catch_unwind();
                steps.await.unwrap_or_else(|panic| Err(run::panicked(&panic)))
            }
            Err(error) => Err(error.clone()),
        };
        let tool = found.ok().map(|found| found.tool);
        let now = self.app.clock.now();
        let origin = tool.as_ref().and_then(|tool| origin::of_outcome(tool, &call.params, &outcome, now));
        record.note_origin(origin.as_ref());
        let teaches = record.teaches();
        let closed = record.close(&self.app, &outcome).await;
        // The audit knows why; the caller learns no more than of a name that nobody has.
        let outcome = if is_hidden { Err(registry::unknown(&call.tool)) } else { outcome };
        let kept = closed.and(self.note_origin(&call, origin.clone()).await);
        if let (Some(tool), Ok(()), true) = (tool, &kept, teaches) {
            let is_approved = approval.is_some();
            let concluded = Concluded { call: &call, tool: &tool, is_approved, outcome: &outcome };
            self.listeners.iter().for_each(|listener| listener(&concluded));
        }
        Conclusion { outcome: kept.and(outcome), origin }
    }

    /// This, as what a call goes back to.
    pub(super) fn pipeline(&self) -> Arc<dyn Pipeline> {
        Arc::new(self.clone())
    }

    /// The origin of the content from outside that is in the conversation a call belongs to, which has to be the caller's
    /// own.
    pub(super) async fn origin_of_conversation(&self, call: &Call) -> Result<Option<Origin>> {
        match call.topic {
            Some(topic) => {
                call.caller.ensure_personal()?;
                Ok(Conversations::new(&self.app.db).get(call.caller.user, topic).await?.origin())
            }
            // A job has none: what it was made of, and what its webhook carried, is with its calls.
            None if call.depth == 0 || call.programmed => {
                Ok(call.origin.clone().filter(|origin| origin.is_outside_for(&call.caller)))
            }
            None => Ok(None),
        }
    }

    /// Remembers in the conversation that content from outside has come in, and where from. What came in through a call
    /// within another is told by that one's outcome.
    async fn note_origin(&self, call: &Call, origin: Option<Origin>) -> Result<()> {
        match (call.topic.filter(|_| call.depth == 0 && !call.dry_run), origin) {
            (Some(topic), Some(origin)) => Conversations::new(&self.app.db).taint(topic, origin).await,
            _ => Ok(()),
        }
    }

    async fn steps(&self, attempt: Attempt<'_>, record: &mut Record) -> Result<Outcome> {
        let Attempt { call, approval, found, registry, stops, turn } = attempt;
        record.found(found, &call.params);
        let settings = self.app.settings.get();
        let policy = self.policy(&call.situation);
        let grant = Grant::check(&found.tool, &call.caller, &settings, &policy)?;
        let origin = self.origin_of_conversation(call).await?;
        let tainted = origin.is_some();
        if tainted {
            record.tainted();
        }
        let arguments = found.own_arguments(call.params.clone())?;
        found.tool.check_available(&settings)?;
        let prepared = registry.prepare(&found.tool, arguments)?;
        let risk = prepared.risk;
        record.weighed(risk, &prepared.arguments);
        bounds::check_risk(&found.tool, &call.caller, risk)?;
        let judged = Judged::new(&self.app, &policy, registry, call, &prepared).await?;
        let pending = consent::pending(&self.app, registry, &call.caller, &found.tool).await?;
        let assessed = AssessedCall { call, found, registry, prepared: &prepared, tainted, pending, judged };
        if call.dry_run {
            return self.rehearse(&assessed).await;
        }
        let coverage = match approval {
            Some(approval) => self.coverage(approval, &assessed).await?,
            None => None,
        };
        if coverage.is_none()
            && let Some(outcome) = confirm::check(&self.pipeline(), &assessed, record).await?
        {
            return Ok(outcome);
        }
        let own = configure::load(&self.app, &found.tool).await?;
        record.about_to_run(&self.app).await?;
        // Whatever the run has started ends with it, when it times out too.
        let cancel = stops.asked.child_token();
        let _ends = cancel.clone().drop_guard();
        // What calls another is the author's, and no text from outside decides what: only what is written has its origin.
        let words = call.tool_words.as_ref().map(|words| words.origin.clone());
        let origin = call.origin.clone().or(origin).or(words);
        let run = Run { call: call.without_params(), settings: own.clone(), cancel, coverage, origin };
        let (context, running) = grant.run(self.pipeline(), run, prepared)?;
        // It may wait for others now, as long as it likes.
        drop(turn);
        let output = tokio::select! {
            biased;
            stopped = stops.stopped(&self.app, call, risk) => Err(stopped),
            output = run::in_time(found.tool.spec().timeout, running) => output,
        };
        if let Some(ticket) = context.awaited() {
            return Ok(Outcome::Confirm(Box::new(ticket)));
        }
        let output = sanitise::redact(context.taint().mark(output), &own).map_err(Error::of_tool)?;
        let mut done = self.done(call, found, output, record);
        let read = origin::of_output(&found.tool, &call.params, &done.output, self.app.clock.now());
        done.handle = self.keep_long(call, approval, &mut done, read.or_else(|| context.taint().origin())).await;
        if let Some(rule) = record.ruled_by() {
            done.approved.approved_by = Some(rule);
        }
        done.room = context.room().leave(&done.output);
        Ok(Outcome::Done(Box::new(done)))
    }

    /// The coverage that an approval gives a call and the calls within it; `None` where it does not reach as far as this call
    /// goes. Fails where the call is not what was approved, or does what its person was not told of.
    async fn coverage(&self, approval: &Approval, assessed: &AssessedCall<'_>) -> Result<Option<Coverage>> {
        let risk = assessed.prepared.risk;
        match &approval.to {
            To::This { definition, scripts } => {
                let extent = assessed.extent(&self.app).await?;
                if extent.definition != *definition || risk > approval.up_to {
                    return Err(changed::refusal());
                }
                consent::agree(&self.app, assessed.call.caller.user, &assessed.pending, scripts).await?;
                let places = extent.places().cloned().collect();
                let asks = assessed.judged.asks.iter().cloned();
                let reasons = extent.reasons.into_iter().map(|reason| reason.text).chain(asks).collect();
                Ok(Some(Coverage { risk, places, reasons, parts: Arc::new(extent.parts) }))
            }
            To::Within(coverage) if risk <= approval.up_to => {
                confirm::ensure_covered(&self.app, assessed, coverage).await?;
                Ok(Some(Coverage { risk, ..coverage.clone() }))
            }
            To::Within(_) => Ok(None),
        }
    }

    fn done(&self, call: &Call, found: &Found, mut output: Output, record: &Record) -> Done {
        if let Some(alias) = found.alias() {
            output.data = alias.project(output.data);
        }
        output.html = output.html.map(|html| fragment::clean(&html));
        sanitise::lift_budget(&mut output);
        Done::new(call.id, found.tool.spec().id(), output, record.ran_for())
    }

    /// Keeps the whole of a result that a model reads cut, where its conversation can ask for the rest. Gives the handle.
    async fn keep_long(
        &self,
        call: &Call,
        approval: Option<&Approval>,
        done: &mut Done,
        origin: Option<Origin>,
    ) -> Option<String> {
        let (Some(topic), 0) = (call.topic, call.depth) else { return None };
        // A character has four bytes at most: one that is this long is not rendered to see that it is too long.
        let fits = !cut::says_more(&done.output, 4 * sanitise::LIMIT)
            && match approval {
                // What the person changed may be told before it.
                Some(_) => sanitise::fits_with_changes(&done.output),
                None => sanitise::fits(&sanitise::render(&done.output)),
            };
        if fits {
            return None;
        }
        let whole = cut::copy_text(&mut done.output.data).await?;
        let results = Results::new(&self.app.db, call.caller.user, Some(topic));
        // What was done is not called a failure because its text is read cut.
        let kept = results.put(StoredText { text: whole, origin }, self.app.clock.now()).await;
        kept.inspect_err(|error| tracing::warn!(?error, "a long result could not be kept")).ok()
    }

    /// What a dry run answers: everything was checked, nothing was run.
    async fn rehearse(&self, assessed: &AssessedCall<'_>) -> Result<Outcome> {
        let spec = assessed.found.tool.spec();
        configure::load(&self.app, &assessed.found.tool).await?;
        let (reason, question, rule) = match confirm::asked(&self.pipeline(), assessed).await? {
            Asked::Pass => (None, None, None),
            Asked::Spared(rule) => (None, None, Some(rule.id)),
            Asked::Person(asked) => (Some(asked.reason), Some(asked.question.text), None),
        };
        let data = json!({
            "dry_run": true, "tool": spec.id(), "arguments": assessed.prepared.arguments,
            "risk": assessed.prepared.risk.as_str(), "asks": reason.is_some(), "reason": reason,
            "question": question, "rule": rule,
        });
        let done = Done::new(assessed.call.id, spec.id(), Output::json(data), 0);
        Ok(Outcome::Done(Box::new(done)))
    }
}

impl Pipeline for Invoker {
    fn app(&self) -> &App {
        &self.app
    }

    fn tools(&self) -> Toolset {
        self.registry().set().clone()
    }

    fn policy(&self, situation: &Situation) -> Arc<View> {
        self.policy(situation)
    }

    fn start(&self, call: Call, approval: Option<Approval>, stops: Stops) -> BoxFuture<'_, Conclusion> {
        Box::pin(self.start(call, approval, stops))
    }
}

/// Hears of the outcomes of calls.
type Listener = Arc<dyn Fn(&Concluded<'_>) + Send + Sync>;

/// A call that has ended and is in the audit, for those who listen.
pub struct Concluded<'a> {
    /// The call.
    pub call: &'a Call,
    /// Its tool.
    pub tool: &'a Tool,
    /// Whether a person's approval ran it.
    pub is_approved: bool,
    /// The answer to its caller.
    pub outcome: &'a Result<Outcome>,
}

/// A call whose tool is known.
struct Attempt<'a> {
    call: &'a Call,
    approval: Option<&'a Approval>,
    found: &'a Found,
    registry: &'a Registry,
    stops: &'a Stops,
    /// At checking and assessing it, where its arguments are large.
    turn: Option<Part>,
}
