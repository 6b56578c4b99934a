//! Text as the model reads it.

use tokenizers::Tokenizer;

use super::model::Model;
use crate::model::error::{Error, Result};

/// More bytes than this for each token the model may read are not even looked at: words are shorter.
const BYTES_PER_TOKEN: usize = 64;

/// How much of a text is looked at, in bytes.
pub(super) fn most_bytes(model: &Model) -> usize {
    model.max_tokens.saturating_mul(BYTES_PER_TOKEN)
}

/// The beginning of a text, at most so many bytes, whole characters.
pub(super) fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// Else a "[SEP]" somebody wrote would end the text for the model.
pub(super) fn take_special_words_for_text(tokenizer: &mut Tokenizer) {
    tokenizer.set_encode_special_tokens(true);
}

/// Counts the tokens of whole texts.
pub(super) struct Counter {
    tokenizer: Tokenizer,
}

impl Counter {
    /// Reads the model's `tokenizer.json`.
    pub(super) fn load(model: &Model) -> Result<Self> {
        let unusable = |e| Error::invalid("The embedding model's tokenizer.json cannot be read.").caused_by(e);
        let mut tokenizer = Tokenizer::from_bytes(model.tokenizer.bytes()?).map_err(unusable)?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(unusable)?;
        take_special_words_for_text(&mut tokenizer);
        Ok(Self { tokenizer })
    }

    /// How many tokens a text has, the model's special ones not counted.
    pub(super) fn count(&self, text: &str) -> Result<usize> {
        let encoding = self.tokenizer.encode_fast(text, false).map_err(Error::internal)?;
        Ok(encoding.len())
    }
}
