//! Keeps one space's indexes in step with the database: follows the outbox, commits, links, writes snapshots.

use std::{
    collections::HashMap,
    mem,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use parking_lot::RwLockWriteGuard;
use tokio_util::sync::CancellationToken;

use super::{
    build::{self, Full, PAGE, Source},
    pace::Pace,
    shelf::{Meaning, NOTHING, Shelf},
};
use crate::{
    index::{
        text::index::{Made, Text},
        vectors::index::Vectors,
    },
    model::error::{Error, Result},
    store::{db::Db, outbox},
};

/// How long a failure is left alone before it is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// Rows are linked for this long before searches get their turn, and for this long before changes do.
const LINK_TURN: Duration = Duration::from_millis(1);
const LINK_SPAN: Duration = Duration::from_millis(40);
/// A snapshot is written after this many changes or a tenth of all, whichever is more; or after a pause.
const SNAPSHOT_AFTER: usize = 5_000;
const SNAPSHOT_PAUSE: Duration = Duration::from_secs(2);
/// A large snapshot waits longer: it is a hundred megabytes for a hundred thousand vectors.
const SNAPSHOT_PAUSE_LARGE: Duration = Duration::from_secs(30);
const LARGE: usize = 16 << 20;
/// After this long without a change the text index's writer is let go.
const REST: Duration = Duration::from_secs(20);

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

struct Pump {
    db: Db,
    shelf: Arc<Shelf>,
    origin: String,
    text: Place,
    vectors: Place,
    pace: Pace,
    changed_at: Instant,
    resting: bool,
    trimmed: i64,
    opened: bool,
}

/// How far an index has come.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The last change it was given.
    given: i64,
    /// The last change it has on the disk.
    kept: i64,
    /// How much it was given since.
    unkept: usize,
}

const NOWHERE: Place = Place { given: NOTHING, kept: NOTHING, unkept: 0 };

