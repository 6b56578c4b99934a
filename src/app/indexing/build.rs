//! Opening a space's index files, and making from the database what is missing or not to be believed.

use std::sync::{Arc, atomic::Ordering};

use super::shelf::{Meaning, NOTHING, Shelf};
use satchel_index::{
    text::index::{Made as TextMade, Text},
    vectors::snapshot::{self, Made},
};
use satchel_model::{
    error::Result,
    index::{Entry, Space},
};
use satchel_store::{outbox, sql::Tx, vectors};

/// Entries read at a time.
pub(super) const PAGE: u32 = 500;

/// An entry with its vector, where it has one of the model that is asked for.
pub(super) type Full = (Entry, Option<Vec<f32>>);

/// The database an index must have been made from, as far as it has come.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) origin: String,
    last: i64,
    trimmed: i64,
}

impl Source {
    pub(super) fn read(tx: &Tx, space: Space) -> Result<Self> {
        Ok(Self { origin: outbox::origin(tx)?, last: outbox::last(tx)?, trimmed: outbox::trimmed(tx, space)? })
    }

    /// Returns whether an index that has seen so much can be brought up to date by the changes that are left.
    fn leads_on_from(&self, origin: &str, seq: i64) -> bool {
        origin == self.origin && (self.trimmed..=self.last).contains(&seq)
    }
}

/// Opens the text index; the last change it has seen, [`NOTHING`] where it has to be made.
pub(super) fn open_text(shelf: &Shelf, source: &Source) -> Result<i64> {
    let folder = shelf.folder.join("text");
    let broken = shelf.text_broken.swap(false, Ordering::Relaxed);
    let (text, made) = if broken { Text::begin_anew(&folder)? } else { open_or_begin(shelf, &folder)? };
    let seen = made.filter(|made| source.leads_on_from(&made.origin, made.seq)).map_or(NOTHING, |made| made.seq);
    *shelf.text.write() = Some(Arc::new(text));
    Ok(seen)
}

fn open_or_begin(shelf: &Shelf, folder: &std::path::Path) -> Result<(Text, Option<TextMade>)> {
    match Text::open(folder) {
        Ok(opened) => Ok(opened),
        Err(error) => {
            tracing::warn!(space = %shelf.space, ?error, "the text index is damaged: it is made again");
            Text::begin_anew(folder)
        }
    }
}

/// Opens the vectors of a model; the last change they have seen, `None` if they have to be made.
pub(super) fn open_vectors(shelf: &Shelf, source: &Source, model: &str) -> Option<i64> {
    let path = shelf.folder.join("vectors");
    match snapshot::load(&path, shelf.graph) {
        Ok(Some((vectors, made))) if made.model == model && source.leads_on_from(&made.origin, made.seq) => {
            *shelf.meaning.write() = Some(Meaning { model: model.to_owned(), vectors });
            Some(made.seq)
        }
        Ok(_) => None,
        Err(error) => {
            tracing::warn!(space = %shelf.space, ?error, "the vectors' snapshot is damaged: it is made again");
            snapshot::set_aside(&path);
            None
        }
    }
}

/// Writes the vectors to the disk as they are; the model and the last change they have seen.
pub(super) fn save_vectors(shelf: &Shelf, origin: &str, seq: i64) -> Result<()> {
    let meaning = shelf.meaning.read();
    let Some(meaning) = &*meaning else { return Ok(()) };
    let made = Made { origin: origin.to_owned(), seq, model: meaning.model.clone() };
    snapshot::save(&shelf.folder.join("vectors"), &meaning.vectors, &made)
}

/// The next entries of a space by id.
pub(super) fn page(tx: &Tx, space: Space, after: i64, model: Option<&str>) -> Result<Vec<Full>> {
    let entries = outbox::entries_after(tx, space, after, PAGE)?;
    entries.into_iter().map(|entry| with_vector(tx, entry, model)).collect()
}

/// An entry and its vector.
pub(super) fn with_vector(tx: &Tx, entry: Entry, model: Option<&str>) -> Result<Full> {
    let vector = match (model, entry.hash) {
        (Some(model), Some(hash)) => vectors::get(tx, model, &hash)?,
        _ => None,
    };
    Ok((entry, vector))
}
