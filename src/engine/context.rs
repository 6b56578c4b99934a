//! What a running tool is handed: capabilities already narrowed to this caller, this tool and this conversation.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    approval::{Approval, Coverage, To},
    names::Names,
    policy::View,
    room::{HeldResults, Room, TakenRoom},
    run::Stops,
    settings::ToolSettings,
    taint::Taint,
    tool::Tool,
};
use satchel_app::App;
use satchel_model::{
    call::{Call, CallId, Done, Outcome, Ticket, TicketId},
    caller::Caller,
    egress,
    error::{Error, Result},
    origin::Origin,
    policy::Situation,
    settings::Settings,
    spec::Source,
    time::Time,
};
use satchel_net::{http::Http, room::Room as Intake};
use satchel_store::conversations::Conversations;

/// Deepest nesting of calls in calls.
pub const MAX_DEPTH: u8 = 3;

/// The pipeline, as far as a run goes back to it: whatever runs calls stands above what a call is handed.
pub(super) trait Pipeline: Send + Sync {
    /// The handles of the platform.
    fn app(&self) -> &App;

    /// The tools as they are now.
    fn tools(&self) -> Toolset;

    /// The say of the policies in force in a situation.
    fn policy(&self, situation: &Situation) -> Arc<View>;

    /// Runs a call, with a person's approval where it or its parent has one.
    fn start(&self, call: Call, approval: Option<Approval>, stops: Stops) -> BoxFuture<'_, Conclusion>;
}

/// All tools, and the names they have.
#[derive(Default, Clone)]
pub(super) struct Toolset {
    pub(super) tools: Arc<Vec<Arc<Tool>>>,
    pub(super) names: Arc<Names>,
}

/// The end of a call.
pub(super) struct Conclusion {
    /// Its outcome.
    pub outcome: Result<Outcome>,
    /// Where the outcome's words came from, if from outside.
    pub origin: Option<Origin>,
}

/// One run's capabilities: what every tool may have. The rest are services, which take it. Cheap to clone.
#[derive(Clone)]
pub struct Context {
    shared: Arc<Shared>,
}

struct Shared {
    pipeline: Arc<dyn Pipeline>,
    tool: Arc<Tool>,
    run: Run,
    read: Mutex<Option<Origin>>,
    /// The question about a call within this one that it waits for.
    awaited: Mutex<Option<Ticket>>,
    room: Mutex<TakenRoom>,
    held: HeldResults,
}

/// The parts of a context beside the pipeline and the tool.
pub(super) struct Run {
    /// The call without its arguments: they travel beside the context, and a second copy of a large text would be waste.
    pub(super) call: Call,
    pub(super) settings: ToolSettings,
    pub(super) cancel: CancellationToken,
    /// The yes of a person to this run, as far as it covers calls within it.
    pub(super) coverage: Option<Coverage>,
    /// The origin of what its conversation, or the call around it, had read from outside when it began.
    pub(super) origin: Option<Origin>,
}

impl Context {
    pub(super) fn new(pipeline: Arc<dyn Pipeline>, tool: Arc<Tool>, run: Run) -> Self {
        let held = run.call.within.as_ref().and_then(|within| within.downcast_ref::<HeldResults>()).cloned();
        let (read, room, held) = (Mutex::default(), Mutex::default(), held.unwrap_or_default());
        let awaited = Mutex::default();
        Self { shared: Arc::new(Shared { pipeline, tool, run, read, awaited, room, held }) }
    }

    /// Who asked.
    pub fn caller(&self) -> &Caller {
        &self.shared.run.call.caller
    }

    /// The call, without its arguments. Its id is the same when a call that was cut is made again; its depth counts the calls
    /// it is within.
    pub fn call(&self) -> &Call {
        &self.shared.run.call
    }

    /// The running tool's name.
    pub fn tool(&self) -> &str {
        &self.shared.tool.spec().name
    }

    /// The way out, with the exceptions an administrator made: what goes there is this tool's, this call's and this
    /// caller's. With content from outside a redirect leads to no other place.
    pub fn http(&self) -> Result<Http> {
        let Shared { tool, run, .. } = self.shared.as_ref();
        let http = self.app().outbound(egress::Origin::tool(tool.spec().id(), &run.call))?;
        Ok(if self.taint().origin().is_some() { http.staying() } else { http })
    }

    /// This tool's own settings.
    pub fn settings(&self) -> &ToolSettings {
        &self.shared.run.settings
    }

    /// Ends when the call is taken back: long work should watch it.
    pub fn cancelled(&self) -> &CancellationToken {
        &self.shared.run.cancel
    }

    /// The time now.
    pub fn now(&self) -> Time {
        self.app().clock.now()
    }

    /// The platform's settings, which are policy and never a model's parameter.
    pub fn platform(&self) -> Arc<Settings> {
        self.app().settings.get()
    }

