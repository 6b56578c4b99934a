//! Tools by meaning: each as three vectors, of the whole profile, of name and description, and of the name.

use std::collections::HashMap;

use satchel_index::{
    embed::embedder::Embedder,
    flat::{Row, Rows},
};
use satchel_model::{error::Result, index::ContentHash};
use satchel_store::{db::Db, vectors};

/// Texts that are embedded before the vectors of the last ones are kept.
const BATCH: usize = 128;

/// Three views of every tool.
#[derive(Debug, Default, Clone)]
pub struct Views {
    whole: Rows,
    short: Rows,
    name: Rows,
    /// The views of each tool that are known.
    known: Vec<[bool; 3]>,
    /// Tools of which neither the whole is known nor what stands for it.
    unseen: usize,
}

/// The views of a tool, by their number.
const WHOLE: usize = 0;
const SHORT: usize = 1;

/// A vector on its way into a view.
#[derive(Clone, Copy)]
enum Vector<'a> {
    Numbers(&'a [f32]),
    /// A row of other views.
    Row(&'a Rows, usize),
}

impl Vector<'_> {
    fn put(self, rows: &mut Rows, at: usize) {
        match self {
            Self::Numbers(numbers) => rows.set(at, numbers),
            Self::Row(from, row) => rows.copy(at, from, row),
        }
    }
}

impl Views {
    /// The views of tools: three vectors each, in the order of [`super::profile::Profile::views`].
    pub fn new(vectors: &[Vec<f32>]) -> Self {
        let (tools, _) = vectors.as_chunks::<3>();
        Self {
            whole: Rows::new(tools.iter().map(|[whole, _, _]| whole.as_slice())),
            short: Rows::new(tools.iter().map(|[_, short, _]| short.as_slice())),
            name: Rows::new(tools.iter().map(|[_, _, name]| name.as_slice())),
            known: vec![[true; 3]; tools.len()],
            unseen: 0,
        }
    }

    /// Of so many tools, none of which is seen yet.
    pub fn blank(tools: usize, width: usize) -> Self {
        let rows = || Rows::blank(tools, width);
        Self { whole: rows(), short: rows(), name: rows(), known: vec![[false; 3]; tools], unseen: tools }
    }

    /// Takes the vector of one of the texts, which are numbered as they are in [`Views::new`]. As long as the whole of a
    /// tool is not known, its name and description stand for it.
    pub fn set(&mut self, at: usize, vector: &[f32]) {
        self.put(at, Vector::Numbers(vector));
    }

    /// Takes over what other views know of a text, which there has the number `text`.
    pub(super) fn take_over(&mut self, at: usize, from: &Self, text: usize) {
        if from.has(text) {
            self.put(at, Vector::Row(from.rows(text % 3), text / 3));
        }
    }

    fn put(&mut self, at: usize, vector: Vector<'_>) {
        let (tool, view) = (at / 3, at % 3);
        let Some(known) = self.known.get_mut(tool) else { return };
        let stands_in = view == SHORT && !known[WHOLE];
        let was_seen = known[WHOLE] || known[SHORT];
        if let Some(known) = known.get_mut(view) {
            *known = true;
        }
        let is_seen = known[WHOLE] || known[SHORT];
        self.unseen -= usize::from(!was_seen && is_seen);
        vector.put(self.rows_mut(view), tool);
        if stands_in {
            vector.put(&mut self.whole, tool);
        }
    }

    fn rows(&self, view: usize) -> &Rows {
        match view {
            WHOLE => &self.whole,
            SHORT => &self.short,
            _ => &self.name,
        }
    }

    fn rows_mut(&mut self, view: usize) -> &mut Rows {
        match view {
            WHOLE => &mut self.whole,
            SHORT => &mut self.short,
            _ => &mut self.name,
        }
    }

    /// Returns whether the vector of a text is known.
    pub(super) fn has(&self, text: usize) -> bool {
        self.known.get(text / 3).and_then(|known| known.get(text % 3)).is_some_and(|known| *known)
    }

    /// Returns whether anything of a tool's meaning is known.
    pub fn is_seen(&self, tool: usize) -> bool {
        self.known.get(tool).is_some_and(|known| known[WHOLE] || known[SHORT])
    }

    /// The number of tools that are not seen at all.
    pub fn unseen(&self) -> usize {
        self.unseen
    }

    /// Returns how near the whole of each tool is to a question, 1 at most: for a first look.
    pub fn at_first_sight(&self, question: &Row) -> Vec<f32> {
        self.whole.cosines(question)
    }

    /// Returns how near a tool is to a question, 1 at most: half by the whole of it, half by the view that is nearest.
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
    let mut missing = missing;
    // Texts of one length go together: nothing is padded.
    missing.sort_by_key(|hash| text_of.get(hash).map_or(0, |text| text.len()));
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
    fn name_and_description_stand_for_a_tool_until_the_whole_of_it_is_known() {
        let mut views = Views::blank(2, 2);
        assert_eq!((views.unseen(), views.nearness(0, &Row::new(&[1.0, 0.0]))), (2, 0.0));
        views.set(2, &[1.0, 0.0]);
        assert_eq!(views.unseen(), 2, "a name alone says too little");
        views.set(1, &[0.0, 1.0]);
        assert!(views.unseen() == 1 && views.nearness(0, &Row::new(&[0.0, 1.0])) > 0.99);
        views.set(0, &[1.0, 0.0]);
        assert!((views.nearness(0, &Row::new(&[0.0, 1.0])) - 0.5).abs() < 0.01);
        views.set(1, &[0.0, 1.0]);
        assert!((views.nearness(0, &Row::new(&[0.0, 1.0])) - 0.5).abs() < 0.01, "the whole stays");
        assert_eq!(views.unseen(), 1);
    }

    #[test]
    fn what_other_views_know_is_taken_over_under_its_new_number() {
        let mut before = Views::blank(2, 2);
        before.set(4, &[0.0, 1.0]);
        let mut views = Views::blank(1, 2);
        views.take_over(1, &before, 4);
        views.take_over(2, &before, 5);
        assert_eq!([views.has(0), views.has(1), views.has(2)], [false, true, false]);
        assert!(views.unseen() == 0 && views.nearness(0, &Row::new(&[0.0, 1.0])) > 0.99, "it stands for the whole");
        views.set(0, &[1.0, 0.0]);
        views.take_over(1, &before, 4);
        assert!((views.nearness(0, &Row::new(&[0.0, 1.0])) - 0.5).abs() < 0.01, "the whole stays");
    }

    #[test]
    fn the_nearest_view_counts_as_much_as_the_whole() {
        let views = Views::new(&[vec![1.0, 0.0], vec![0.0, 1.0], vec![0.6, 0.8]]);
        assert!((views.nearness(0, &Row::new(&[0.0, 1.0])) - 0.5).abs() < 0.01);
        assert!((views.nearness(0, &Row::new(&[1.0, 0.0])) - 1.0).abs() < 0.01);
    }
}
