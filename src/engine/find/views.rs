//! Tools by meaning: each as three vectors, of the whole profile, of name and description, and of the name.

use std::collections::HashMap;

use crate::{
    index::{
        embed::embedder::Embedder,
        flat::{Row, Rows},
    },
    model::{error::Result, index::ContentHash},
    store::{db::Db, vectors},
};

/// Texts that are embedded before the vectors of the last ones are kept.
const BATCH: usize = 128;

/// Three views of every tool.
#[derive(Debug, Default)]
pub struct Views {
    whole: Rows,
    short: Rows,
    name: Rows,
}

impl Views {
    /// The views of tools: three vectors each, in the order of [`super::profile::Profile::views`].
    pub fn of(vectors: &[Vec<f32>]) -> Self {
        let (tools, _) = vectors.as_chunks::<3>();
        Self {
            whole: Rows::of(tools.iter().map(|[whole, _, _]| whole.as_slice())),
            short: Rows::of(tools.iter().map(|[_, short, _]| short.as_slice())),
            name: Rows::of(tools.iter().map(|[_, _, name]| name.as_slice())),
        }
    }

    /// How near the whole of each tool is to a question, 1 at most: for a first look.
    pub fn at_first_sight(&self, question: &Row) -> Vec<f32> {
        self.whole.cosines(question)
    }

    /// How near a tool is to a question, 1 at most: half by the whole of it, half by the view that is nearest.
    pub fn nearness(&self, tool: usize, question: &Row) -> f32 {
        let whole = self.whole.cosine(tool, question);
        let nearest = whole.max(self.short.cosine(tool, question)).max(self.name.cosine(tool, question));
        0.5 * nearest + 0.5 * whole
    }
}

/// The vectors of texts, in their order: those known from the database, the others embedded and kept there. None
/// without a model.
pub async fn embedded(db: &Db, embedder: &Embedder, texts: &[String]) -> Result<Option<Vec<Vec<f32>>>> {
    // The model may change while it reads.
    let embedder = embedder.steady();
    let Some(model) = embedder.model() else { return Ok(None) };
    let hashes: Vec<ContentHash> = texts.iter().map(|text| vectors::hash(text)).collect();
    let text_of: HashMap<&ContentHash, &String> = hashes.iter().zip(texts).collect();
    let (id, wanted) = (model.id.clone(), hashes.clone());
    let missing = db.read(move |c| vectors::missing(c, &id, &wanted)).await?;
    for batch in missing.chunks(BATCH) {
        let texts = batch.iter().filter_map(|hash| text_of.get(hash).map(|text| (*text).clone())).collect();
        let Some(made) = embedder.passages(texts).await? else { return Ok(None) };
        let (id, made): (_, Vec<_>) = (model.id.clone(), batch.iter().copied().zip(made).collect());
        db.write(move |c| made.iter().try_for_each(|(hash, vector)| vectors::put(c, &id, hash, vector))).await?;
    }
    let found =
        db.read(move |c| hashes.iter().map(|hash| vectors::get(c, &model.id, hash)).collect::<Result<Vec<_>>>());
    // A vector that went missing meanwhile is one that is far from everything.
    Ok(Some(found.await?.into_iter().map(Option::unwrap_or_default).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_view_counts_as_much_as_the_whole() {
        let views = Views::of(&[vec![1.0, 0.0], vec![0.0, 1.0], vec![0.6, 0.8]]);
        assert!((views.nearness(0, &Row::of(&[0.0, 1.0])) - 0.5).abs() < 0.01);
        assert!((views.nearness(0, &Row::of(&[1.0, 0.0])) - 1.0).abs() < 0.01);
    }
}
