//! The pump's other work: rows are linked, snapshots written, and what is not needed any more is let go.

use std::time::{Duration, Instant};

use parking_lot::RwLockWriteGuard;

use super::{
    build,
    pump::{Place, Pump, REST},
    shelf::NOTHING,
};
use satchel_model::error::Result;
use satchel_store::outbox;

/// Rows are linked for this long before searches get their turn, and for this long before changes do.
const LINK_TURN: Duration = Duration::from_millis(1);
const LINK_SPAN: Duration = Duration::from_millis(40);
/// A snapshot is written after this many changes or a tenth of all, whichever is more; or after a pause.
const SNAPSHOT_AFTER: usize = 5_000;
const SNAPSHOT_PAUSE: Duration = Duration::from_secs(2);
/// A large snapshot waits longer: it is a hundred megabytes for a hundred thousand vectors.
const SNAPSHOT_PAUSE_LARGE: Duration = Duration::from_secs(30);
const LARGE: usize = 16 << 20;

impl Pump {
    /// Links vectors for a while; whether there are more.
    pub(super) async fn link(&mut self) -> Result<bool> {
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
    pub(super) async fn snapshot(&mut self) -> Result<Option<Duration>> {
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
    pub(super) async fn trim(&mut self) -> Result<()> {
        let kept = self.text.kept.min(self.vectors.kept);
        if kept > self.trimmed {
            let space = self.shelf.space;
            self.db.write(move |tx| outbox::trim(tx, space, kept)).await?;
            self.trimmed = kept;
        }
        Ok(())
    }

    /// Lets the text index's writer go after a pause.
    pub(super) async fn rest(&mut self) -> Result<()> {
        if !self.resting && self.text.unkept == 0 && self.changed_at.elapsed() >= REST {
            self.text_work(|text| text.rest()).await?;
            self.resting = true;
        }
        Ok(())
    }

    pub(super) async fn close(&mut self) -> Result<()> {
        if self.text.unkept > 0 {
            self.commit_now().await?;
        }
        if self.vectors.unkept > 0 && self.vectors.given != NOTHING {
            self.snapshot_now().await?;
        }
        self.trim().await
    }
}
