//! A call: what a door asks the engine to run, and what comes of it.

pub mod decided;

use std::{any::Any, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    caller::Caller,
    conversation::ConversationId,
    id::{Id, Noun},
    job::JobName,
    json::canonical,
    origin::Origin,
    output::Output,
    policy::Situation,
    spec::Risk,
    time::Time,
    user::UserId,
};

/// One invocation's id; it stands in its audit row.
pub type CallId = Id<Call>;

/// A ticket's id.
pub type TicketId = Id<Ticket>;

/// A call as a door builds it and the invoker runs it.
#[derive(Debug, Clone)]
pub struct Call {
    /// Stands in the audit row.
    pub id: CallId,
    /// The tool as the caller named it: id, name, alias or wire name.
    pub tool: String,
    /// The arguments as the caller gave them.
    pub params: Value,
    /// The asker.
    pub caller: Caller,
    /// The conversation it belongs to.
    pub topic: Option<ConversationId>,
    /// A ticket a person has decided.
    pub ticket: Option<TicketId>,
    /// Check everything, run nothing.
    pub dry_run: bool,
    /// `true` if a person can be asked about it. A call nobody waits for in person is refused where it would ask.
    pub attended: bool,
    /// `true` if a program of a model makes it: what that has read may have led to it.
    pub programmed: bool,
    /// 0 at a door, one more for each tool that calls a tool.
    pub depth: u8,
    /// Content from outside that whoever built the call had read, beside what its conversation has.
    pub origin: Option<Origin>,
    /// Words from outside that describe tools to the model which asks for it.
    pub tool_words: Option<ToolWords>,
    /// The job that makes it, if one does: its question waits until its owner answers.
    pub job: Option<JobName>,
    /// The circumstances that decide which policy layers apply.
    pub situation: Situation,
    /// What the engine knows of the calls around it.
    pub within: Option<Arc<dyn Any + Send + Sync>>,
}

/// Words from outside that describe tools to a model: of a system, or of somebody else's script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolWords {
    /// Their origin.
    pub origin: Origin,
    /// `true` if the tool that is called is described by such words itself.
    pub of_called: bool,
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
            attended: true,
            programmed: false,
            depth: 0,
            origin: None,
            tool_words: None,
            job: None,
            situation: Situation::default(),
            within: None,
        }
    }

    /// The same call without its arguments, which may be large.
    pub fn without_params(&self) -> Self {
        let (tool, caller, origin) = (self.tool.clone(), self.caller.clone(), self.origin.clone());
        let (situation, job, within) = (self.situation.clone(), self.job.clone(), self.within.clone());
        let tool_words = self.tool_words.clone();
        Self { tool, params: Value::Null, caller, origin, tool_words, situation, job, within, ..*self }
    }
}

/// The outcome of a call that did not fail.
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
    /// The value it returned.
    pub output: Output,
    /// Wall time of the run, in milliseconds.
    pub duration_ms: u64,
    /// The approval of a person, where one was asked.
    pub approved: Approved,
    /// The handle under which the data tools read the whole of a long result, in the conversation it came in.
    pub handle: Option<String>,
    /// Room in memory that a large result takes; given back when this is dropped.
    pub room: Option<ResultRoom>,
}

impl Done {
    /// What a tool gave back in a run of so many milliseconds, of which nothing else is to be said.
    pub fn new(call: CallId, tool: String, output: Output, duration_ms: u64) -> Self {
        Self { call, tool, output, duration_ms, approved: Approved::default(), handle: None, room: None }
    }
}

/// Room in memory that a result takes, whoever gave it.
pub type ResultRoom = Arc<dyn Any + Send + Sync>;

/// A person's approval of a call, with what was approved. Empty where nobody was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// The person's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// The call that ran, as in its audit row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// The arguments it ran with, where the person had changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed: Option<Value>,
    /// Changes the person made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<Edit>,
}

/// An argument that a person changed when approving a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Edit {
    /// The argument.
    pub name: String,
    /// The value asked for; null where it was not given.
    pub from: Value,
    /// The value that ran; null where it was taken away.
    pub to: Value,
}

impl Edit {
    /// The arguments in which `ran` is not what was `asked`, in the order they were asked in.
    pub fn between(asked: &Value, ran: &Value) -> Vec<Self> {
        let (Value::Object(asked), Value::Object(ran)) = (asked, ran) else { return Vec::new() };
        let added = ran.keys().filter(|name| !asked.contains_key(*name));
        let value = |of: &Map<String, Value>, name: &str| of.get(name).cloned().unwrap_or_default();
        asked
            .keys()
            .chain(added)
            .map(|name| Self { name: name.clone(), from: value(asked, name), to: value(ran, name) })
            .filter(|edit| canonical(&edit.from) != canonical(&edit.to))
            .collect()
    }
}

/// The state of a ticket.
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
    /// Changed before it was decided: nothing ran, and another question stands in its place.
    Changed,
}

/// A question to a person: may this tool run with exactly these arguments?
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Ticket {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: TicketId,
    /// The user who must decide.
    #[schema(value_type = String, format = "uuid")]
    pub user: UserId,
    /// The conversation it belongs to.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub topic: Option<ConversationId>,
    /// The job whose run asks, if one does.
    pub job: Option<JobName>,
    /// Canonical id of the tool.
    pub tool: String,
    /// The name the caller used, an alias perhaps: it decides the shape of their result.
    pub asked_as: String,
    /// The validated arguments; the person may change them when approving.
    pub arguments: Value,
    /// The reason it is asked.
    pub risk: Risk,
    /// The question, in words that name the thing: `Delete “Holiday 29”?`
    pub question: String,
    /// The thing's name, which is typed before something is destroyed. `None` if it has none: the tool's name is.
    pub subject: Option<String>,
    /// The rule that asks, in words.
    pub reason: String,
    /// Words of what a yes for the whole conversation would cover: `write files in “reports” in this conversation`. `None`
    /// where there is no such yes. It ends once content from outside is in the conversation.
    pub scope: Option<String>,
    /// `true` if a rule for arguments like these would spare such questions, so that `always` in a decision makes one.
    pub always: bool,
    /// Things to look at before saying yes, each a sentence: long values, characters that cannot be seen, hosts whose names
    /// may look like others.
    pub warnings: Vec<String>,
    /// Its state.
    pub state: TicketState,
    /// The time at which it was asked.
    pub created_at: Time,
    /// The time at which it lapses: 300 s later; of a job's, so late that its owner finds it.
    pub expires_at: Time,
}

impl Noun for Ticket {
    const NAME: &'static str = "ticket";
}

/// A person's answer to a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Run it, once.
    Approve,
    /// Do not run it.
    Deny,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn edits_are_the_arguments_that_differ_whatever_the_order_of_their_keys() {
        let asked = json!({"path": "a.txt", "content": "x", "options": {"a": 1, "b": 2}, "gone": true});
        let ran = json!({"options": {"b": 2, "a": 1}, "content": "y", "path": "a.txt", "new": [1], "none": null});
        let edit = |name: &str, from: Value, to: Value| Edit { name: name.to_owned(), from, to };
        let wanted = [
            edit("content", json!("x"), json!("y")),
            edit("gone", json!(true), Value::Null),
            edit("new", Value::Null, json!([1])),
        ];
        assert_eq!(Edit::between(&asked, &ran), wanted);
    }
}
