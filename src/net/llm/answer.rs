//! A model's answer while it arrives. Dropping it closes the connection at once.

use std::{collections::VecDeque, time::Duration};

use super::{
    dialect::{self, Decoder},
    failure::{self, Failure},
};
use crate::{
    model::{
        error::Result,
        llm::{ChatRequest, Event, Provider, ProviderId, Usage},
    },
    net::{
        guard::HostPort,
        http::{Http, Response},
    },
};

/// How long a model may be silent.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Before its first event: a local model may have to be loaded.
    pub first: Duration,
    /// Between two pieces.
    pub stall: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { first: Duration::from_secs(180), stall: Duration::from_secs(90) }
    }
}

/// An answer whose first event has arrived.
pub struct Answer {
    /// Who answers.
    pub provider: ProviderId,
    /// With which model.
    pub model: String,
    response: Response,
    decoder: Decoder,
    ready: VecDeque<Event>,
    at_end: bool,
}

impl Answer {
    /// Asks once, and waits for the first event: up to there a failure can be tried again.
    pub(super) async fn open(
        http: &Http,
        provider: &Provider,
        chat: &ChatRequest,
        patience: Patience,
    ) -> Result<Self, Failure> {
        let host = HostPort::of(&provider.base_url);
        let mut request = dialect::request(provider, chat)?;
        request.patience = patience.first;
        let mut response = http.allowing(host.as_slice()).send(request).await?;
        if !response.status.is_success() {
            return Err(failure::from_response(provider, response).await);
        }
        response.wait_at_most(patience.first);
        let mut answer = Self {
            provider: provider.id,
            model: provider.model.clone(),
            response,
            decoder: Decoder::of(provider.kind),
            ready: VecDeque::new(),
            at_end: false,
        };
        if answer.fill().await? {
            answer.response.wait_at_most(patience.stall);
        }
        Ok(answer)
    }

    /// The next event, none at the end. Safe to drop and to call again.
    pub async fn next(&mut self) -> Result<Option<Event>> {
        self.fill().await?;
        Ok(self.ready.pop_front())
    }

    /// The whole text, for short questions without tools, and what it cost.
    pub async fn text(mut self) -> Result<(String, Usage)> {
        let (mut whole, mut usage) = (String::new(), Usage::default());
        while let Some(event) = self.next().await? {
            match event {
                Event::Text(piece) => whole.push_str(&piece),
                Event::Usage(latest) => usage = latest,
                Event::ToolCall(_) | Event::Stop(_) => {}
            }
        }
        Ok((whole, usage))
    }

    /// Reads until an event is ready or the end is reached; false at the end.
    async fn fill(&mut self) -> Result<bool> {
        while self.ready.is_empty() && !self.at_end {
            match self.response.chunk().await? {
                Some(bytes) => self.ready.extend(self.decoder.feed(&bytes)?),
                None => {
                    self.at_end = true;
                    self.ready.extend(self.decoder.finish()?);
                }
            }
        }
        Ok(!self.ready.is_empty())
    }
}
