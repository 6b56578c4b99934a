//! A loaded model: texts in, one vector each out. fastembed does it, over rten (`ort_rten`).

use fastembed::{InitOptionsUserDefined, QuantizationMode, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel};

use super::{
    model::{Model, Pooling},
    tokens,
};
use crate::{
    index::ort_rten::table,
    model::error::{Error, Result},
};

/// A model in memory, for one thread. Those of the same model share its weights.
pub(super) struct Encoder {
    embedding: TextEmbedding,
    dimensions: usize,
    most_bytes: usize,
}

impl Encoder {
    /// Reads the files, and prepares the weights where no other encoder has.
    pub(super) fn load(model: &Model, threads: usize) -> Result<Self> {
        table::install();
        let files = TokenizerFiles {
            tokenizer_file: model.tokenizer.bytes()?.into_owned(),
            config_file: model.config.bytes()?.into_owned(),
            special_tokens_map_file: model.special_tokens.bytes()?.into_owned(),
            tokenizer_config_file: model.tokenizer_config.bytes()?.into_owned(),
        };
        let pooling = match model.pooling {
            Pooling::Mean => fastembed::Pooling::Mean,
            Pooling::Cls => fastembed::Pooling::Cls,
        };
        // fastembed's dynamic mode only forbids batches, which rten's graphs never need.
        let user_defined = UserDefinedEmbeddingModel::new(model.onnx.bytes()?.into_owned(), files)
            .with_pooling(pooling)
            .with_quantization(QuantizationMode::None);
        let options = InitOptionsUserDefined::new().with_max_length(model.max_tokens).with_intra_threads(threads);
        let mut embedding = TextEmbedding::try_new_from_user_defined(user_defined, options).map_err(|e| {
            Error::invalid(format!("The embedding model '{}' cannot be used: {e}.", model.info.id)).caused_by(e)
        })?;
        tokens::take_special_words_for_text(&mut embedding.tokenizer);
        Ok(Self { embedding, dimensions: model.info.dimensions, most_bytes: tokens::most_bytes(model) })
    }

    /// One vector of length 1 for each text.
    pub(super) fn encode(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let texts: Vec<&str> = texts.iter().map(|text| tokens::beginning(text, self.most_bytes)).collect();
        let vectors = self.embedding.embed(&texts, Some(texts.len().max(1))).map_err(Error::internal)?;
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
