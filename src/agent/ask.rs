//! One question to the model: its answer is streamed on as it comes and kept as a message with the calls it wants.

use std::{collections::HashSet, time::Duration};

use serde_json::json;

use super::{
    programs::own_tool,
    request::Asked,
    turn::{Run, stopped},
};
use satchel_engine::{registry::Registry, sanitise};
use satchel_model::{
    conversation::{Message, MessageId, Role, Step, StepState},
    error::{Error, Kind, Result},
    llm::{Event, Provider, StopReason, ToolCall, Usage, estimate_tokens},
    price::Spent,
    provider::failure::ProviderFailure,
    spec::Risk,
};
use satchel_net::llm::{answer::Answer, chain};
use satchel_services::{agents, model};
use satchel_share::Part;
use satchel_store::{messages::Placed, turns::Summary};

/// Bytes of attachments a model is sent at most, as base64: the newest.
const ATTACHED: usize = 16 << 20;
/// As few as these take no room.
const FEW: usize = 256 << 10;
/// Copies of them in memory while they are sent: the rows, the request, and its text.
const COPIES: usize = 3;
/// Longest wait for room.
const PATIENCE: Duration = Duration::from_secs(120);

/// The message that is being answered, and by whom.
struct Answering {
    id: MessageId,
    by: Provider,
    instead_of: Option<ProviderFailure>,
}

/// The part of an answer that has arrived.
#[derive(Debug, Default)]
struct Arrived {
    text: String,
    calls: Vec<ToolCall>,
    usage: Option<Usage>,
    stop: Option<StopReason>,
}

impl Run {
    /// Asks the model for the next message of the turn.
    pub(super) async fn ask(&mut self, summary: Summary, placed: Vec<Placed>) -> Result<()> {
        self.require_share().await?;
        model::require_budget(self.app(), self.caller().user).await?;
        let providers = agents::chain(&self.shared().providers, &self.turn.agent, self.turn.provider).await?;
        if providers.is_empty() {
            return Err(chain::no_model());
        }
        // Until the model begins to answer.
        let room = self.room_for_attached().await?;
        let placed = self.shared().turns.with_attachments(placed, ATTACHED).await?;
        let Asked { request, tokens, foreign } = self.request(&providers, summary, placed).await?;
        self.note_foreign(&foreign).await?;
        self.foreign = Some(foreign);
        let models = self.shared().models(Some(self.caller().user));
        let answer = self.unless_stopped(models.ask(&providers, &request)).await?;
        drop((request, room));
        let by = Answering { id: MessageId::new(), by: answer.provider.clone(), instead_of: answer.instead_of.clone() };
        self.tell_stand_in(&by);
        let mut arrived = Arrived::default();
        let streamed = self.stream(answer, by.id, &mut arrived).await;
        self.keep(by, arrived, tokens, streamed).await
    }

    /// Room in memory for the conversation's attachments, until the model begins to answer.
    async fn room_for_attached(&self) -> Result<Option<Part>> {
        let bytes = self.shared().turns.attached_bytes(self.conversation()).await?.min(ATTACHED);
        if bytes <= FEW {
            return Ok(None);
        }
        let room = self.shared().attached.take(Some(self.caller().user), bytes * COPIES);
        let room = async { tokio::time::timeout(PATIENCE, room).await.map_err(|_| crowded()) };
        self.unless_stopped(room).await.map(Some)
    }

    /// Says at once who answers, where it is not whom the person expects.
    fn tell_stand_in(&self, answering: &Answering) {
        if let Some(failure) = &answering.instead_of {
            let Provider { name, model, .. } = &answering.by;
            let told = json!({"message_id": answering.id, "provider": name, "model": model, "instead_of": failure});
            self.log.emit("stand_in", &told);
        }
    }

    async fn stream(&self, mut answer: Answer, id: MessageId, arrived: &mut Arrived) -> Result<()> {
        while let Some(event) = self.unless_stopped(answer.next()).await? {
            match event {
                Event::Text(text) => {
                    self.log.emit("token", &json!({"text": text, "message_id": id}));
                    arrived.text.push_str(&text);
                }
                Event::ToolCall(call) => arrived.calls.push(call),
                Event::Usage(usage) => arrived.usage = Some(usage),
                Event::Stop(stop) => arrived.stop = Some(stop),
                Event::Raw(_) => {}
            }
        }
        Ok(())
    }

