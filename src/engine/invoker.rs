//! The pipeline: the one function that runs a tool, whoever asks and through whichever door.
//!
//! find → authorise → validate → confirm → configure → run → sanitise → audit → remember.
//! Each step is a file of its own beside this one, and each fails closed.

use std::{collections::HashMap, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;
use parking_lot::RwLock;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    authorise, configure,
    confirm::{self, Confirmation, Weighed},
    context::{Context, Run},
    find::{finder::Finder, learner::Called},
    fragment, outside,
    record::Record,
    registry::{Found, Refused, Registry},
    run, sanitise,
    tool::Tool,
};
use crate::{
    app::App,
    model::{
        call::{Call, Done, Outcome},
        error::{Error, Result},
        output::Output,
        spec::{Risk, Source},
    },
    store::conversations::Conversations,
};

/// Runs calls. Cheap to clone; every clone is the same invoker.
#[derive(Clone)]
pub struct Invoker {
    pub(super) app: Arc<App>,
    registry: Arc<RwLock<Arc<Registry>>>,
    finder: Finder,
}

impl Invoker {
    /// An invoker over these tools.
    pub fn new(app: Arc<App>, registry: Registry) -> Self {
        let finder = Finder::new(Arc::clone(&app));
        let registry = registry.knowing(app.catalog.clone());
        Self { app, registry: Arc::new(RwLock::new(Arc::new(registry))), finder }
    }

    /// The same invoker over other tools: for trying one out that is not offered to anybody.
    #[must_use]
    pub fn beside(&self, registry: Registry) -> Self {
        Self { registry: Arc::new(RwLock::new(Arc::new(registry))), ..self.clone() }
    }

    /// The tools as they are now.
    pub fn registry(&self) -> Arc<Registry> {
        Arc::clone(&self.registry.read())
    }

    /// From now on `source` has these tools and no others. What could not be registered comes back.
    pub fn offer(&self, source: Source, tools: Vec<Tool>) -> Vec<Refused> {
        let mut now = self.registry.write();
        let (registry, refused) = now.with_source(source, tools);
        *now = Arc::new(registry);
        refused
    }

    /// What is said of names that should be scripts and are none: why.
    pub fn tell_broken(&self, broken: HashMap<String, String>) {
        let mut now = self.registry.write();
        *now = Arc::new(now.with_broken(broken));
    }

    /// What finds tools for a need, and learns from use.
    pub fn finder(&self) -> &Finder {
        &self.finder
    }

    /// Runs a call to its end, in a task of its own: when the caller goes away, the call and its audit row do not.
    pub async fn invoke(&self, call: Call, cancel: CancellationToken) -> Result<Outcome> {
        self.start(call, None, cancel).await
    }

    /// Runs a call that a person has approved, or whose parent he has.
    pub(super) async fn invoke_approved(&self, call: Call, by: Approval, cancel: CancellationToken) -> Result<Outcome> {
        self.start(call, Some(by), cancel).await
    }

    async fn start(&self, call: Call, approval: Option<Approval>, cancel: CancellationToken) -> Result<Outcome> {
        let this = self.clone();
        let attempt = async move { this.attempt(call, approval, cancel).await };
        let task = self.app.tracker.spawn_on(attempt, &self.app.runtime);
        task.await.map_err(Error::internal)?
    }

    /// Opens the record, takes the steps, closes the record: a panic closes it too.
    async fn attempt(&self, call: Call, approval: Option<Approval>, cancel: CancellationToken) -> Result<Outcome> {
        let mut record = Record::open(&call, approval.as_ref(), self.app.clock.now());
        let steps = self.steps(&call, approval.as_ref(), &mut record, &cancel);
        let outcome = AssertUnwindSafe(steps).catch_unwind().await.unwrap_or_else(|panic| Err(panicked(&panic)));
        record.close(&self.app, &outcome).await?;
        self.note_origin(&call, &outcome).await?;
        self.learn(&call, approval.as_ref(), &outcome);
        outcome
    }

    /// Whether content from outside is in the conversation a call belongs to, which has to be the caller's own (R44).
    async fn is_tainted(&self, call: &Call) -> Result<bool> {
        match call.topic {
            Some(topic) => Ok(Conversations::of(&self.app.db).get(call.caller.user, topic).await?.tainted),
            None => Ok(false),
        }
    }

    /// Remembers in the conversation that content from outside has come in, and where from. What came in through a call
    /// within another is told by that one's outcome.
    async fn note_origin(&self, call: &Call, outcome: &Result<Outcome>) -> Result<()> {
        let Some(topic) = call.topic.filter(|_| call.depth == 0 && !call.dry_run) else { return Ok(()) };
        match outside::of_outcome(&self.registry(), &call.tool, &call.params, outcome) {
            Some(source) => Conversations::of(&self.app.db).taint(topic, source).await,
            None => Ok(()),
        }
    }

