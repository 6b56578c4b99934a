//! What a running tool is handed: capabilities already narrowed to this caller, this tool and this conversation.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    configure::ToolSettings,
    find::finder::Finder,
    invoker::{Approval, Coverage, Invoker, To},
    registry::Registry,
    room::TakenRoom,
};
use crate::{
    app::App,
    model::{
        call::{Call, CallId, Done, Outcome},
        caller::Caller,
        conversation::ConversationId,
        egress,
        error::{Error, Result},
        origin::Origin,
        settings::Settings,
        spec::Spec,
        time::Time,
    },
    net::http::Http,
};

/// Deepest nesting of calls in calls.
pub const MAX_DEPTH: u8 = 3;

/// One run's capabilities. Cheap to clone. Most of them are in [`crate::services::capabilities`].
#[derive(Clone)]
pub struct Context {
    shared: Arc<Shared>,
}

struct Shared {
    invoker: Invoker,
    call: Call,
    tool: String,
    id: String,
    settings: ToolSettings,
    cancel: CancellationToken,
    coverage: Option<Coverage>,
    /// The origin of what its conversation, or the call around it, had read from outside when it began.
    around: Option<Origin>,
    outside: Mutex<Option<Origin>>,
    room: Mutex<TakenRoom>,
}

/// What a context is made of, beside the invoker.
pub(super) struct Run<'a> {
    pub(super) call: &'a Call,
    pub(super) spec: &'a Spec,
    pub(super) settings: ToolSettings,
    pub(super) cancel: CancellationToken,
    /// The yes of a person to this run, as far as it covers calls within it.
    pub(super) coverage: Option<Coverage>,
    /// The origin of what its conversation, or the call around it, had read from outside.
    pub(super) origin: Option<Origin>,
}

impl Context {
    pub(super) fn new(invoker: Invoker, run: Run<'_>) -> Self {
        // The arguments travel beside the context; keeping a second copy of a large text would be waste.
        let call = Call { params: Value::Null, ..run.call.clone() };
        let (tool, id) = (run.spec.name.clone(), run.spec.id());
        let Run { settings, cancel, coverage, origin: around, .. } = run;
        Self {
            shared: Arc::new(Shared {
                invoker,
                call,
                tool,
                id,
                settings,
                cancel,
                coverage,
                around,
                outside: Mutex::default(),
                room: Mutex::default(),
            }),
        }
    }

    /// Who asked.
    pub fn caller(&self) -> &Caller {
        &self.shared.call.caller
    }

    /// The conversation it belongs to.
    pub fn topic(&self) -> Option<ConversationId> {
        self.shared.call.topic
    }

    /// This call's id.
    pub fn call_id(&self) -> CallId {
        self.shared.call.id
    }

    /// The running tool's name.
    pub fn tool(&self) -> &str {
        &self.shared.tool
    }

    /// The way out, with the exceptions an administrator made: what goes there is this tool's, this call's and this
    /// caller's. With content from outside a redirect leads to no other place.
    pub fn http(&self) -> Result<Http> {
        let Shared { id, call, .. } = self.shared.as_ref();
        let http = self.app().outbound(egress::Origin::tool(id.clone(), call))?;
        Ok(if self.origin().is_some() { http.staying() } else { http })
    }

    /// This tool's own settings.
    pub fn settings(&self) -> &ToolSettings {
        &self.shared.settings
    }

    /// Within how many other calls this one is.
    pub(crate) fn depth(&self) -> usize {
        usize::from(self.shared.call.depth)
    }

    /// Ends when the call is taken back: long work should watch it.
    pub fn cancelled(&self) -> &CancellationToken {
        &self.shared.cancel
    }

    /// The time now.
    pub fn now(&self) -> Time {
        self.app().clock.now()
    }

    /// The platform's settings, which are policy and never a model's parameter.
    pub fn platform(&self) -> Arc<Settings> {
        self.app().settings.get()
    }

    /// The tools as they are now, by the names of those the caller may use.
    pub fn registry(&self) -> Arc<Registry> {
        Arc::new(self.shared.invoker.registry().as_seen_by(self.caller()))
    }

    pub(crate) fn finder(&self) -> &Finder {
        self.shared.invoker.finder()
    }

    /// Calls another tool as the same caller, through the same pipeline. Fails where a person would have to be asked.
    pub async fn invoke(&self, tool: &str, params: Value) -> Result<Done> {
        let depth = self.shared.call.depth + 1;
        if depth > MAX_DEPTH {
            return Err(Error::invalid(format!("Tools may call tools only {MAX_DEPTH} levels deep.")));
        }
        let call = Call {
            id: CallId::new(),
            tool: tool.to_owned(),
            params,
            ticket: None,
            dry_run: false,
            attended: false,
            depth,
            origin: self.origin(),
            ..self.shared.call.clone()
        };
        let approval = self.shared.coverage.clone().map(|coverage| Approval {
            by: call.caller.username.clone(),
            edited: Vec::new(),
            up_to: coverage.risk,
            to: To::Within(coverage),
        });
        let stops = self.shared.cancel.child_token().into();
        let conclusion = Box::pin(self.shared.invoker.start(call, approval, stops)).await;
        // Content that came in through a call within this one came into this one.
        self.note(conclusion.origin);
        match conclusion.outcome? {
            Outcome::Done(done) => Ok(*done),
            Outcome::Confirm(_) => Err(Error::internal("a call within another asked a person")),
        }
    }

    /// The origin of what this run writes: of what it has read from outside itself, else of what was around it.
    pub fn origin(&self) -> Option<Origin> {
        let own = self.shared.outside.lock().clone();
        own.or_else(|| self.shared.around.clone())
    }

    pub(super) fn outside(&self) -> &Mutex<Option<Origin>> {
        &self.shared.outside
    }

    pub(super) fn taken_room(&self) -> &Mutex<TakenRoom> {
        &self.shared.room
    }

    pub(super) fn call(&self) -> &Call {
        &self.shared.call
    }

    pub(crate) fn invoker(&self) -> &Invoker {
        &self.shared.invoker
    }

    pub(crate) fn app(&self) -> &App {
        &self.shared.invoker.app
    }
}
