//! The writer: groups of writes, one transaction for each, and the bell that rings after a commit.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
};

use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, oneshot, watch},
};

use crate::sql::{Connection, Tx};
use satchel_model::error::{Error, Kind, Result};
use satchel_share::boxed::Boxed;

/// The part that is undone where a write fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Undo {
    /// Its own.
    Alone,
    /// The group it is in.
    WithAll,
}

/// What the writer is told.
pub(super) enum Order {
    /// To write this.
    Write(Job),
    /// To end once what came before is written.
    Close,
}

/// Work on the database.
pub(super) type Work = Box<dyn FnOnce(&Tx) -> Result<Boxed> + Send>;

/// A write that waits for its commit.
pub(super) struct Job {
    work: Option<Work>,
    undo: Undo,
    outcome: Option<Result<Boxed>>,
    reply: oneshot::Sender<Result<Boxed>>,
    _place: OwnedSemaphorePermit,
}

impl Job {
    pub(super) fn new(
        work: Work,
        undo: Undo,
        reply: oneshot::Sender<Result<Boxed>>,
        place: OwnedSemaphorePermit,
    ) -> Self {
        Self { work: Some(work), undo, outcome: None, reply, _place: place }
    }

    /// Fails with the error that whoever asked is told.
    fn run(&mut self, tx: &Tx) -> Result<()> {
        let outcome = match self.work.take() {
            Some(work) => {
                catch_unwind(AssertUnwindSafe(|| work(tx))).unwrap_or_else(|_| Err(Error::internal("a write panicked")))
            }
            None => Err(Error::internal("a write ran twice")),
        };
        let done = outcome.as_ref().map(drop).map_err(Clone::clone);
        self.outcome = Some(outcome);
        done
    }

    fn finish(self, commit: Result<()>) {
        let answer = match (self.outcome, commit) {
            (Some(Ok(value)), Ok(())) => Ok(value),
            (Some(Err(error)), _) | (_, Err(error)) => Err(error),
            (None, Ok(())) => Err(Error::internal("a write did not run")),
        };
        // Whoever asked may be gone; the write stands all the same.
        let _ = self.reply.send(answer);
    }
}

pub(super) fn write_groups(
    connection: &Connection,
    orders: &mpsc::Receiver<Order>,
    group: usize,
    (bell, runtime): (&Bell, Option<&Handle>),
) {
    let mut is_closing = false;
    while !is_closing && let Ok(Order::Write(first)) = orders.recv() {
        let mut batch = vec![first];
        while batch.len() < group {
            match orders.try_recv() {
                Ok(Order::Write(job)) => batch.push(job),
                Ok(Order::Close) => {
                    is_closing = true;
                    break;
                }
                Err(_) => break,
            }
        }
        let committed = commit(connection, &mut batch);
        bell.ring();
        let answer = move || batch.into_iter().for_each(|job| job.finish(committed.clone()));
        // Waking each waiter from here costs a system call each; from a worker of the runtime they are woken together.
        match runtime {
            Some(runtime) => drop(runtime.spawn(async move { answer() })),
            None => answer(),
        }
    }
}

/// Rings after a commit that wrote to the outbox.
pub(super) struct Bell {
    written: Arc<AtomicBool>,
    commits: watch::Sender<u64>,
}

impl Bell {
    pub(super) fn hung(connection: &Connection) -> Result<(Self, watch::Receiver<u64>)> {
        let written = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&written);
        connection.on_insert("outbox", move || seen.store(true, Ordering::Relaxed))?;
        let (commits, outbox) = watch::channel(0);
        Ok((Self { written, commits }, outbox))
    }

    fn ring(&self) {
        if self.written.swap(false, Ordering::Relaxed) {
            self.commits.send_modify(|commits| *commits += 1);
        }
    }
}

/// Runs a batch in one transaction; a job that fails is undone alone, unless nothing was kept for that.
fn commit(connection: &Connection, batch: &mut [Job]) -> Result<()> {
    connection.commit(|tx| {
        for job in batch {
            if job.undo == Undo::WithAll {
                job.run(tx).map_err(gone)?;
                continue;
            }
            // Prepared once: written anew for each job they would cost as much as the job.
            tx.run("SAVEPOINT job", ())?;
            if let Err(error) = job.run(tx) {
                if tx.is_undone() {
                    return Err(gone(error));
                }
                tx.run("ROLLBACK TO job", ())?;
            }
            tx.run("RELEASE job", ())?;
        }
        Ok(())
    })
}

/// SQLite itself undoes a whole transaction where it cannot go on: a full disk, a failed read. What the others of the
/// batch had written is undone with it, and what would follow must not be committed by itself.
fn gone(cause: Error) -> Error {
    match cause.kind() {
        Kind::DiskFull => cause,
        _ => Error::internal("a write of the same group failed").caused_by(cause),
    }
}
