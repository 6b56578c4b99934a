//! The meaning of a catalogue's tools, brought together in the background: what the database has first, then what the
//! model has to read, a view that says the most for the least before the others.

use std::{collections::HashMap, sync::Arc};

use super::{catalogue::Catalogue, views::Views};
use satchel_index::embed::{embedder::Embedder, model::ModelInfo};
use satchel_model::{
    error::{Error, Result},
    index::ContentHash,
};
use satchel_store::{db::Db, tool_texts, vectors};

/// Vectors that are read at once.
const READ: usize = 1_024;
/// Texts that are embedded before the vectors of the last ones are kept.
const BATCH: usize = 128;
/// Batches between two looks of the searches at what has been done.
const SHOWN: usize = 16;
/// The views in the order they are embedded: name and description find a tool already, and cost a sixth of the whole.
const ORDER: [usize; 3] = [1, 0, 2];

/// A catalogue that is being embedded.
pub(super) struct Embedding<'a> {
    db: Db,
    embedder: Embedder,
    model: ModelInfo,
    catalogue: &'a Catalogue,
    hashes: Arc<[ContentHash]>,
    views: Views,
}

impl<'a> Embedding<'a> {
    /// Goes on from what is known of a catalogue. `None` where this is no longer the model in use.
    pub(super) fn begin(db: &Db, embedder: &Embedder, model: &ModelInfo, catalogue: &'a Catalogue) -> Option<Self> {
        // The model may change while it reads.
        let embedder = embedder.steady();
        let model = embedder.model().filter(|now| now == model)?;
        let views = match catalogue.views() {
            Some(known) => Views::clone(&known),
            None => Views::blank(catalogue.profiles().len(), model.dimensions),
        };
        Some(Self { db: db.clone(), embedder, model, catalogue, hashes: Arc::clone(catalogue.hashes()), views })
    }

    /// Takes over what the database has. Returns what is missing: each text once, with the places it stands in.
    pub(super) async fn known(&mut self) -> Result<Missing> {
        let mut missing = Missing::default();
        let unknown = self.hashes.iter().enumerate().filter(|(at, _)| !self.views.has(*at));
        let unknown: Vec<(usize, ContentHash)> = unknown.map(|(at, hash)| (at, *hash)).collect();
        for portion in unknown.chunks(READ) {
            let (hashes, id) = (portion.to_vec(), self.model.id.clone());
            let found = self
                .db
                .read(move |c| hashes.iter().map(|(_, hash)| vectors::get(c, &id, hash)).collect::<Result<Vec<_>>>());
            for ((at, hash), vector) in portion.iter().zip(found.await?) {
                match vector {
                    Some(vector) => self.views.set(*at, &vector),
                    None => missing.add(*at, *hash),
                }
            }
        }
        self.show();
        Ok(missing)
    }

    /// Embeds what is missing, in portions that can be searched as they come.
    pub(super) async fn rest(&mut self, missing: Missing) -> Result<()> {
        for view in ORDER {
            let mut texts: Vec<&Vec<usize>> =
                missing.0.values().filter(|places| leading(places) == Some(view)).collect();
            // Texts of one length go together: nothing is padded.
            texts.sort_by_cached_key(|places| self.text(places).len());
            for (n, batch) in (1..).zip(texts.chunks(BATCH)) {
                self.embed(batch).await?;
                if n % SHOWN == 0 {
                    self.show();
                }
            }
            self.show();
        }
        let hashes = Arc::clone(&self.hashes);
        self.db.write(move |c| tool_texts::keep(c, &hashes)).await
    }

    async fn embed(&mut self, batch: &[&Vec<usize>]) -> Result<()> {
        let texts = batch.iter().map(|places| self.text(places)).collect();
        let made = self.embedder.passages(texts).await?;
        let made = made.ok_or_else(|| Error::internal("the embedding model went away"))?;
        for (places, vector) in batch.iter().zip(&made) {
            places.iter().for_each(|at| self.views.set(*at, vector));
        }
        let first = |places: &&Vec<usize>| places.first().and_then(|at| self.hashes.get(*at)).copied();
        let made: Vec<_> = batch.iter().map(first).zip(made).collect();
        let id = self.model.id.clone();
        self.db
            .write(move |c| {
                let mut made = made.iter().filter_map(|(hash, vector)| Some(((*hash)?, vector)));
                made.try_for_each(|(hash, vector)| vectors::put(c, &id, &hash, vector))
            })
            .await
    }

    fn text(&self, places: &[usize]) -> String {
        places.first().map_or_else(String::new, |at| self.catalogue.text(*at))
    }

    fn show(&self) {
        if self.views.unseen() < self.catalogue.profiles().len() {
            self.catalogue.show(self.views.clone());
        }
    }
}

/// Contents without a vector yet: each once, with the places of its texts.
#[derive(Default)]
pub(super) struct Missing(HashMap<ContentHash, Vec<usize>>);

impl Missing {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, at: usize, hash: ContentHash) {
        self.0.entry(hash).or_default().push(at);
    }
}

/// The view for which a text is embedded: the earliest of those it is.
fn leading(places: &[usize]) -> Option<usize> {
    let is = |view: &usize| places.iter().any(|at| at % 3 == *view);
    ORDER.into_iter().find(is)
}
