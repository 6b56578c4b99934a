//! The pump's work on changes: both indexes are given them, and the texts are committed.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use super::{
    build::{self, Full, PAGE},
    pump::{Place, Pump},
    shelf::Shelf,
};
use satchel_index::text::index::{Made, Text};
use satchel_model::error::Result;
use satchel_store::outbox;

/// Some changes, as the entries are now.
struct Batch {
    through: i64,
    full: bool,
    /// Each id once, with the number of its last change.
    changes: Vec<(i64, i64, Option<Full>)>,
}

impl Pump {
    /// Takes the next changes; whether there are more.
    pub(super) async fn follow(&mut self) -> Result<bool> {
        let model = self.shelf.meaning.read().as_ref().map(|meaning| meaning.model.clone());
        let from = if model.is_some() { self.text.given.min(self.vectors.given) } else { self.text.given };
        let space = self.shelf.space;
        let batch = self.db.read(move |tx| {
            let last = outbox::last(tx)?;
            let changes = outbox::after(tx, space, from, PAGE)?;
            let full = changes.len() == PAGE as usize;
            let end = changes.last().map_or(0, |change| change.seq);
            let latest: HashMap<i64, i64> = changes.into_iter().map(|change| (change.id, change.seq)).collect();
            let mut changes = Vec::with_capacity(latest.len());
            for (id, seq) in latest {
                let entry = outbox::entry(tx, space, id)?;
                let full = entry.map(|entry| build::with_vector(tx, entry, model.as_deref())).transpose()?;
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
    pub(super) async fn commit(&mut self) -> Result<Option<Duration>> {
        if self.text.unkept == 0 {
            return Ok(None);
        }
        if let Some(wait) = self.pace.take(Instant::now()) {
            return Ok(Some(wait));
        }
        self.commit_now().await?;
        Ok(None)
    }

    pub(super) async fn commit_now(&mut self) -> Result<()> {
        let made = Made { origin: self.origin.clone(), seq: self.text.given };
        self.text_work(move |text| text.commit(&made)).await?;
        self.text = Place { kept: self.text.given, unkept: 0, ..self.text };
        self.resting = false;
        self.publish();
        Ok(())
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
                Some((entry, vector)) => meaning.vectors.put_some(entry.id, entry.tag, vector.as_deref()),
                None => meaning.vectors.remove(*id),
            }
        }
    }
    Ok(texts)
}