/// Some changes, as the entries are now.
struct Batch {
    through: i64,
    full: bool,
    /// Each id once, with the number of its last change.
    changes: Vec<(i64, i64, Option<Full>)>,
}

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

    /// Opens what is not open, and makes from the database what is missing.
    async fn mend(&mut self, shutdown: &CancellationToken) -> Result<()> {
        let wanted = self.shelf.wanted_model();
        let all = self.shelf.rebuild_all.swap(false, Ordering::Relaxed);
        let whole = self.text.given != NOTHING && self.shelf.text.read().is_some();
        let in_use = self.shelf.meaning.read().as_ref().is_some_and(|meaning| meaning.model == wanted);
        if whole && in_use && !all {
            return Ok(());
        }
        let source = self.db.read(Source::read).await?;
        self.origin.clone_from(&source.origin);
        if self.shelf.text.read().is_none() {
            let from = source.clone();
            let seen = self.blocking(move |shelf| build::open_text(shelf, &from)).await?;
            self.text = Place { given: seen, kept: seen, unkept: 0 };
        }
        let current = self.shelf.meaning.read().as_ref().map(|meaning| meaning.model.clone());
        if current.is_none() {
            let model = wanted.clone();
            let seen = self.blocking(move |shelf| Ok(build::open_vectors(shelf, &source, &model))).await?;
            self.vectors = seen.map_or(NOWHERE, |seen| Place { given: seen, kept: seen, unkept: 0 });
        }
        if all {
            self.text = NOWHERE;
        }
        let current = self.shelf.meaning.read().as_ref().map(|meaning| meaning.model.clone());
        let vectors = Some(wanted).filter(|wanted| all || current.as_ref() != Some(wanted));
        self.publish();
        if self.text.given == NOTHING || vectors.is_some() {
            self.make(vectors, shutdown).await?;
        }
        self.opened = true;
        self.publish();
        Ok(())
    }

    /// Makes the vectors of a model, and the texts where they have to be, from every entry there is. What changes
    /// meanwhile is followed afterwards.
    async fn make(&mut self, model: Option<String>, shutdown: &CancellationToken) -> Result<()> {
        let begun = Instant::now();
        let text = self.text.given == NOTHING;
        let last = self.db.read(outbox::last).await?;
        let mut vectors = model.as_ref().map(|_| Vectors::new(0, self.shelf.graph));
        if text {
            self.text_work(|text| text.clear()).await?;
            self.publish();
        }
        let (mut after, mut count) = (i64::MIN, 0);
        loop {
            if shutdown.is_cancelled() {
                return Ok(());
            }
            let (space, of) = (self.shelf.space, model.clone());
            let page = self.db.read(move |c| build::page(c, space, after, of.as_deref())).await?;
            let Some((entry, _)) = page.last() else { break };
            after = entry.id;
            count += page.len();
            vectors = self
                .blocking(move |shelf| {
                    let writer = if text { shelf.text.read().clone() } else { None };
                    for (entry, vector) in &page {
                        writer.as_ref().map_or(Ok(()), |writer| writer.put(entry))?;
                        if let (Some(vectors), Some(vector)) = (&mut vectors, vector) {
                            vectors.put(entry.id, entry.tag, vector);
                        }
                    }
                    Ok(vectors)
                })
                .await?;
            if text && self.pace.take(Instant::now()).is_none() {
                // Searches see what there is so far; a start after a crash sees that it was not all.
                let made = Made { origin: self.origin.clone(), seq: NOTHING };
                self.text_work(move |text| text.commit(&made)).await?;
            }
        }
        if let (Some(vectors), Some(model)) = (vectors, model) {
            *self.shelf.meaning.write() = Some(Meaning { model, vectors });
            self.vectors = Place { given: last, kept: NOTHING, unkept: usize::MAX };
        }
        if text {
            let made = Made { origin: self.origin.clone(), seq: last };
            self.text_work(move |text| text.commit(&made)).await?;
            self.text = Place { given: last, kept: last, unkept: 0 };
        }
        if count > 0 {
            tracing::info!(space = %self.shelf.space, count, ms = begun.elapsed().as_millis(), "indexes were made from the database");
        }
        Ok(())
    }

    /// Takes the next changes; whether there are more.
    async fn follow(&mut self) -> Result<bool> {
        let model = self.shelf.meaning.read().as_ref().map(|meaning| meaning.model.clone());
        let from = if model.is_some() { self.text.given.min(self.vectors.given) } else { self.text.given };
        let space = self.shelf.space;
        let batch = self.db.read(move |c| {
            let last = outbox::last(c)?;
            let changes = outbox::after(c, space, from, PAGE)?;
            let full = changes.len() == PAGE as usize;
            let end = changes.last().map_or(0, |change| change.seq);
            let latest: HashMap<i64, i64> = changes.into_iter().map(|change| (change.id, change.seq)).collect();
            let mut changes = Vec::with_capacity(latest.len());
            for (id, seq) in latest {
                let entry = outbox::entry(c, space, id)?;
                let full = entry.map(|entry| build::with_vector(c, entry, model.as_deref())).transpose()?;
                changes.push((id, seq, full));
            }
            Ok(Batch { through: if full { end } else { last.max(end) }, full, changes })
        });
        let batch = batch.await?;
        let (through, full, count) = (batch.through, batch.full, batch.changes.len());
        if count > 0 {
            self.changed_at = Instant::now();
            let (text_given, vectors_given) = (self.text.given, self.vectors.given);
            let texts =
                self.text_work_on(move |shelf, text| give(shelf, text, &batch, (text_given, vectors_given))).await?;
            self.text.unkept += texts;
            self.vectors.unkept = self.vectors.unkept.saturating_add(count);
        }
        self.text.given = self.text.given.max(through);
        self.vectors.given = self.vectors.given.max(through);
        self.publish();
        Ok(full)
    }

    /// Commits the texts where there is something and it is time; else how long until it is.
    async fn commit(&mut self) -> Result<Option<Duration>> {
        if self.text.unkept == 0 {
            return Ok(None);
        }
        if let Some(wait) = self.pace.take(Instant::now()) {
            return Ok(Some(wait));
        }
        self.commit_now().await?;
        Ok(None)
    }

    async fn commit_now(&mut self) -> Result<()> {
        let made = Made { origin: self.origin.clone(), seq: self.text.given };
        self.text_work(move |text| text.commit(&made)).await?;
        self.text = Place { kept: self.text.given, unkept: 0, ..self.text };
        self.resting = false;
        self.publish();
        Ok(())
    }

    /// Links vectors for a while; whether there are more.
    async fn link(&mut self) -> Result<bool> {
        let has_work = self.shelf.meaning.read().as_ref().is_some_and(|meaning| meaning.vectors.has_work());
        if !has_work {
            return Ok(false);
        }
        let more = self.blocking(|shelf| {
            let begun = Instant::now();
            while begun.elapsed() < LINK_SPAN {
                let mut meaning = shelf.meaning.write();
                let more = meaning.as_mut().is_some_and(|meaning| meaning.vectors.work(LINK_TURN));
                // Searches that wait come first.
                RwLockWriteGuard::unlock_fair(meaning);
                if !more {
                    return Ok(false);
                }
            }
            Ok(true)
        });
        let more = more.await?;
        if !more {
            self.vectors.unkept = self.vectors.unkept.saturating_add(1);
            self.changed_at = Instant::now();
        }
        Ok(more)
    }

    /// Writes the vectors' snapshot where it is due; else how long until it is.
    async fn snapshot(&mut self) -> Result<Option<Duration>> {
        let Some((count, bytes)) =
            self.shelf.meaning.read().as_ref().map(|meaning| (meaning.vectors.count(), meaning.vectors.bytes()))
        else {
            return Ok(None);
        };
        if self.vectors.unkept == 0 {
            return Ok(None);
        }
        let pause = if bytes > LARGE { SNAPSHOT_PAUSE_LARGE } else { SNAPSHOT_PAUSE };
        let quiet = self.changed_at.elapsed();
        if quiet < pause && self.vectors.unkept < SNAPSHOT_AFTER.max(count / 10) {
            return Ok(Some(pause - quiet));
        }
        self.snapshot_now().await?;
        Ok(None)
    }

    async fn snapshot_now(&mut self) -> Result<()> {
        let (origin, seq) = (self.origin.clone(), self.vectors.given);
        self.blocking(move |shelf| build::save_vectors(shelf, &origin, seq)).await?;
        self.vectors = Place { given: seq, kept: seq, unkept: 0 };
        Ok(())
    }

    /// Forgets the changes that every index has on the disk.
    async fn trim(&mut self) -> Result<()> {
        let kept = self.text.kept.min(self.vectors.kept);
        if kept > self.trimmed {
            let space = self.shelf.space;
            self.db.write(move |c| outbox::trim(c, space, kept)).await?;
            self.trimmed = kept;
        }
        Ok(())
    }

    /// Lets the text index's writer go after a pause.
    async fn rest(&mut self) -> Result<()> {
        if !self.resting && self.text.unkept == 0 && self.changed_at.elapsed() >= REST {
            self.text_work(|text| text.rest()).await?;
            self.resting = true;
        }
        Ok(())
    }

    async fn close(&mut self) -> Result<()> {
        if self.text.unkept > 0 {
            self.commit_now().await?;
        }
        if self.vectors.unkept > 0 && self.vectors.given != NOTHING {
            self.snapshot_now().await?;
        }
        self.trim().await
    }

    /// Tells searches and those who wait how far the indexes have come.
    fn publish(&self) {
        let model = self.shelf.meaning.read().as_ref().map(|meaning| meaning.model.clone());
        self.shelf.seen.send_if_modified(|seen| {
            // What was given but not committed is not found yet.
            let text = if self.text.unkept == 0 {
                self.text.given
            } else {
                self.text.kept.max(seen.text.min(self.text.given))
            };
            let vectors = if model.is_some() { self.vectors.given } else { NOTHING };
            let now = super::shelf::Seen { text, vectors, model, opened: self.opened };
            mem::replace(seen, now.clone()) != now
        });
    }

    async fn blocking<T: Send + 'static>(&self, work: impl FnOnce(&Shelf) -> Result<T> + Send + 'static) -> Result<T> {
        let shelf = Arc::clone(&self.shelf);
        tokio::task::spawn_blocking(move || work(&shelf)).await.map_err(Error::internal)?
    }

    async fn text_work<T: Send + 'static>(&self, work: impl FnOnce(&Text) -> Result<T> + Send + 'static) -> Result<T> {
        self.text_work_on(move |_, text| work(text)).await
    }

    /// Works on the text index. Where that fails the index is opened or made again.
    async fn text_work_on<T: Send + 'static>(
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

/// Gives both indexes the changes they have not been given yet; how many the texts were given.
fn give(shelf: &Shelf, text: &Text, batch: &Batch, (text_given, vectors_given): (i64, i64)) -> Result<usize> {
    let mut texts = 0;
    for (id, seq, full) in &batch.changes {
        if *seq > text_given {
            match full {
                Some((entry, _)) => text.put(entry)?,
                None => text.remove(*id)?,
            }
            texts += 1;
        }
    }
    let mut meaning = shelf.meaning.write();
    let Some(meaning) = &mut *meaning else { return Ok(texts) };
    for (id, seq, full) in &batch.changes {
        if *seq > vectors_given {
            match full {
                Some((entry, Some(vector))) => meaning.vectors.put(entry.id, entry.tag, vector),
                _ => meaning.vectors.remove(*id),
            }
        }
    }
    Ok(texts)
}
