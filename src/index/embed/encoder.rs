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
use crate::model::error::{Error, Result};

/// A model ready to embed, for one thread. Those of the same model share its weights.
pub(super) struct Encoder {
    onnx: Arc<OnnxModel>,
    tokenizer: BatchTokenizer,
    threads: Arc<ThreadPool>,
    pooling: Pooling,
    dimensions: usize,
}

impl Encoder {
    /// Reads the tokenizer, and starts the threads that run the weights.
    ///
    /// # Errors
    /// [`Invalid`](crate::model::error::Kind::Invalid) where the tokenizer's files cannot be used.
    pub(super) fn new(model: &Model, onnx: Arc<OnnxModel>, threads: usize) -> Result<Self> {
        let tokenizer = BatchTokenizer::load(model)?;
        let pool = ThreadPool::with_num_threads(threads);
        spread(&pool, threads);
        Ok(Self { onnx, tokenizer, threads: Arc::new(pool), pooling: model.pooling, dimensions: model.info.dimensions })
    }

    /// Returns a vector of length 1 for each text, in their order.
    ///
    /// # Errors
    /// [`Invalid`](crate::model::error::Kind::Invalid) where the model gives something else than it is said to.
    pub(super) fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let batch = self.tokenizer.batch(texts)?;
        let mask = batch.mask.clone();
        let vectors = pool(&self.onnx.run(batch, &self.threads)?, &mask, self.pooling)?;
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
