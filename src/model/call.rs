//! A call: what a door asks the engine to run, and what comes of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    caller::Caller,
    conversation::ConversationId,
    id::{Id, Noun},
    output::Output,
    spec::Risk,
    time::Time,
    user::UserId,
};

/// One invocation's id; it stands in its audit row.
pub type CallId = Id<Call>;

/// A ticket's id.
pub type TicketId = Id<Ticket>;

/// What a door builds and the invoker runs.
#[derive(Debug, Clone)]
pub struct Call {
    /// Stands in the audit row.
    pub id: CallId,
    /// The tool as the caller named it: id, name, alias or wire name.
    pub tool: String,
    /// The arguments as the caller gave them.
    pub params: Value,
    /// Who asks.
    pub caller: Caller,
    /// The conversation it belongs to (R44).
    pub topic: Option<ConversationId>,
    /// A ticket a person has decided.
    pub ticket: Option<TicketId>,
    /// Check everything, run nothing.
    pub dry_run: bool,
    /// 0 at a door, one more for each tool that calls a tool.
    pub depth: u8,
}

impl Noun for Call {
    const NAME: &'static str = "call";
}

impl Call {
    /// A call from a door, with everything optional left out.
    pub fn new(caller: Caller, tool: impl Into<String>, params: Value) -> Self {
        Self {
            id: CallId::new(),
            tool: tool.into(),
            params,
            caller,
            topic: None,
            ticket: None,
            dry_run: false,
            depth: 0,
        }
    }
}

/// What came of a call that did not fail.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It ran.
    Done(Box<Done>),
    /// A person must decide first. Asking is not an error.
    Confirm(Box<Ticket>),
}

/// A call that ran.
#[derive(Debug, Clone)]
pub struct Done {
    /// The same id as in the audit row.
    pub call: CallId,
    /// The tool's canonical id.
    pub tool: String,
    /// What it gave back.
    pub output: Output,
    /// Wall time of the run, in milliseconds.
    pub duration_ms: u64,
    /// The arguments it ran with, where the person who approved it had changed them.
    pub executed: Option<Value>,
}

/// Where a ticket stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TicketState {
    /// Waits for its person.
    Pending,
    /// Approved and being run.
    Running,
    /// Approved and run, well or not: its result is kept for whoever called.
    Done,
    /// Refused.
    Denied,
    /// Nobody decided in time.
    Expired,
}

/// A question to a person: may this tool run with exactly these arguments? (R7)
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Ticket {
    /// Stable id.
    #[schema(value_type = String)]
    pub id: TicketId,
    /// Who must decide.
    #[schema(value_type = String)]
    pub user: UserId,
    /// The conversation it belongs to.
    #[schema(value_type = Option<String>)]
    pub topic: Option<ConversationId>,
    /// Canonical id of the tool.
    pub tool: String,
    /// The name the caller used, an alias perhaps: its result shape is his.
    pub asked_as: String,
    /// The validated arguments; the person may change them when approving.
    pub arguments: Value,
    /// Why it is asked.
    pub risk: Risk,
    /// Which rule asks, in words.
    pub reason: String,
    /// Where it stands.
    pub state: TicketState,
    /// When it was asked.
    pub created_at: Time,
    /// When it lapses: 300 s later.
    pub expires_at: Time,
}

impl Noun for Ticket {
    const NAME: &'static str = "ticket";
}

/// What a person says to a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Run it, once.
    Approve,
    /// Do not run it.
    Deny,
}
