//! A model's answer while it arrives. Dropping it closes the connection at once.

use std::{collections::VecDeque, time::Duration};

use reqwest::header::CONTENT_TYPE;
use tokio::time::Instant;

use super::{
    bounds::Intake,
    chain::Models,
    dialect::{self, Decoder},
    failure::{self, Failure, Unanswered},
    own_key::KeyMask,
};
use crate::{
    guard::HostPort,
    http::{Http, Response},
};
use satchel_model::{
    error::{Error, Result},
    llm::{ChatRequest, Event, Provider, Usage},
    provider::failure::ProviderFailure,
};

/// The times a model may be silent.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Before its first event: a local model may have to be loaded.
    pub first: Duration,
    /// Between two pieces.
    pub stall: Duration,
    /// Until the end, however steadily it comes.
    pub whole: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { first: Duration::from_secs(180), stall: Duration::from_secs(90), whole: Duration::from_secs(1_800) }
    }
}

/// An answer whose first event has arrived.
pub struct Answer {
    /// The provider that answers.
    pub provider: Provider,
    /// The reason the provider that comes first does not, where this one stands in for it.
    pub instead_of: Option<ProviderFailure>,
    response: Response,
    decoder: Decoder,
    ready: VecDeque<Event>,
    taken: Intake,
    mask: KeyMask,
    /// The reason nothing more is taken in, told once what came before is.
    ended: Option<Error>,
    at_end: bool,
    /// `true` if any of its body has come.
    heard: bool,
    patience: Patience,
    /// The one to tell where it falls silent.
    watcher: Option<Models>,
}

impl Answer {
    /// Asks once, and waits for the first event: up to there a failure can be tried again.
    pub(super) async fn open(
        http: &Http,
        provider: &Provider,
        chat: &ChatRequest,
        patience: Patience,
    ) -> Result<Self, Failure> {
        let began = Instant::now();
        let unanswered = |error| Failure::unanswered(provider, error);
        let host = HostPort::from_url(&provider.base_url);
        let mut request = dialect::request(provider, chat).map_err(unanswered)?;
        request.patience = patience.first;
        request.limit = Some(patience.whole);
        let response = http.allowing(host.as_slice()).send(request).await.map_err(unanswered)?;
        if !response.status.is_success() {
            return Err(failure::from_response(provider, response).await);
        }
        if is_page(&response) {
            let error = Error::upstream("It answers with a web page, not as a model does. Check the address.");
            return Err(Failure { again: false, ..unanswered(error) });
        }
        let mut answer = Self {
            provider: provider.clone(),
            instead_of: None,
            response,
            decoder: Decoder::new(provider, chat),
            ready: VecDeque::new(),
            taken: Intake::default(),
            mask: KeyMask::new(provider),
            ended: None,
            at_end: false,
            heard: false,
            patience,
            watcher: None,
        };
        while answer.ready.is_empty() && !answer.at_end {
            // One patience for head and first event together; whoever has begun to send may pause as later on.
            let left = patience.first.saturating_sub(began.elapsed());
            answer.response.wait_at_most(if answer.heard { left.max(patience.stall) } else { left });
            answer.read().await;
        }
        if answer.ready.is_empty()
            && let Some(error) = answer.ended.take()
        {
            return Err(unanswered(error));
        }
        answer.response.wait_at_most(patience.stall);
        Ok(answer)
    }

    /// The same, as one that stands in for the provider that failed, if one did.
    pub(super) fn instead_of(self, first: Option<Unanswered>) -> Self {
        Self { instead_of: first.map(|first| *first.told), ..self }
    }

    /// The same, whose silence opens its provider's breaker.
    pub(super) fn watched_by(self, models: Models) -> Self {
        Self { watcher: Some(models), ..self }
    }

    /// The next event, none at the end. Safe to drop and to call again.
    pub async fn next(&mut self) -> Result<Option<Event>> {
        while self.ready.is_empty() && !self.at_end {
            self.read().await;
        }
        match (self.ready.pop_front(), &self.ended) {
            (None, Some(error)) => Err(self.broken(error.clone())),
            (event, _) => Ok(event),
        }
    }

    /// The error of this answer, which broke off.
    fn broken(&self, error: Error) -> Error {
        if let Some(models) = &self.watcher {
            let failure = Failure { took: self.patience.stall, ..Failure::broken_off(&self.provider, error.clone()) };
            models.record_failure(&self.provider, &failure);
        }
        failure::broken(&self.provider, error)
    }

    /// The whole text, for short questions without tools, and what it cost.
    pub async fn text(mut self) -> Result<(String, Usage)> {
        let (mut whole, mut usage) = (String::new(), Usage::default());
        while let Some(event) = self.next().await? {
            match event {
                Event::Text(piece) => whole.push_str(&piece),
                Event::Usage(latest) => usage = latest,
                Event::ToolCall(_) | Event::Stop(_) | Event::Raw(_) => {}
            }
        }
        Ok((whole, usage))
    }

    /// Reads one piece. After an error nothing more is read, and what came before it is ready.
    async fn read(&mut self) {
        let piece = self.response.chunk().await;
        let taken = piece.and_then(|piece| self.take_in(piece.as_deref()));
        if let Err(error) = taken {
            self.at_end = true;
            self.ended = Some(self.mask.error(error));
        }
        if self.at_end {
            self.say_rest();
        }
    }

    /// Takes one piece in, or the end.
    fn take_in(&mut self, piece: Option<&[u8]>) -> Result<()> {
        let events = match piece {
            Some(bytes) => {
                self.heard = true;
                self.taken.piece(bytes.len())?;
                let events = self.decoder.feed(bytes)?;
                self.taken.ensure_calls(self.decoder.unfinished())?;
                events
            }
            None => {
                self.at_end = true;
                self.decoder.finish()?
            }
        };
        events.into_iter().try_for_each(|event| self.admit(event))
    }

    /// Makes an event ready, as far as it is within bounds and without the provider's own key.
    fn admit(&mut self, event: Event) -> Result<()> {
        match event {
            Event::Text(mut text) => {
                let (room, fits) = self.taken.text(&text);
                text.truncate(room);
                let said = self.mask.feed(text);
                if !said.is_empty() {
                    self.ready.push_back(Event::Text(said));
                }
                fits
            }
            Event::ToolCall(call) => {
                self.taken.call(call.name.len() + call.arguments.to_string().len())?;
                self.ready.push_back(Event::ToolCall(self.mask.call(call)));
                Ok(())
            }
            Event::Raw(frame) => {
                self.ready.push_back(Event::Raw(self.mask.text(&frame)));
                Ok(())
            }
            event => {
                if matches!(event, Event::Stop(_)) {
                    self.say_rest();
                }
                self.ready.push_back(event);
                Ok(())
            }
        }
    }

    /// Makes ready what was held back because it might have become the key.
    fn say_rest(&mut self) {
        let rest = self.mask.rest();
        if !rest.is_empty() {
            self.ready.push_back(Event::Text(rest));
        }
    }
}

/// Returns whether this is a page for people: many servers have one at every address they do not know.
fn is_page(response: &Response) -> bool {
    let kind = response.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.trim_start().to_ascii_lowercase().starts_with("text/html")
}
