//! Keeps one space's indexes in step with the database: follows the outbox, commits, links, writes snapshots.

use std::{
    mem,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use super::{
    pace::Pace,
    shelf::{NOTHING, Seen, Shelf},
};
use satchel_index::text::index::Text;
use satchel_model::error::{Error, Result};
use satchel_store::db::Db;

/// The time a failure is left alone before it is tried again.
const RETRY: Duration = Duration::from_secs(3);
/// After this long without a change the text index's writer is let go.
pub(super) const REST: Duration = Duration::from_secs(20);

/// Follows the database until the process ends.
pub(super) async fn run(db: Db, shelf: Arc<Shelf>, shutdown: CancellationToken) {
    let mut bell = db.outbox();
    let mut pump = Pump::new(db, shelf);
    loop {
        bell.mark_unchanged();
        let pause = match pump.step(&shutdown).await {
            Ok(pause) => pause,
            Err(error) => {
                tracing::error!(space = %pump.shelf.space, ?error, "the indexes could not follow the database");
                RETRY
            }
        };
        if pause.is_zero() && !shutdown.is_cancelled() {
            continue;
        }
        tokio::select! {
            () = shutdown.cancelled() => break,
            rung = bell.changed() => if rung.is_err() { break },
            () = pump.shelf.orders.notified() => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
    if let Err(error) = pump.close().await {
        tracing::warn!(space = %pump.shelf.space, ?error, "the indexes were not written at the end: the next start makes up for it");
    }
}

pub(super) struct Pump {
    pub(super) db: Db,
    pub(super) shelf: Arc<Shelf>,
    pub(super) origin: String,
    pub(super) text: Place,
    pub(super) vectors: Place,
    pub(super) pace: Pace,
    pub(super) changed_at: Instant,
    pub(super) resting: bool,
    pub(super) trimmed: i64,
    pub(super) opened: bool,
}

/// The progress of an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The last change it was given.
    pub(super) given: i64,
    /// The last change it has on the disk.
    pub(super) kept: i64,
    /// The number of changes it was given since.
    pub(super) unkept: usize,
}

pub(super) const NOWHERE: Place = Place { given: NOTHING, kept: NOTHING, unkept: 0 };

impl Pump {
    fn new(db: Db, shelf: Arc<Shelf>) -> Self {
        let now = Instant::now();
        let (text, vectors, pace) = (NOWHERE, NOWHERE, Pace::new(now));
        Self {
            db,
            shelf,
            origin: String::new(),
            text,
            vectors,
            pace,
            changed_at: now,
            resting: true,
            trimmed: 0,
            opened: false,
        }
    }

    /// Does what there is to do; how long there is nothing then.
    async fn step(&mut self, shutdown: &CancellationToken) -> Result<Duration> {
        self.mend(shutdown).await?;
        if shutdown.is_cancelled() {
            return Ok(Duration::ZERO);
        }
        let mut more = self.follow().await?;
        let wait = self.commit().await?;
        more |= self.link().await?;
        let snapshot = self.snapshot().await?;
        self.trim().await?;
        self.rest().await?;
        if more {
            return Ok(Duration::ZERO);
        }
        Ok([wait, snapshot, Some(REST)].into_iter().flatten().min().unwrap_or(REST))
    }

    /// Tells searches and those who wait how far the indexes have come.
    pub(super) fn publish(&self) {
        let model = self.shelf.meaning.read().as_ref().map(|meaning| meaning.model.clone());
        self.shelf.seen.send_if_modified(|seen| {
            // What was given but not committed is not found yet.
            let text = if self.text.unkept == 0 {
                self.text.given
            } else {
                self.text.kept.max(seen.text.min(self.text.given))
            };
            let vectors = if model.is_some() { self.vectors.given } else { NOTHING };
            let now = Seen { text, vectors, model, opened: self.opened };
            mem::replace(seen, now.clone()) != now
        });
    }

    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shelf) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let shelf = Arc::clone(&self.shelf);
        tokio::task::spawn_blocking(move || work(&shelf)).await.map_err(Error::internal)?
    }

    pub(super) async fn text_work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Text) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.text_work_on(move |_, text| work(text)).await
    }

    /// Works on the text index. Where that fails the index is opened or made again.
    pub(super) async fn text_work_on<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shelf, &Text) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let text = self.shelf.text.read().clone().ok_or_else(|| Error::internal("the text index is not open"))?;
        let done = self.blocking(move |shelf| work(shelf, &text)).await;
        if done.is_err() {
            self.shelf.doubt_text();
        }
        done
    }
}
