//! Asks one provider after the other: each again while that can help, and only before its first event.

use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};

use super::{
    answer::{Answer, Patience},
    failure::Failure,
};
use crate::{
    model::{
        error::{Error, Kind, Result},
        llm::{ChatRequest, Provider},
    },
    net::http::Http,
};

/// A provider that asks for a longer wait is passed over.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Attempts after the first.
const RETRIES: usize = 2;

/// What asks models.
#[derive(Debug, Clone)]
pub struct Models {
    pub(super) http: Http,
    patience: Patience,
}

impl Models {
    /// Over this client.
    pub fn new(http: Http, patience: Patience) -> Self {
        Self { http, patience }
    }

    /// An answer of the first provider that gives one. Where none does, the first one's error: it is the one people chose.
    pub async fn ask(&self, providers: &[Provider], chat: &ChatRequest) -> Result<Answer> {
        let mut first = None;
        for provider in providers {
            match self.ask_one(provider, chat).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => {
                    tracing::warn!(provider = provider.name, error = ?failure.error, "a model did not answer");
                    first.get_or_insert(failure.error);
                }
            }
        }
        Err(first.unwrap_or_else(no_model))
    }

    async fn ask_one(&self, provider: &Provider, chat: &ChatRequest) -> Result<Answer, Failure> {
        let backoff = ExponentialBuilder::default()
            .with_min_delay(Duration::from_millis(500))
            .with_max_times(RETRIES)
            .with_jitter();
        (|| Answer::open(&self.http, provider, chat, self.patience))
            .retry(backoff)
            .when(|failure| failure.again)
            .adjust(|failure, planned| match (failure.after, planned) {
                (Some(asked), Some(_)) => (asked <= LONGEST_WAIT).then_some(asked),
                (_, planned) => planned,
            })
            .await
    }
}

/// The answer where nobody has connected a model.
pub fn no_model() -> Error {
    Error::new(Kind::Unconfigured, "No model is connected. Add one under Settings, Models; tools work without one.")
}
