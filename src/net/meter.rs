//! Counts what one attempt moves, and puts it into the ledger when it is over, however it ends.

use std::{fmt, sync::Arc, time::Instant};

use url::Url;

use crate::model::{
    egress::{Crossing, Origin, Passed},
    error::{Error, Kind},
};

/// Takes what crossed. It is called from anywhere and must not wait.
#[derive(Clone)]
pub struct Ledger(Arc<dyn Fn(Crossing) + Send + Sync>);

impl Ledger {
    /// A ledger that hands everything on.
    pub fn new(take: impl Fn(Crossing) + Send + Sync + 'static) -> Self {
        Self(Arc::new(take))
    }

    /// A ledger that keeps nothing: for a process that has none.
    pub fn none() -> Self {
        Self::new(drop)
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ledger")
    }
}

/// One attempt being measured. Dropping it writes its row.
#[derive(Debug)]
pub(super) struct Meter {
    crossing: Option<Crossing>,
    began: Instant,
    ledger: Ledger,
}

impl Meter {
    pub(super) fn begin(ledger: &Ledger, origin: &Origin, url: &Url) -> Self {
        let crossing = Crossing {
            origin: origin.clone(),
            host: url.host_str().unwrap_or_default().to_owned(),
            port: url.port_or_known_default().unwrap_or_default(),
            protocol: url.scheme().to_owned(),
            sent: 0,
            received: 0,
            status: None,
            // Until more is known: an attempt that is dropped in the middle came to nothing.
            passed: Passed::Failed,
            reason: None,
            took: std::time::Duration::ZERO,
        };
        Self { crossing: Some(crossing), began: Instant::now(), ledger: ledger.clone() }
    }

    pub(super) fn sent(&mut self, bytes: usize) {
        self.change(|crossing| crossing.sent = crossing.sent.saturating_add(bytes as u64));
    }

    pub(super) fn received(&mut self, bytes: usize) {
        self.change(|crossing| crossing.received = crossing.received.saturating_add(bytes as u64));
    }

    /// The other side is there.
    pub(super) fn reached(&mut self, status: Option<u16>) {
        self.change(|crossing| (crossing.passed, crossing.status) = (Passed::Done, status));
    }

    /// It came to nothing, or broke off.
    pub(super) fn failed(&mut self, error: Error) -> Error {
        let passed = if error.kind() == Kind::Denied { Passed::Refused } else { Passed::Failed };
        self.ended(passed, error)
    }

    /// The guard said no.
    pub(super) fn refused(&mut self, error: Error) -> Error {
        self.ended(Passed::Refused, error)
    }

    fn ended(&mut self, passed: Passed, error: Error) -> Error {
        self.change(|crossing| {
            // What was refused stays refused, whoever hears of it later.
            if crossing.passed != Passed::Refused {
                (crossing.passed, crossing.reason) = (passed, Some(error.message().to_owned()));
            }
        });
        error
    }

    fn change(&mut self, change: impl FnOnce(&mut Crossing)) {
        if let Some(crossing) = &mut self.crossing {
            change(crossing);
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(mut crossing) = self.crossing.take() {
            crossing.took = self.began.elapsed();
            (self.ledger.0)(crossing);
        }
    }
}
