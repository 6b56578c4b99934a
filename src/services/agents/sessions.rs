//! Sessions: what agents, which stand above the services, do for the tools of a model.

use futures_util::future::BoxFuture;
use serde::Serialize;

use satchel_engine::context::Context;
use satchel_model::{
    agent::{
        Agent,
        session::{SessionEntry, SessionMessage, SessionRun, SessionStatus},
    },
    error::Result,
    provider::parameters::ReasoningEffort,
};
use satchel_store::agents::Agents;

/// A session to be begun.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// The task, in words.
    pub task: String,
    /// The agent, by its id or name; left out, the one that asks.
    pub agent: Option<String>,
    /// Whether the call waits for its end.
    pub blocking: bool,
}

/// A question to a specialist.
#[derive(Debug, Clone)]
pub struct Inference {
    /// The specialist, by its id or name.
    pub specialist: String,
    /// The question.
    pub prompt: String,
    /// Reasoning before the answer, in place of what the specialist has.
    pub effort: Option<ReasoningEffort>,
}

/// The answer of a specialist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Inferred {
    /// The name of the specialist.
    pub specialist: String,
    /// The model that answered.
    pub model: String,
    /// Reasoning that was asked for, if any was.
    pub used_reasoning_effort: Option<ReasoningEffort>,
    /// The answer.
    pub output: String,
}

/// Those who hold sessions. Whoever asks sees the sessions that were begun below their own conversation.
pub trait Sessions: Send + Sync {
    /// Begins a session.
    ///
    /// # Errors
    ///
    /// If it was not begun: it would be too deep, there is no such agent, or no model can answer.
    fn spawn(&self, cx: Context, new: NewSession) -> BoxFuture<'_, Result<SessionRun>>;

    /// Writes to a session and waits for its answer.
    ///
    /// # Errors
    ///
    /// If there is no such session, or it answers already.
    fn send(&self, cx: Context, key: String, message: String) -> BoxFuture<'_, Result<SessionRun>>;

    /// The sessions, the newest first.
    fn list(&self, cx: Context) -> BoxFuture<'_, Result<Vec<SessionEntry>>>;

    /// The last messages of a session, so many at most, in order.
    ///
    /// # Errors
    ///
    /// If there is no such session.
    fn history(&self, cx: Context, key: String, limit: usize) -> BoxFuture<'_, Result<Vec<SessionMessage>>>;

    /// The standing of a session, or of whoever asks.
    ///
    /// # Errors
    ///
    /// If there is no such session.
    fn status(&self, cx: Context, key: Option<String>) -> BoxFuture<'_, Result<SessionStatus>>;

    /// Asks a specialist, once.
    ///
    /// # Errors
    ///
    /// If there is no such specialist, or what may be spent is used up.
    fn infer(&self, cx: Context, asked: Inference) -> BoxFuture<'_, Result<Inferred>>;
}

/// An agent, as a model is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentEntry {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub description: String,
}

/// The agents that are a caller's own or shared with them.
pub async fn agents(cx: &Context) -> Result<Vec<AgentEntry>> {
    let all = Agents::new(&cx.app().db).offered(cx.caller()).await?;
    for agent in &all {
        cx.taint().note(agent.origin.clone());
    }
    let entry = |agent: Agent| AgentEntry {
        id: agent.id.to_string(),
        name: agent.content.name,
        description: agent.content.description,
    };
    Ok(all.into_iter().map(entry).collect())
}
