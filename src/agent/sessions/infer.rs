//! Questions to specialists: one request to the model of an agent without tools.

use crate::{chat::Agent, choose, prompt};
use satchel_engine::context::Context;
use satchel_model::{
    agent::{AgentAt, draft::AgentDraft},
    error::{Error, Kind, Result},
    llm::{ChatMessage, ChatRequest},
    price::Spent,
};
use satchel_net::llm::chain;
use satchel_services::agents::{
    self as agent_parts,
    sessions::{Inference, Inferred},
};
use satchel_store::agents::{self, Agents};

impl Agent {
    /// Asks a specialist, once. What it costs is the person's, the specialist's, and of the run that asks.
    pub(super) async fn infer(&self, cx: &Context, asked: Inference) -> Result<Inferred> {
        let Inference { specialist, prompt, effort } = asked;
        let (shared, caller) = (&self.shared, cx.caller());
        let db = &shared.app.db;
        let found = Agents::new(db).meant(caller, specialist.trim()).await?;
        let mut agent = AgentAt { id: found.id, version: found.version, content: found.content };
        if agent.content.tools {
            return Err(Error::conflict(format!(
                "{} is an agent with tools: begin a session with it (sessions_spawn). Specialists are agents without.",
                agent.content.name
            )));
        }
        if prompt.trim().is_empty() {
            return Err(Error::invalid("The prompt is empty: say what the specialist is to answer."));
        }
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
        let messages = vec![ChatMessage::User { text: prompt, images: Vec::new() }];
        let request = ChatRequest { system, messages, ..ChatRequest::default() };
        let work = async {
            let answer = shared.models(Some(caller.user)).ask(&chain, &request).await?;
            let by = answer.provider.clone();
            let (text, usage) = answer.text().await?;
            Ok::<_, Error>((Spent::new(&by, usage), text))
        };
        let (spent, text) = tokio::select! {
            biased;
            () = cx.cancelled().cancelled() => return Err(Error::new(Kind::Cancelled, "The call was taken back.")),
            said = work => said?,
        };
        let model = spent.model.clone();
        agents::spend_for(db, &agent, (caller.user, turn.map(|turn| turn.id)), (cx.now(), spent)).await?;
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
