//! Questions to specialists: one request to the model of an agent without tools.

use super::{begin::check, bill::Bill};
use crate::{chat::Agent, choose, prompt};
use satchel_engine::context::Context;
use satchel_model::{
    agent::{AgentAt, draft::AgentDraft},
    error::{Error, Kind, Result},
    llm::{ChatMessage, ChatRequest, Usage, estimate_tokens},
    price::Spent,
};
use satchel_net::llm::chain;
use satchel_services::agents::{
    self as agent_parts,
    sessions::{Inference, Inferred},
};
use satchel_store::agents::Agents;

impl Agent {
    /// Asks a specialist, once. What it costs is the person's, the specialist's, and of the run that asks.
    pub(super) async fn infer(&self, cx: &Context, asked: Inference) -> Result<Inferred> {
        let Inference { specialist, prompt, effort } = asked;
        let (shared, caller) = (&self.shared, cx.caller());
        let db = &shared.app.db;
        let mut agent = Agents::new(db).offered_as(caller, specialist.trim()).await?.at();
        if agent.content.tools {
            return Err(Error::conflict(format!(
                "{} is an agent with tools: begin a session with it (sessions_spawn). Specialists are agents without.",
                agent.content.name
            )));
        }
        check("prompt", &prompt)?;
        agent.content.reasoning_effort = effort.or(agent.content.reasoning_effort);
        self.require_model(caller.user, &agent).await?;
        choose::require_day(&shared.app, &agent, caller.user).await?;
        let turn = self.place(cx).await?.turn;
        if let Some(turn) = &turn {
            choose::require_tree(db, turn.id).await?;
        }
        let AgentAt { content: AgentDraft { name, reasoning_effort, .. }, .. } = &agent;
        let chain = agent_parts::chain(&shared.providers, &agent, None).await?;
        if chain.is_empty() {
            return Err(chain::no_model());
        }
        let system = prompt::system(&caller.username, cx.now(), &agent);
        let input_tokens = estimate_tokens(&system) + estimate_tokens(&prompt);
        let messages = vec![ChatMessage::User { text: prompt, images: Vec::new() }];
        let request = ChatRequest { system, messages, ..ChatRequest::default() };
        let taken_back = || Error::new(Kind::Cancelled, "The call was taken back.");
        let models = shared.models(Some(caller.user));
        let answer = tokio::select! {
            biased;
            () = cx.cancelled().cancelled() => return Err(taken_back()),
            answer = models.ask(&chain, &request) => answer?,
        };
        let estimate = Spent::new(&answer.provider, Usage::new(input_tokens, 0));
        let bill = Bill::open(self, &agent, (caller.user, turn.map(|turn| turn.id)), estimate);
        let (text, usage) = tokio::select! {
            biased;
            () = cx.cancelled().cancelled() => return Err(taken_back()),
            said = answer.text() => said?,
        };
        cx.taint().note(agent.origin.clone());
        let model = bill.pay(usage).await?;
        match text.trim() {
            "" => Err(Error::upstream("The specialist answered nothing.")),
            text => Ok(Inferred {
                specialist: name.clone(),
                model,
                used_reasoning_effort: *reasoning_effort,
                output: text.to_owned(),
            }),
        }
    }
}
