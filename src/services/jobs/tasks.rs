//! Tasks of jobs: what agents, which stand above the services, do for them.

use futures_util::future::BoxFuture;

use satchel_model::{
    agent::AgentId,
    caller::Caller,
    conversation::ConversationId,
    error::Result,
    job::JobName,
    origin::Origin,
    run::{RunId, RunState},
};

/// A task of a job, for an agent.
#[derive(Debug, Clone)]
pub struct Task {
    /// The job's owner, with what they may do now, within the bounds of the agents that wrote the job down.
    pub caller: Caller,
    /// The agent.
    pub agent: String,
    /// The task, in words.
    pub text: String,
    /// The job.
    pub job: JobName,
    /// The origin of the task or of what its webhook carried, if from outside.
    pub origin: Option<Origin>,
}

/// The end of a task.
#[derive(Debug, Clone)]
pub struct TaskEnd {
    /// The state of the agent's run.
    pub state: RunState,
    /// The answer, as far as it came.
    pub answer: Option<String>,
    /// The reason why the run failed.
    pub error: Option<String>,
    /// The origin of content from outside that the agent has read.
    pub origin: Option<Origin>,
}

/// Those who do tasks.
pub trait Tasks: Send + Sync {
    /// The agent that a caller means by an id or a name, and may give tasks to.
    ///
    /// # Errors
    ///
    /// If there is no such agent for them.
    fn meant<'a>(&'a self, caller: &'a Caller, agent: &'a str) -> BoxFuture<'a, Result<AgentId>>;

    /// Begins a task in a conversation of its own.
    ///
    /// # Errors
    ///
    /// If it was not begun: no model can answer, or there is no room.
    fn begin(&self, task: Task) -> BoxFuture<'_, Result<(ConversationId, RunId)>>;

    /// Waits until an agent's run is over, however long a person takes to decide what it asks.
    ///
    /// # Errors
    ///
    /// If the process ends first, or its conversation was deleted.
    fn ended<'a>(&'a self, caller: &'a Caller, at: (ConversationId, RunId)) -> BoxFuture<'a, Result<TaskEnd>>;
}