    /// Calls another tool as the same caller, through the same pipeline. Fails where a person would have to be asked.
    pub async fn invoke(&self, tool: &str, params: Value) -> Result<Done> {
        let call = Call { tool_words: None, ..self.call_within(tool, params)? };
        let approval = self.shared.run.coverage.clone().map(|coverage| Approval {
            by: call.caller.username.clone(),
            edited: Vec::new(),
            up_to: coverage.risk,
            to: To::Within(coverage),
        });
        match self.start(call, approval).await? {
            Outcome::Done(done) => Ok(*done),
            Outcome::Confirm(_) => Err(Error::internal("a call within another asked a person")),
        }
    }

    /// As [`Context::invoke`], for a program of a model: what it has read may have led to the call, and a person is asked
    /// about it where one can be. With the ticket of that question, gives what came of it.
    pub async fn invoke_asking(&self, tool: &str, params: Value, ticket: Option<TicketId>) -> Result<Outcome> {
        let run = &self.shared.run;
        let within = self.call_within(tool, params)?;
        let read = self.shared.read.lock().clone();
        if let (Some(topic), Some(origin)) = (within.topic, read) {
            Conversations::new(&self.app().db).taint(topic, origin).await?;
        }
        // A job that waits is told what came of its question alone, and who approved the program approved that.
        let lone_job = run.call.job.is_some() && run.call.topic.is_none();
        let attended = run.call.attended && !lone_job && run.coverage.is_none();
        let situation = Situation { sandboxed: true, ..within.situation.clone() };
        self.start(Call { ticket, attended, situation, programmed: true, ..within }, None).await
    }

    /// Has this call wait for a question about one within it, whatever it gives back.
    pub fn wait_for(&self, ticket: Ticket) -> Error {
        *self.shared.awaited.lock() = Some(ticket);
        Error::conflict("A person is asked first.")
    }

    /// The question that this call waits for.
    pub(super) fn awaited(&self) -> Option<Ticket> {
        self.shared.awaited.lock().take()
    }

    /// A call within this one, by the same caller.
    fn call_within(&self, tool: &str, params: Value) -> Result<Call> {
        let depth = self.shared.run.call.depth + 1;
        if depth > MAX_DEPTH {
            return Err(Error::invalid(format!("Tools may call tools only {MAX_DEPTH} levels deep.")));
        }
        Ok(Call {
            id: CallId::new(),
            tool: tool.to_owned(),
            params,
            ticket: None,
            dry_run: false,
            attended: false,
            programmed: false,
            depth,
            origin: self.taint().origin(),
            situation: self.situation_within(),
            within: Some(Arc::new(self.shared.held.clone())),
            ..self.shared.run.call.clone()
        })
    }

    async fn start(&self, call: Call, approval: Option<Approval>) -> Result<Outcome> {
        let stops = self.shared.run.cancel.child_token().into();
        let conclusion = self.shared.pipeline.start(call, approval, stops).await;
        // Content that came in through a call within this one came into this one.
        self.taint().note(conclusion.origin);
        conclusion.outcome
    }

    /// The say of the policies in force on tools, in the situation of this run.
    pub fn policy(&self) -> Arc<View> {
        self.shared.pipeline.policy(&self.situation_within())
    }

    /// The situation of calls that the run makes: a script makes them from a confined worker.
    fn situation_within(&self) -> Situation {
        let situation = &self.shared.run.call.situation;
        let sandboxed = situation.sandboxed || self.shared.tool.spec().source == Source::Script;
        Situation { sandboxed, ..situation.clone() }
    }

    /// Does heavy work beside the async threads, when it is the caller's turn.
    pub async fn work<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        self.app().host.work.run(Some(self.caller().user), work).await
    }

    /// Does heavy work on something of so many bytes: on large things one after the other.
    pub async fn work_on<T, F>(&self, bytes: u64, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        self.app().host.work.run_on(Some(self.caller().user), bytes, work).await
    }

    /// The taint of this run: content from outside that has come into it.
    pub fn taint(&self) -> Taint<'_> {
        let Shared { run, read, .. } = self.shared.as_ref();
        Taint { app: self.app(), caller: self.caller(), tool: self.tool(), around: run.origin.as_ref(), read }
    }

    /// Room in memory for this run's results.
    pub fn room(&self) -> Room<'_> {
        Room::new(self.app(), self.caller().user, &self.shared.room, &self.shared.held)
    }

    /// All tools as they are now, whoever looks.
    pub(super) fn tools(&self) -> Toolset {
        self.shared.pipeline.tools()
    }

    /// The handles of the platform, for services alone: no tool reaches for them.
    pub fn app(&self) -> &App {
        self.shared.pipeline.app()
    }
}

/// The room of a run's results, as it is taken for what is received.
impl From<&Context> for Intake {
    fn from(cx: &Context) -> Self {
        let cx = cx.clone();
        Self::new(move |bytes| {
            let cx = cx.clone();
            Box::pin(async move { cx.room().take(bytes).await })
        })
    }
}