    /// What a call of a conversation says of its tool. Innate tools are never looked for, so nothing is learned of them.
    fn learn(&self, call: &Call, approval: Option<&Approval>, outcome: &Result<Outcome>) {
        let success = match outcome {
            Ok(Outcome::Done(_)) => true,
            Err(error) if error.is_tools_own() => false,
            _ => return,
        };
        // Collecting what a person has approved tells the same a second time.
        let collected = call.ticket.is_some() && approval.is_none();
        let (Some(topic), false) = (call.topic, collected || call.dry_run) else { return };
        if let Ok(found) = self.registry().find(&call.tool)
            && !found.tool.spec().innate
        {
            let tool = found.tool.spec().id();
            self.finder.learner().called(Called { user: call.caller.user, topic, tool, success });
        }
    }

    async fn steps(
        &self,
        call: &Call,
        approval: Option<&Approval>,
        record: &mut Record,
        cancel: &CancellationToken,
    ) -> Result<Outcome> {
        let registry = self.registry();
        let found = registry.find(&call.tool)?;
        record.found(&found);
        let tainted = self.is_tainted(call).await?;
        let settings = self.app.settings.get();
        let grant = authorise::check(&found.tool, &call.caller, &settings)?;
        let arguments = found.own_arguments(call.params.clone())?;
        found.tool.check_available(&settings)?;
        let risk = found.tool.risk_with(&arguments, &registry)?;
        record.weighed(risk, &arguments);
        let weighed = Weighed { call, found: &found, registry: &registry, arguments: &arguments, risk, tainted };
        if call.dry_run {
            return self.rehearse(&weighed).await;
        }
        if !approval.is_some_and(|by| by.covers(risk))
            && let Confirmation::Settled(outcome) = confirm::check(&self.app, &weighed).await?
        {
            return Ok(outcome);
        }
        let own = configure::load(&self.app, &found.tool).await?;
        record.about_to_run(&self.app).await?;
        let spec = found.tool.spec();
        let approved = approval.is_some().then_some(risk);
        // Whatever the run has started ends with it, when it times out too.
        let cancel = cancel.child_token();
        let _ends = cancel.clone().drop_guard();
        let run = Run { call, spec, settings: own.clone(), cancel, approved };
        let context = Context::new(self.clone(), run);
        let output = run::within_limits(&found.tool, &grant, context.clone(), arguments).await;
        let output = sanitise::redact(context.mark(output), &own).map_err(Error::of_tool)?;
        Ok(Outcome::Done(Box::new(self.done(call, &found, output, record))))
    }

    fn done(&self, call: &Call, found: &Found, mut output: Output, record: &Record) -> Done {
        if let Some(alias) = found.alias() {
            output.data = alias.project(output.data);
        }
        output.html = output.html.map(|html| fragment::clean(&html));
        sanitise::lift_budget(&mut output);
        Done { call: call.id, tool: found.tool.spec().id(), output, duration_ms: record.ran_for(), executed: None }
    }

    /// What a dry run answers: everything was checked, nothing was run.
    async fn rehearse(&self, weighed: &Weighed<'_>) -> Result<Outcome> {
        let spec = weighed.found.tool.spec();
        configure::load(&self.app, &weighed.found.tool).await?;
        let asks = confirm::reason(&self.app, weighed).await?;
        let data = json!({
            "dry_run": true, "tool": spec.id(), "arguments": weighed.arguments,
            "risk": weighed.risk.as_str(), "asks": asks.is_some(), "reason": asks,
        });
        let output = Output::json(data);
        let done = Done { call: weighed.call.id, tool: spec.id(), output, duration_ms: 0, executed: None };
        Ok(Outcome::Done(Box::new(done)))
    }
}

/// That a person has said yes: to this very call, or to the call it is part of.
pub(super) struct Approval {
    /// Whose name the audit row carries.
    pub by: String,
    /// The highest risk it covers; none where it was given to exactly these arguments.
    pub up_to: Option<Risk>,
}

impl Approval {
    fn covers(&self, risk: Risk) -> bool {
        self.up_to.is_none_or(|most| risk <= most)
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> Error {
    let text =
        panic.downcast_ref::<&str>().map(|s| (*s).to_owned()).or_else(|| panic.downcast_ref::<String>().cloned());
    Error::internal(format!("a tool panicked: {}", text.unwrap_or_default()))
}
