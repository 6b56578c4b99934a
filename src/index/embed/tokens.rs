//! Text as the model reads it.

use tokenizers::{PostProcessor, Tokenizer, TruncationDirection};

use super::model::Model;
use crate::model::error::{Error, Result};

/// More bytes than this for each token the model may read are not even looked at: words are shorter.
const BYTES_PER_TOKEN: usize = 64;

/// A tokenizer which takes nothing in a text for a special token.
pub(super) struct Tokens {
    tokenizer: Tokenizer,
    /// Tokens of the text itself that fit between the special ones.
    most: usize,
    most_bytes: usize,
}

impl Tokens {
    /// Reads the model's `tokenizer.json`.
    pub(super) fn load(model: &Model) -> Result<Self> {
        let unusable = |e| Error::invalid("The embedding model's tokenizer.json cannot be read.").caused_by(e);
        let mut tokenizer = Tokenizer::from_bytes(&model.tokenizer).map_err(unusable)?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(unusable)?;
        // Else a "[SEP]" somebody wrote would end the text for the model.
        tokenizer.set_encode_special_tokens(true);
        let frame = tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(false));
        let most = model.max_tokens.saturating_sub(frame);
        Ok(Self { tokenizer, most, most_bytes: model.max_tokens.saturating_mul(BYTES_PER_TOKEN) })
    }

    /// The token ids of a text, the model's own special tokens around them, cut to what the model reads.
    pub(super) fn of(&self, text: &str) -> Result<Vec<u32>> {
        let text = text.get(..text.floor_char_boundary(self.most_bytes)).unwrap_or(text);
        let mut encoding = self.tokenizer.encode_fast(text, false).map_err(Error::internal)?;
        encoding.truncate(self.most, 0, TruncationDirection::Right);
        let framed = self.tokenizer.post_process(encoding, None, true).map_err(Error::internal)?;
        Ok(framed.get_ids().to_vec())
    }

    /// How many tokens a whole text has, the special ones not counted.
    pub(super) fn count(&self, text: &str) -> Result<usize> {
        let encoding = self.tokenizer.encode_fast(text, false).map_err(Error::internal)?;
        Ok(encoding.len())
    }
}
