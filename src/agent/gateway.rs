//! Models asked for a program without an agent: within its person's budget, counted, and in the audit.

use std::time::Instant;

use serde_json::json;

use super::chat::Agent;
use satchel_model::{
    audit::{AuditOutcome, Event as AuditEvent, EventType},
    caller::Caller,
    error::{Error, Kind, Result},
    llm::{ChatMessage, ChatRequest, Event, Provider, Usage, estimate_tokens},
    price::Spent,
    provider::failure::ProviderFailure,
};
use satchel_net::llm::answer::Answer;
use satchel_services::{agents::model_name, model};
use satchel_store::usage;

/// The action of its row in the audit.
const ACTION: &str = "model";

/// An answer of a model that was asked for a program.
pub struct ModelAnswer {
    answer: Answer,
    bill: Bill,
}

impl Agent {
    /// Asks the first of these models that answers, for a program of this caller.
    ///
    /// # Errors
    ///
    /// If they may not spend what is a person's, their tokens of the day are used up, or none answers.
    pub async fn ask_model(&self, caller: &Caller, providers: &[Provider], chat: &ChatRequest) -> Result<ModelAnswer> {
        caller.ensure_may_ask_models()?;
        model::require_budget(&self.shared.app, caller.user).await?;
        let began = Instant::now();
        let asked = self.shared.models(Some(caller.user)).ask(providers, chat).await;
        let bill = |provider: &Provider, instead_of, usage| Bill {
            agent: self.clone(),
            caller: caller.clone(),
            provider: Some(provider.clone()),
            instead_of,
            usage,
            estimate: Usage::new(estimate(chat), 0),
            written: 0,
            began,
        };
        match asked {
            Ok(answer) => {
                let bill = bill(&answer.provider, answer.instead_of.clone(), None);
                Ok(ModelAnswer { answer, bill })
            }
            Err(error) => {
                if let Some(first) = providers.first() {
                    bill(first, None, Some(Usage::default())).pay(Some(&error)).await?;
                }
                Err(error)
            }
        }
    }
}

impl ModelAnswer {
    /// The provider that answers.
    pub fn provider(&self) -> &Provider {
        &self.answer.provider
    }

    /// The next event; `None` at the end. Safe to drop and to call again.
    ///
    /// # Errors
    ///
    /// If the answer breaks off.
    pub async fn next(&mut self) -> Result<Option<Event>> {
        let next = self.answer.next().await;
        match &next {
            Ok(Some(Event::Usage(usage))) => self.bill.usage = Some(*usage),
            Ok(Some(Event::Text(text))) => self.bill.written += text.len(),
            Ok(Some(Event::ToolCall(call))) => self.bill.written += call.arguments.to_string().len(),
            Ok(Some(Event::Raw(_) | Event::Stop(_))) => {}
            Ok(None) => self.bill.settle(None).await?,
            Err(error) => self.bill.settle(Some(error)).await?,
        }
        next
    }
}

/// About how many tokens a request is.
fn estimate(chat: &ChatRequest) -> u64 {
    let of_message = |message: &ChatMessage| match message {
        ChatMessage::User { text, .. } | ChatMessage::Assistant { text, .. } => estimate_tokens(text),
        ChatMessage::Tool { results } => results.iter().map(|result| estimate_tokens(&result.text)).sum(),
    };
    let told = estimate_tokens(&chat.system) + chat.messages.iter().map(of_message).sum::<u64>();
    match &chat.raw {
        Some(raw) if chat.messages.is_empty() => {
            raw.body.get("messages").map_or(0, |messages| estimate_tokens(&messages.to_string()))
        }
        _ => told,
    }
}

/// The bill of an answer, which is paid however it ends.
struct Bill {
    agent: Agent,
    caller: Caller,
    /// The provider that answers; `None` once it is paid.
    provider: Option<Provider>,
    instead_of: Option<ProviderFailure>,
    /// As the provider says.
    usage: Option<Usage>,
    /// As far as is known where it does not say.
    estimate: Usage,
    /// Bytes that were written so far.
    written: usize,
    began: Instant,
}

impl Bill {
    async fn settle(&mut self, error: Option<&Error>) -> Result<()> {
        match self.take() {
            Some(bill) => bill.pay(error).await,
            None => Ok(()),
        }
    }

    /// The same, to be paid; this one is from now on.
    fn take(&mut self) -> Option<Self> {
        let provider = self.provider.take()?;
        Some(Self {
            agent: self.agent.clone(),
            caller: self.caller.clone(),
            provider: Some(provider),
            instead_of: self.instead_of.take(),
            ..*self
        })
    }

    async fn pay(mut self, error: Option<&Error>) -> Result<()> {
        let Some(provider) = self.provider.take() else { return Ok(()) };
        let app = &self.agent.shared.app;
        let (now, caller) = (app.clock.now(), &self.caller);
        let counted = Usage { output_tokens: (self.written as u64).div_ceil(4), ..self.estimate };
        let usage = self.usage.unwrap_or(counted);
        let mut arguments = json!({"model": model_name(&provider), "usage": usage});
        if let (Some(failure), Some(told)) = (&self.instead_of, arguments.as_object_mut()) {
            told.insert("instead_of".to_owned(), json!(failure));
        }
        let event = AuditEvent {
            user_id: Some(caller.user),
            user: caller.username.clone(),
            arguments,
            outcome: match error {
                None => AuditOutcome::Success,
                Some(error) if error.kind() == Kind::Cancelled => AuditOutcome::Stopped,
                Some(_) => AuditOutcome::Failure,
            },
            error: error.map(|error| error.message().to_owned()),
            duration_ms: u64::try_from(self.began.elapsed().as_millis()).ok(),
            ..AuditEvent::new(now, EventType::ChatTurn, caller.door, ACTION)
        };
        usage::spend_audited(&app.db, (caller.user, now), Spent::new(&provider, usage), event).await
    }
}

impl Drop for Bill {
    fn drop(&mut self) {
        let Some(bill) = self.take() else { return };
        let lifecycle = &self.agent.shared.app.lifecycle;
        let (tracker, runtime) = (lifecycle.tracker.clone(), lifecycle.runtime.clone());
        let pay = async move {
            let gone = Error::new(Kind::Cancelled, "The client went away.");
            if let Err(error) = bill.pay(Some(&gone)).await {
                tracing::warn!(?error, "what a model took could not be written down");
            }
        };
        tracker.spawn_on(pay, &runtime);
    }
}
