//! Asks one provider after the other: each again while that can help, and only before its first event; one that failed
//! is passed over until it answers again.

use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use tokio::time::Instant;

use super::{
    answer::{Answer, Patience},
    breaker::Breakers,
    failure::{Failure, Unanswered},
};
use crate::http::Http;
use satchel_model::{
    error::{Error, Kind, Result},
    llm::{ChatRequest, Provider},
    provider::health::ProviderHealth,
};

/// Longest wait a provider can ask for where no other one can answer instead.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// The same where one can.
const SHORT_WAIT: Duration = Duration::from_secs(2);

/// Attempts after the first.
const RETRIES: usize = 2;

/// The client that asks models.
#[derive(Debug, Clone)]
pub struct Models {
    pub(super) http: Http,
    pub(super) patience: Patience,
    pub(super) breakers: Breakers,
}

impl Models {
    /// Over this client, with what is known of the providers.
    pub fn new(http: Http, patience: Patience, breakers: Breakers) -> Self {
        Self { http, patience, breakers }
    }

    /// Returns whether a provider answers, as far as it was asked.
    pub fn health(&self, provider: &Provider) -> ProviderHealth {
        self.breakers.health(provider)
    }

    /// Returns the provider that will be asked first, as far as that is known: the first whose breaker is closed.
    pub fn expected<'a>(&self, providers: &'a [Provider]) -> Option<&'a Provider> {
        self.breakers.first_closed(providers).or(providers.first())
    }

    /// An answer of the first provider that gives one; those that failed lately are passed over at once. Where none
    /// answers, the first one's error: it is the one people chose.
    pub async fn ask(&self, providers: &[Provider], chat: &ChatRequest) -> Result<Answer> {
        let (mut first, mut left, mut awaited): (Option<Unanswered>, Vec<&Provider>, Vec<&Provider>) =
            (None, Vec::new(), Vec::new());
        let mut after = providers;
        while let Some((provider, stand_ins)) = after.split_first() {
            after = stand_ins;
            if let Some(skip) = self.breakers.skip(provider) {
                first.get_or_insert(skip.why);
                let into = if skip.last_resort { &mut left } else { &mut awaited };
                into.push(provider);
                continue;
            }
            match self.ask_one(provider, chat, stand_ins).await {
                Ok(answer) => return Ok(answer.instead_of(first)),
                Err(why) => {
                    first.get_or_insert(why);
                }
            }
        }
        for provider in left {
            let asked = self.attempt(provider, chat).await;
            if let Ok(answer) = self.record(provider, asked) {
                let is_chosen = providers.first().is_some_and(|chosen| chosen.id == provider.id);
                return Ok(if is_chosen { answer } else { answer.instead_of(first) });
            }
        }
        // Somebody would have liked an answer: whether there is one again is found out now, not after the pause.
        awaited.into_iter().for_each(|provider| self.breakers.hurry(provider));
        Err(first.map_or_else(no_model, |first| first.error))
    }

    /// Asks one, again while that can help. Where another can stand in for it, nobody waits on once somebody else has
    /// waited in vain.
    async fn ask_one(
        &self,
        provider: &Provider,
        chat: &ChatRequest,
        stand_ins: &[Provider],
    ) -> Result<Answer, Unanswered> {
        tokio::select! {
            // An answer that has come is not thrown away.
            biased;
            asked = self.ask_with_retries(provider, chat, stand_ins) => self.record(provider, asked),
            why = self.breakers.hangs(provider, stand_ins) => Err(why),
        }
    }

    /// Asks one, again while that can help: where somebody can stand in for it, only if it is there at all.
    async fn ask_with_retries(
        &self,
        provider: &Provider,
        chat: &ChatRequest,
        stand_ins: &[Provider],
    ) -> Result<Answer, Failure> {
        let stand_in = self.breakers.first_closed(stand_ins).is_some();
        let longest = if stand_in { SHORT_WAIT } else { LONGEST_WAIT };
        let backoff = ExponentialBuilder::default()
            .with_min_delay(Duration::from_millis(500))
            .with_max_times(RETRIES)
            .with_jitter();
        (|| self.attempt(provider, chat))
            .retry(backoff)
            // Meanwhile another request may have had enough of it.
            .when(|failure| {
                let is_there = failure.told.status.is_some() || !stand_in;
                failure.again && is_there && self.breakers.skip(provider).is_none()
            })
            .adjust(|failure, planned| match (failure.after, planned) {
                (Some(asked), Some(_)) => (asked <= longest).then_some(asked),
                (_, planned) => planned,
            })
            .await
    }

    /// Takes down what came of asking a provider; the answer is watched from now on.
    fn record(&self, provider: &Provider, asked: Result<Answer, Failure>) -> Result<Answer, Unanswered> {
        match &asked {
            Ok(_) => self.breakers.answered(provider),
            Err(failure) => {
                tracing::warn!(provider = provider.name, error = ?failure.error, "a model did not answer");
                self.record_failure(provider, failure);
            }
        }
        asked.map(|answer| answer.watched_by(self.clone())).map_err(Unanswered::from)
    }

    /// Takes down that a provider failed, and probes it from now on where nobody did.
    pub(super) fn record_failure(&self, provider: &Provider, failure: &Failure) {
        if let Some(watch) = self.breakers.failed(provider, failure) {
            self.watch(watch);
        }
    }

    /// Asks one, once.
    pub(super) async fn attempt(&self, provider: &Provider, chat: &ChatRequest) -> Result<Answer, Failure> {
        let began = Instant::now();
        let opened = Answer::open(&self.http, provider, chat, self.patience).await;
        opened.map_err(|failure| Failure { took: began.elapsed(), ..failure })
    }
}

/// The answer where nobody has connected a model.
pub fn no_model() -> Error {
    Error::new(Kind::Unconfigured, "No model is connected. Add one under Settings, Models; tools work without one.")
}
