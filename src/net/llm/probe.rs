//! Probes of a provider that failed: made in the background after growing pauses, until one has an answer.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use tokio::time::Instant;

use super::{breaker::Watch, chain::Models, failure::Failure, models::LISTING};
use satchel_model::{
    egress::{Origin, Part},
    llm::{ChatMessage, ChatRequest, Provider, options::RequestOptions},
};

impl Models {
    /// Probes a provider in the background until it answers, is changed, or the process ends.
    pub(super) fn watch(&self, watch: Watch) {
        // Nobody asked for these requests: the ledger has them under no person's name.
        let http = self.http.gate.on_behalf(Origin::part(Part::Models, None));
        let models = Self { http, ..self.clone() };
        let background = self.breakers.background().clone();
        let probes = async move {
            let shutdown = models.breakers.background().shutdown.clone();
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = models.probe_until_answered(&watch) => {}
            }
        };
        background.tracker.spawn_on(probes, &background.runtime);
    }

    /// Probes a provider now, for somebody who waits for the outcome.
    pub(super) async fn probe_now(&self, provider: &Provider) -> Result<(), Failure> {
        match self.probe(provider).await {
            Err(failure) => {
                self.record_failure(provider, &failure);
                Err(failure)
            }
            Ok(()) => {
                self.breakers.answered(provider);
                Ok(())
            }
        }
    }

    async fn probe_until_answered(&self, watch: &Watch) {
        let pace = self.breakers.pace();
        let pauses = ExponentialBuilder::default()
            .with_min_delay(pace.first)
            .with_max_delay(pace.longest)
            .with_jitter()
            .without_max_times()
            .build();
        for pause in pauses {
            sleep(watch, pause).await;
            while let Some(rest) = self.breakers.rest(watch).filter(|rest| !rest.is_zero()) {
                sleep(watch, rest).await;
            }
            if !self.breakers.set_probing(watch, true) {
                return;
            }
            let outcome = self.probe(&watch.provider).await;
            // Changed or removed meanwhile: what was found is of no use.
            if !self.breakers.set_probing(watch, false) {
                return;
            }
            tracing::info!(provider = watch.provider.name, answers = outcome.is_ok(), "a model that failed was probed");
            match outcome {
                Ok(()) => return self.breakers.answered(&watch.provider),
                // Somebody had an answer of it meanwhile, and so it is watched anew.
                Err(failure) => {
                    if let Some(anew) = self.breakers.failed(&watch.provider, &failure) {
                        return self.watch(anew);
                    }
                }
            }
        }
    }

    /// Asks whether a provider answers anything; that it refuses this one request is an answer, too.
    async fn probe(&self, provider: &Provider) -> Result<(), Failure> {
        let began = Instant::now();
        match self.probe_once(provider).await {
            Err(failure) if failure.fault => Err(Failure { took: began.elapsed(), ..failure }),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Asks for the list of models, which is cheap, and then for one token: some list models and answer nothing.
    async fn probe_once(&self, provider: &Provider) -> Result<(), Failure> {
        match self.list_within(provider, LISTING).await {
            Err(failure) if failure.fault && !failure.is_no_list() => return Err(failure),
            Ok(_) | Err(_) => {}
        }
        self.ping(provider, Some(1)).await
    }

    /// Asks for an answer of so many tokens, and hears its beginning.
    pub(super) async fn ping(&self, provider: &Provider, max_tokens: Option<u32>) -> Result<(), Failure> {
        let messages = vec![ChatMessage::User { text: "ping".to_owned(), images: Vec::new() }];
        let options = RequestOptions { max_tokens, ..RequestOptions::default() };
        let request = ChatRequest { messages, options, ..ChatRequest::default() };
        self.attempt(provider, &request).await.map(drop)
    }
}

/// Sleeps so long, or until the breaker has something new.
async fn sleep(watch: &Watch, pause: Duration) {
    tokio::select! {
        () = tokio::time::sleep(pause) => {}
        () = watch.wake.notified() => {}
    }
}