    /// Writes the message. Of an answer that broke off, the text stays and its calls do not: they may be incomplete.
    async fn keep(
        &self,
        Answering { id, by, instead_of }: Answering,
        arrived: Arrived,
        tokens: u64,
        streamed: Result<()>,
    ) -> Result<()> {
        if streamed.is_err() && self.app().lifecycle.shutdown.is_cancelled() {
            return streamed;
        }
        let Arrived { text, mut calls, usage, stop } = arrived;
        let written: u64 = calls.iter().map(|call| estimate_tokens(&call.arguments.to_string())).sum();
        let usage =
            usage.filter(|usage| usage.total() > 0).unwrap_or(Usage::new(tokens, estimate_tokens(&text) + written));
        if streamed.is_err() {
            calls.clear();
            if text.is_empty() {
                self.shared().turns.spend(&self.turn, Spent::new(&by, usage), self.app().clock.now()).await?;
                return streamed;
            }
        }
        let error = match (&streamed, stop) {
            (Err(_), _) if self.cancel.is_cancelled() => Some("Stopped.".to_owned()),
            (Err(error), _) => Some(error.message().to_owned()),
            (Ok(()), Some(StopReason::Length)) => Some("The answer reached the model's length limit.".to_owned()),
            (Ok(()), Some(StopReason::Filtered)) => Some("The provider held the answer back.".to_owned()),
            (Ok(()), _) if text.is_empty() && calls.is_empty() => Some("The model answered nothing.".to_owned()),
            (Ok(()), _) => None,
        };
        let citations = self.cited(&text).await?;
        if !citations.is_empty() {
            self.log.emit("citations", &json!({"message_id": id, "citations": citations}));
        }
        let spent = Spent::new(&by, usage);
        let message = Message {
            id,
            turn_id: self.id(),
            role: Role::Assistant,
            text,
            attachments: Vec::new(),
            steps: self.steps_of(calls),
            citations,
            created_at: self.app().clock.now(),
            model: Some(by.model),
            provider: Some(by.name),
            instead_of,
            usage: Some(usage),
            error,
            former: 0,
            agent: (!self.turn.agent.id.is_assistant() || self.turn.agent.version == 0)
                .then(|| self.turn.agent.content.name.clone()),
        };
        let mut told = json!(usage);
        if let Some(told) = told.as_object_mut() {
            told.insert("message_id".to_owned(), json!(id));
            told.extend(stop.filter(|stop| *stop == StopReason::Length).map(|_| ("cut".to_owned(), json!(true))));
        }
        self.log.emit("usage", &told);
        self.shared().turns.record(&self.turn, message, spent, self.log.last()).await?;
        streamed.map_err(|error| if self.cancel.is_cancelled() { stopped() } else { error })
    }

    fn steps_of(&self, calls: Vec<ToolCall>) -> Vec<Step> {
        let registry = self.shared().invoker.registry().as_seen_by(self.caller());
        let now = self.app().clock.now();
        let mut ids = HashSet::new();
        let step = |(position, call): (usize, ToolCall)| {
            // Some servers number the calls of every message alike; a conversation needs each id once.
            let provider_id = if ids.insert(call.id.clone()) { call.id } else { format!("{}-{position}", call.id) };
            let arguments = sanitise::restore(call.arguments);
            if self.turn.brief.as_deref().is_some_and(|brief| brief.has_tool(&call.name)) {
                let (tool, state) = (own_tool(&call.name), StepState::Handed);
                return Step { tool, state, provider_id, ..Step::new(call.name, arguments, now) };
            }
            let (tool, risk) = weigh(&registry, &call.name, &arguments);
            Step { tool, risk, provider_id, malformed: call.malformed, ..Step::new(call.name, arguments, now) }
        };
        calls.into_iter().enumerate().map(step).collect()
    }
}

/// The canonical id and the risk of a call. A name nobody knows is as harmless as an error text.
fn weigh(registry: &Registry, name: &str, arguments: &serde_json::Value) -> (String, Risk) {
    let Ok(found) = registry.find(name) else { return (name.chars().take(80).collect(), Risk::Read) };
    (found.tool.spec().id(), registry.risk_of(&found, arguments.clone()))
}

fn crowded() -> Error {
    Error::new(
        Kind::Busy,
        "Other conversations of yours with large attachments are being sent to the model: nothing was sent. Try again once \
         they are answered.",
    )
}
