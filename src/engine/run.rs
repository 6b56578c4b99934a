//! Step 6: run it, within its time, until it ends or is stopped.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use satchel_app::App;
use satchel_model::{
    call::Call,
    error::{Error, Kind, Result},
    output::Output,
    spec::Risk,
};

/// Said of a call that changes things and was stopped.
const UNCERTAIN: &str = "It may or may not have taken effect: check before you call it again.";

/// Said of a call the server's end has ended.
const SHUTDOWN: &str = "The call was stopped because the server stops.";

/// Who may end a call before it is done. The server's own end is not among them: it ends every call.
#[derive(Debug, Clone, Default)]
pub struct Stops {
    /// The caller took it back.
    pub asked: CancellationToken,
    /// Nobody waits for the answer any more. That ends a read; what changes things goes on to its end.
    pub unheard: CancellationToken,
}

impl From<CancellationToken> for Stops {
    fn from(asked: CancellationToken) -> Self {
        Self { asked, ..Self::default() }
    }
}

impl Stops {
    /// Waits until a call of this risk has to stop, and says why it did.
    ///
    /// A call within another ends with that one alone: a read that a write makes is part of the write.
    pub(super) async fn stopped(&self, app: &App, call: &Call, risk: Risk) -> Error {
        let reads = risk == Risk::Read;
        let lone_read = reads && call.depth == 0;
        let why = tokio::select! {
            biased;
            () = self.asked.cancelled() => "The call was stopped before it was done.",
            () = app.lifecycle.shutdown.cancelled(), if lone_read => SHUTDOWN,
            () = app.lifecycle.overdue.cancelled() => SHUTDOWN,
            () = self.unheard.cancelled(), if lone_read => "The call was stopped: who made it has hung up.",
        };
        let told = if reads { why.to_owned() } else { format!("{why} {UNCERTAIN}") };
        Error::new(Kind::Cancelled, told)
    }
}

/// Waits for what runs, for as long as it may take.
pub(super) async fn in_time(limit: Duration, running: impl Future<Output = Result<Output>>) -> Result<Output> {
    let ended = tokio::time::timeout(limit, running).await;
    ended.unwrap_or_else(|_| Err(Error::new(Kind::Timeout, format!("timed out after {}s", limit.as_secs()))))
}

/// The error of a tool that panicked.
pub(super) fn panicked(panic: &(dyn std::any::Any + Send)) -> Error {
    let text =
        panic.downcast_ref::<&str>().map(|s| (*s).to_owned()).or_else(|| panic.downcast_ref::<String>().cloned());
    Error::internal(format!("a tool panicked: {}", text.unwrap_or_default()))
}
