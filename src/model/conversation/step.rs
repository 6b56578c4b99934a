//! The steps of a turn: its tool calls, and how far each is.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    agent::session::StepSession,
    call::{Approved, CallId, Edit, Ticket, TicketId},
    spec::Risk,
    time::Time,
};

/// One tool call of a turn.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Step {
    /// The call's id, as in its audit row.
    #[schema(value_type = String, format = "uuid")]
    pub call_id: CallId,
    /// Canonical id of the tool, or what the model wrote where there is none such.
    pub tool: String,
    /// The name the model wrote.
    pub asked_as: String,
    /// The arguments: those that ran, where a person put something else in place of what the model wrote.
    pub arguments: Value,
    /// The arguments the model wrote, where those are not what ran.
    pub asked_arguments: Option<Value>,
    /// The person who approved it, where one was asked.
    pub approved_by: Option<String>,
    /// Changes that person made.
    pub edited: Vec<Edit>,
    /// The call's risk.
    pub risk: Risk,
    /// Its state.
    pub state: StepState,
    /// `true` if it worked, once it is over.
    pub success: Option<bool>,
    /// The exact result, as `POST /api/tools/{name}/invoke` answers.
    pub output: Option<Value>,
    /// The text the model read.
    pub model_text: Option<String>,
    /// The question to the person.
    pub ticket: Option<Ticket>,
    /// The session it has begun or written to, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<StepSession>,
    /// Wall time.
    pub duration_ms: Option<u64>,
    /// The time at which it was begun.
    pub started_at: Time,
    /// The question's id, kept where the question itself is not.
    #[serde(skip)]
    pub ticket_id: Option<TicketId>,
    /// The provider's id for the call.
    #[serde(skip)]
    pub provider_id: String,
    /// The reason the arguments could not be read.
    #[serde(skip)]
    pub malformed: Option<String>,
}

impl Step {
    /// A call of a tool that nothing but its name is known of, not begun, with everything optional left out.
    pub fn new(asked_as: impl Into<String>, arguments: Value, started_at: Time) -> Self {
        let (call_id, asked_as) = (CallId::new(), asked_as.into());
        Self {
            call_id,
            tool: asked_as.clone(),
            asked_as,
            arguments,
            asked_arguments: None,
            approved_by: None,
            edited: Vec::new(),
            risk: Risk::Read,
            state: StepState::Pending,
            success: None,
            output: None,
            model_text: None,
            ticket: None,
            session: None,
            duration_ms: None,
            started_at,
            ticket_id: None,
            provider_id: format!("call_{call_id}"),
            malformed: None,
        }
    }

    /// The arguments the model wrote.
    pub fn asked(&self) -> &Value {
        self.asked_arguments.as_ref().unwrap_or(&self.arguments)
    }

    /// Its call is being run, as a person approved it.
    pub fn set_running(&mut self, approved: Option<&Approved>) {
        self.state = StepState::Running;
        if let Some(approved) = approved {
            self.approve(approved);
        }
    }

    /// Takes in who approved the call, and what ran in place of what the model wrote.
    pub fn approve(&mut self, approved: &Approved) {
        self.approved_by.clone_from(&approved.approved_by);
        self.edited.clone_from(&approved.edited);
        if let Some(executed) = &approved.executed {
            let asked = std::mem::replace(&mut self.arguments, executed.clone());
            self.asked_arguments.get_or_insert(asked);
        }
    }
}

/// State of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Not begun.
    Pending,
    /// Being run.
    Running,
    /// Over, well or not.
    Done,
    /// A person must decide.
    Waiting,
    /// It was being run when the server stopped, and may have taken effect.
    Uncertain,
    /// The person stopped it before it was over.
    Cancelled,
    /// Never begun: its turn ended first.
    Skipped,
    /// Given to the program that asked, which runs it and comes back with its result.
    Handed,
}

impl StepState {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Done => "done",
            Self::Waiting => "waiting",
            Self::Uncertain => "uncertain",
            Self::Cancelled => "cancelled",
            Self::Skipped => "skipped",
            Self::Handed => "handed",
        }
    }

    /// Returns whether the model can be told what came of it.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Done | Self::Uncertain | Self::Cancelled | Self::Skipped | Self::Handed)
    }
}
