//! The pump's repair of an index that is missing, damaged, or of another model: it makes it from the database.

use std::{sync::atomic::Ordering, time::Instant};

use tokio_util::sync::CancellationToken;

use super::{
    build::{self, Source},
    pump::{NOWHERE, Place, Pump},
    shelf::{Meaning, NOTHING},
};
use satchel_index::{text::index::Made, vectors::index::Vectors};
use satchel_model::error::Result;
use satchel_store::outbox;

impl Pump {
    /// Opens what is not open, and makes from the database what is missing.
    pub(super) async fn mend(&mut self, shutdown: &CancellationToken) -> Result<()> {
        let wanted = self.shelf.wanted_model();
        let all = self.shelf.rebuild_all.swap(false, Ordering::Relaxed);
        let whole = self.text.given != NOTHING && self.shelf.text.read().is_some();
        let in_use = self.shelf.meaning.read().as_ref().is_some_and(|meaning| meaning.model == wanted);
        if whole && in_use && !all {
            return Ok(());
        }
        let space = self.shelf.space;
        let source = self.db.read(move |tx| Source::read(tx, space)).await?;
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
        if text {
            self.text_work(|text| text.clear()).await?;
        }
        let Some((vectors, count)) = self.make_of_all(model.clone(), text, shutdown).await? else { return Ok(()) };
        if let Some(model) = model {
            *self.shelf.meaning.write() = Some(Meaning { model, vectors });
            self.vectors = Place { given: last, kept: NOTHING, unkept: usize::MAX };
        }
        if text {
            let made = Made { origin: self.origin.clone(), seq: last };
            self.text_work(move |text| text.commit(&made)).await?;
            self.text = Place { given: last, kept: last, unkept: 0 };
            self.resting = false;
        }
        if count > 0 {
            let ms = begun.elapsed().as_millis();
            tracing::info!(space = %self.shelf.space, count, ms, "indexes were made from the database");
        }
        Ok(())
    }

    /// Reads every entry into new vectors and, where `text`, into the text index; `None` if the process ends before.
    async fn make_of_all(
        &mut self,
        model: Option<String>,
        text: bool,
        shutdown: &CancellationToken,
    ) -> Result<Option<(Vectors, usize)>> {
        let mut vectors = Vectors::new(0, self.shelf.graph);
        let (mut after, mut count) = (i64::MIN, 0);
        while !shutdown.is_cancelled() {
            let (space, model) = (self.shelf.space, model.clone());
            let page = self.db.read(move |tx| build::page(tx, space, after, model.as_deref())).await?;
            let Some((entry, _)) = page.last() else { return Ok(Some((vectors, count))) };
            after = entry.id;
            count += page.len();
            let given = self.text_work(move |writer| {
                for (entry, vector) in &page {
                    if text {
                        writer.put(entry)?;
                    }
                    vectors.put_some(entry.id, entry.tag, vector.as_deref());
                }
                Ok(vectors)
            });
            vectors = given.await?;
            if text && self.pace.take(Instant::now()).is_none() {
                // Searches see what there is so far; a start after a crash sees that it was not all.
                let made = Made { origin: self.origin.clone(), seq: NOTHING };
                self.text_work(move |text| text.commit(&made)).await?;
            }
        }
        Ok(None)
    }
}
