//! Counts what one attempt moves. Before anything is dialled it stands in the ledger, and when it is over, however it
//! ends, the ledger is told what became of it.

use std::{fmt, sync::Arc, time::Instant};

use futures_util::future::BoxFuture;
use url::Url;

use satchel_model::{
    egress::{Crossing, Origin, Passed},
    error::{Error, Kind, Result},
};

/// A keeper of a ledger.
pub trait Book: Send + Sync {
    /// A number for an attempt that begins; later is higher.
    fn number(&self) -> i64;
    /// Writes down that an attempt is about to leave. Once this is done a kill does not undo it.
    fn open(&self, number: i64, crossing: Crossing) -> BoxFuture<'static, Result<()>>;
    /// Takes what became of an attempt. It is called from anywhere and must not wait.
    fn close(&self, number: i64, crossing: Crossing);
}

/// The ledger in which attempts are written down. Cheap to clone.
#[derive(Clone)]
pub struct Ledger(Arc<dyn Book>);

impl Ledger {
    /// A ledger that is kept in a book.
    pub fn kept_in(book: impl Book + 'static) -> Self {
        Self(Arc::new(book))
    }

    /// A ledger that hands on what became of attempts, and forgets them where the process ends before.
    pub fn new(take: impl Fn(Crossing) + Send + Sync + 'static) -> Self {
        Self::kept_in(Told(take))
    }

    /// A ledger that keeps nothing: for a process that has none.
    pub fn none() -> Self {
        Self::new(drop)
    }
}

struct Told<F>(F);

impl<F: Fn(Crossing) + Send + Sync> Book for Told<F> {
    fn number(&self) -> i64 {
        0
    }

    fn open(&self, _: i64, _: Crossing) -> BoxFuture<'static, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn close(&self, _: i64, crossing: Crossing) {
        (self.0)(crossing);
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
    number: i64,
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
        let number = ledger.0.number();
        Self { crossing: Some(crossing), number, began: Instant::now(), ledger: ledger.clone() }
    }

    /// Writes down that it is about to leave; nothing may be dialled before.
    ///
    /// # Errors
    ///
    /// If that cannot be written: what would leave no trace does not leave.
    pub(super) async fn open(&self) -> Result<()> {
        match self.crossing.clone() {
            Some(crossing) => self.ledger.0.open(self.number, Crossing { passed: Passed::Open, ..crossing }).await,
            None => Ok(()),
        }
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
            self.ledger.0.close(self.number, crossing);
        }
    }
}
