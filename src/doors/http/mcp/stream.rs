//! Streams of events: the answer to a call that takes long, after what is told before it.

use std::{pin::Pin, time::Duration};

use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use tokio::{
    sync::mpsc,
    time::{Instant, Interval, MissedTickBehavior, interval_at},
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::call::Told;
use crate::http::protocol::rpc::{self, Failure};
use crate::http::sse;
use satchel_model::error::Result;

/// A call that is under way.
pub(super) type Running = Pin<Box<dyn Future<Output = std::result::Result<Told, Failure>>>>;

/// Time between two signs that a call is still running.
const STEP: Duration = Duration::from_secs(2);

/// The progress that a client wants to hear of while a call runs.
pub(super) struct Progress(Option<Value>);

impl Progress {
    /// As a request says it.
    pub(super) fn of(meta: &JsonObject) -> Self {
        Self(meta.get("progressToken").filter(|token| token.is_string() || token.is_i64() || token.is_u64()).cloned())
    }

    fn message(&self, seconds: u64) -> Option<Bytes> {
        let token = self.0.as_ref()?;
        let params =
            json!({"progressToken": token, "progress": seconds, "message": format!("Running for {seconds} s.")});
        Some(event(&rpc::notification("notifications/progress", params)))
    }
}

/// One message as an event.
pub(super) fn event(message: &Value) -> Bytes {
    Bytes::from(format!("event: message\ndata: {message}\n\n"))
}

pub(super) fn ticks(every: Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + every, every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// A call that is under way, with what is told before its answer.
pub(super) struct Calling {
    running: Option<Running>,
    messages: mpsc::Receiver<Value>,
    /// A message that has come while nobody had begun to stream.
    first: Option<Value>,
    progress: Progress,
    steps: Interval,
    started: Instant,
    /// Ends the call when nobody listens any more.
    gone: DropGuard,
}

impl Calling {
    /// A call that begins now.
    pub(super) fn new(
        running: Running,
        messages: mpsc::Receiver<Value>,
        progress: Progress,
        unheard: CancellationToken,
    ) -> Self {
        let (steps, gone) = (ticks(STEP), unheard.drop_guard());
        Self { running: Some(running), messages, first: None, progress, steps, started: Instant::now(), gone }
    }

    /// Waits for the answer, or for something to be told before it: then `None`.
    pub(super) async fn settle(&mut self) -> Option<std::result::Result<Told, Failure>> {
        let running = self.running.as_mut()?;
        tokio::select! {
            biased;
            told = running => Some(told),
            Some(message) = self.messages.recv() => {
                self.first = Some(message);
                None
            }
        }
    }

    /// Waits for the answer alone.
    pub(super) async fn wait(self) -> std::result::Result<Told, Failure> {
        let _held = self.gone;
        match self.running {
            Some(running) => running.await,
            None => Err(Failure::request("It was answered already.")),
        }
    }

    /// The same call, which has been answered.
    pub(super) fn ended(self, told: std::result::Result<Told, Failure>) -> Self {
        Self { running: Some(Box::pin(std::future::ready(told))), ..self }
    }

    /// The next events: a message, a sign that it is running, or at last its answer.
    async fn next(mut self) -> Option<(Events, Self)> {
        if let Some(message) = self.first.take() {
            return Some((one(event(&message)), self));
        }
        let running = self.running.as_mut()?;
        tokio::select! {
            biased;
            told = running => {
                self.running = None;
                Some((last(told), self))
            }
            Some(message) = self.messages.recv() => Some((one(event(&message)), self)),
            _ = self.steps.tick() => {
                let sign = self.progress.message(self.started.elapsed().as_secs()).unwrap_or_else(sse::beat);
                Some((one(sign), self))
            }
        }
    }
}

/// The stream of a call: what is told before its answer, and that.
pub(super) fn of_call(http: &HttpRequest, calling: Calling) -> std::result::Result<HttpResponse, Failure> {
    sse::posted(http, stream::unfold(calling, Calling::next).flatten()).map_err(|error| error.0.into())
}

type Events = Pin<Box<dyn Stream<Item = Result<Bytes>>>>;

fn one(bytes: Bytes) -> Events {
    Box::pin(stream::once(std::future::ready(Ok(bytes))))
}

/// The answer as the last event.
fn last(told: std::result::Result<Told, Failure>) -> Events {
    const HEAD: Bytes = Bytes::from_static(b"event: message\ndata: ");
    const TAIL: Bytes = Bytes::from_static(b"\n\n");
    match told {
        Ok(Told::Small(text)) => one([&HEAD[..], &text, &TAIL].concat().into()),
        Ok(Told::Large(pieces)) => {
            let edge = |bytes: Bytes| stream::once(std::future::ready(Ok(bytes)));
            Box::pin(edge(HEAD).chain(pieces).chain(edge(TAIL)))
        }
        Err(failure) => one(event(&json!(failure.into_message()))),
    }
}
