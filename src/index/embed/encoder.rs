//! A loaded model with a thread of its own: texts in, one vector each out.

use std::sync::Arc;

use rten::ThreadPool;

use super::{
    model::{Model, Pooling},
    onnx::OnnxModel,
    pooling::pool,
    spread::spread,
    tokens::BatchTokenizer,
};
use crate::memory;
use satchel_model::error::{Error, Result};

/// The state the threads of a model share: its weights and its tokenizer.
pub(super) struct LoadedModel {
    onnx: OnnxModel,
    tokenizer: Arc<BatchTokenizer>,
}

impl LoadedModel {
    /// Reads a model's weights.
    ///
    /// # Errors
    ///
    /// [`Invalid`](satchel_model::error::Kind::Invalid) if they cannot be used.
    pub(super) fn load(model: &Model, tokenizer: Arc<BatchTokenizer>) -> Result<Self> {
        let onnx = OnnxModel::load(model.onnx.bytes()?).map_err(|e| model.unusable(e))?;
        let loaded = Self { onnx, tokenizer };
        // Reading leaves about as much behind as the model takes: the file's pages, and the steps from them to the weights.
        memory::give_back();
        model.let_go();
        Ok(loaded)
    }
}

/// A model ready to embed, for one thread.
pub(super) struct Encoder {
    model: Arc<LoadedModel>,
    threads: Arc<ThreadPool>,
    pooling: Pooling,
    dimensions: usize,
}

impl Encoder {
    /// Starts the threads that run the model.
    pub(super) fn new(model: &Model, loaded: Arc<LoadedModel>, threads: usize) -> Self {
        let pool = ThreadPool::with_num_threads(threads);
        spread(&pool, threads);
        Self { model: loaded, threads: Arc::new(pool), pooling: model.pooling, dimensions: model.info.dimensions }
    }

    /// Returns a vector of length 1 for each text, in their order.
    ///
    /// # Errors
    ///
    /// [`Invalid`](satchel_model::error::Kind::Invalid) if the model gives something else than it is said to.
    pub(super) fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let batch = self.model.tokenizer.batch(texts)?;
        let mask = batch.mask.clone();
        let vectors = pool(&self.model.onnx.run(batch, &self.threads)?, &mask, self.pooling)?;
        match vectors.iter().find(|vector| vector.len() != self.dimensions) {
            None if vectors.len() == texts.len() => Ok(vectors),
            None => Err(Error::internal("the embedding model lost a text")),
            Some(wrong) => Err(Error::invalid(format!(
                "The embedding model gives {} numbers a text instead of {}: correct its model.toml.",
                wrong.len(),
                self.dimensions
            ))),
        }
    }
}
