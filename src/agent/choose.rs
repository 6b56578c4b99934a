//! The agent that answers a message, and what it may still spend.

use std::time::Duration;

use super::{
    chat::{Agent, NewMessage},
    turn::Run,
};
use satchel_app::App;
use satchel_model::{
    agent::{AgentAt, draft::AgentDraft},
    caller::Caller,
    conversation::{Conversation, ConversationId, Role},
    error::{Error, Kind, Result},
    figure,
    price::over_budget,
    run::{RunId, RunKind},
    user::UserId,
};
use satchel_services::agents as agent_parts;
use satchel_store::{
    agents::{self, Agents},
    conversations::NewConversation,
    db::Db,
};

/// The time after the last word in it that a conversation goes in which an agent was tried.
const TRIAL: Duration = Duration::from_secs(24 * 3_600);

impl Agent {
    /// Begins a conversation. With one in which an agent is tried, the person's old ones of that kind go.
    pub async fn converse(&self, user: UserId, new: NewConversation) -> Result<Conversation> {
        let (conversations, now) = (&self.shared.conversations, self.shared.app.clock.now());
        if new.trial {
            let before = now.before(TRIAL);
            for old in conversations.old_trials(user, before).await? {
                self.delete(user, old).await?;
            }
        }
        conversations.begin(user, new, now).await
    }

    /// The agent that answers a message: the draft that is tried, the one that `@name` at its beginning calls, or the
    /// conversation's. A job's task has the job's, whatever it begins with.
    pub(super) async fn answering(
        &self,
        caller: &Caller,
        conversation: &Conversation,
        (message, kind): (&NewMessage, RunKind),
    ) -> Result<AgentAt> {
        if let Some(draft) = message.draft.clone() {
            let registry = self.shared.invoker.registry();
            let content = agent_parts::checked(&self.shared.app, &registry, caller, draft).await?;
            return Ok(AgentAt { id: conversation.agent.clone(), version: 0, content, origin: None });
        }
        match kind {
            RunKind::Job | RunKind::Api => self.of_conversation(caller, conversation).await,
            _ => self.called(caller, conversation, &message.content).await,
        }
    }

    /// As [`Self::answering`], for the last question of a conversation.
    pub(super) async fn answering_again(
        &self,
        caller: &Caller,
        conversation: &Conversation,
        reworded: Option<&str>,
    ) -> Result<AgentAt> {
        if let Some(text) = reworded {
            return self.called(caller, conversation, text).await;
        }
        match self.last_question(conversation.id).await? {
            Some(text) => self.called(caller, conversation, &text).await,
            None => self.of_conversation(caller, conversation).await,
        }
    }

    async fn called(&self, caller: &Caller, conversation: &Conversation, text: &str) -> Result<AgentAt> {
        let agents = Agents::new(&self.shared.app.db);
        if let Some(name) = called_name(text)
            && let Some(found) = agents.named(caller, name).await?
        {
            return Ok(found.at());
        }
        self.of_conversation(caller, conversation).await
    }

    async fn of_conversation(&self, caller: &Caller, conversation: &Conversation) -> Result<AgentAt> {
        let current = Agents::new(&self.shared.app.db).current(caller, conversation.agent.clone()).await;
        current.map_err(|error| match error.kind() {
            Kind::NotFound => agents::gone(&conversation.agent),
            _ => error,
        })
    }

    /// The last question that a person asked in a conversation; `None` if the only one there is the task of a job.
    async fn last_question(&self, id: ConversationId) -> Result<Option<String>> {
        let (summary, placed) = self.shared.turns.history(id).await?;
        let asked = placed.into_iter().rev().map(|placed| placed.message).filter(|message| message.role == Role::User);
        let asked: Vec<String> = asked.map(|message| message.text).collect();
        if asked.len() == 1 && summary.text.is_empty() && self.shared.turns.is_of_job(id).await? {
            return Ok(None);
        }
        Ok(asked.into_iter().next())
    }
}

impl Run {
    /// Checks that another question may be put to the model: within the steps and the tokens of the agent.
    ///
    /// # Errors
    ///
    /// If they are used up.
    pub(super) async fn require_share(&self) -> Result<()> {
        self.require_step()?;
        // What it begins spends of its share, and what began it has a share of its own.
        if self.turn.parent.is_some() || self.turn.agent.content.budget.tokens_per_run.is_some() {
            require_tree(&self.app().db, self.id()).await?;
        }
        require_day(self.app(), &self.turn.agent, self.caller().user).await
    }

    /// Checks that the model may be asked once more in this turn.
    ///
    /// # Errors
    ///
    /// If it was asked as often as it may be.
    pub(super) fn require_step(&self) -> Result<()> {
        let most = self.app().settings.get().chat.max_steps;
        let most = self.turn.agent.content.budget.steps.map_or(most, |own| own.min(most));
        if self.turn.model_calls < most {
            return Ok(());
        }
        let steps = if most == 1 { "step" } else { "steps" };
        let ended = format!("The turn was ended after {most} {steps}. Say 'go on' to continue from here.");
        Err(Error::new(Kind::Exhausted, ended))
    }
}

/// Checks that a run may spend more: of its own tokens, which are those of all that it began, and of those of the runs above it.
///
/// # Errors
///
/// If one of these is used up.
pub(super) async fn require_tree(db: &Db, run: RunId) -> Result<()> {
    let shares = agents::shares(db, run).await?;
    let Some(share) = shares.into_iter().find(|share| share.used >= share.most) else { return Ok(()) };
    let (name, used, most) = (share.agent, figure::grouped(share.used), figure::grouped(share.most));
    Err(over_budget(match share.run == run {
        true => format!(
            "The agent {name} has used {used} tokens for this, and {most} are the most for one run: it was ended. Say 'go on' \
             to continue from here."
        ),
        false => format!(
            "The agent {name}, which began this, has used {used} tokens with all its sessions, and {most} are the most for one \
             run: this session was ended."
        ),
    }))
}

/// Checks that an agent may take more tokens for a person today.
///
/// # Errors
///
/// If they are used up.
pub(super) async fn require_day(app: &App, agent: &AgentAt, user: UserId) -> Result<()> {
    let AgentDraft { name, budget, .. } = &agent.content;
    let Some(most) = budget.tokens_per_day.filter(|_| agent.version > 0) else { return Ok(()) };
    if agents::spent(&app.db, &agent.id, user, app.clock.now()).await? < most {
        return Ok(());
    }
    Err(over_budget(format!(
        "The {} tokens a day that the agent {name} may take for you are used up. The next day begins at midnight UTC; \
         choose another agent until then.",
        figure::grouped(most)
    )))
}

/// The name that a text calls at its beginning, as `@name`.
fn called_name(text: &str) -> Option<&str> {
    let word = text.trim_start().strip_prefix('@')?.split(char::is_whitespace).next()?;
    let name = word.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_called_at_the_beginning_of_a_message() {
        for (text, name) in [
            ("@reader what is it?", Some("reader")),
            ("  @reader, what is it?", Some("reader")),
            ("@a.b-c: x", Some("a.b-c")),
            ("@reader", Some("reader")),
            ("mail ada@example.com", None),
            ("@ reader", None),
            ("@", None),
            ("", None),
        ] {
            assert_eq!(called_name(text), name, "{text}");
        }
    }
}
