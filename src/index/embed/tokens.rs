//! Text as the model reads it.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use tokenizers::{AddedToken, Encoding, PostProcessor, Tokenizer, TruncationDirection};

use super::{
    model::{File, Model},
    onnx::TokenBatch,
};
use satchel_model::error::{Error, Result};

/// More bytes than this for each token the model may read are not even looked at: words are shorter.
const BYTES_PER_TOKEN: usize = 64;

/// The part of `tokenizer_config.json` that says how texts are cut and padded.
#[derive(Deserialize)]
struct TokenizerConfig {
    /// An absurdly large number where a model knows no limit.
    model_max_length: f64,
    pad_token: SpecialToken,
}

/// A special token: its text, or an object around it.
#[derive(Deserialize)]
#[serde(untagged)]
enum SpecialToken {
    Text(String),
    Whole { content: String, single_word: bool, lstrip: bool, rstrip: bool, normalized: bool },
    Content { content: String },
}

impl SpecialToken {
    fn content(&self) -> &str {
        match self {
            Self::Text(content) | Self::Whole { content, .. } | Self::Content { content } => content,
        }
    }

    /// `None` where it does not say how it stands among words.
    fn added(self) -> Option<AddedToken> {
        match self {
            Self::Text(content) => Some(AddedToken { content, special: true, ..AddedToken::default() }),
            Self::Whole { content, single_word, lstrip, rstrip, normalized } => {
                Some(AddedToken { content, single_word, lstrip, rstrip, normalized, special: true })
            }
            Self::Content { .. } => None,
        }
    }
}

/// Makes token numbers of texts: each is cut to what the model may read, and padded to the longest of its batch. Counts those
/// of whole texts.
pub(super) struct BatchTokenizer {
    tokenizer: Tokenizer,
    /// Most tokens of a text, without the special ones.
    most_tokens: usize,
    /// The number of the padding token.
    padding: u32,
    /// The number of bytes of a text that are looked at.
    most_bytes: usize,
}

impl BatchTokenizer {
    /// Reads the four files of a model's tokenizer.
    ///
    /// # Errors
    ///
    /// [`Invalid`](satchel_model::error::Kind::Invalid) if one of them cannot be used.
    pub(super) fn load(model: &Model) -> Result<Self> {
        let config: Value = json(model, &model.config, "config.json")?;
        let special: Value = json(model, &model.special_tokens, "special_tokens_map.json")?;
        let own: TokenizerConfig = json(model, &model.tokenizer_config, "tokenizer_config.json")?;
        let mut tokenizer = read(model)?;
        let padding = config.get("pad_token_id").and_then(|id| u32::try_from(id.as_u64()?).ok());
        let padding = padding.or_else(|| tokenizer.token_to_id(own.pad_token.content())).unwrap_or(0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a limit, however it is written")]
        let max_length = model.max_tokens.min(own.model_max_length as usize);
        tokenizer.with_padding(None);
        // Cut here and not by the tokenizer, which counts whole texts as well.
        tokenizer.with_truncation(None).map_err(|e| model.unusable(e))?;
        let added = tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(false));
        let special = special.as_object().into_iter().flat_map(|tokens| tokens.values());
        let special = special.filter_map(|token| SpecialToken::deserialize(token).ok()?.added());
        tokenizer.add_special_tokens(special).map_err(|e| model.unusable(e))?;
        let most_bytes = model.max_tokens.saturating_mul(BYTES_PER_TOKEN);
        Ok(Self { tokenizer, most_tokens: max_length.saturating_sub(added), padding, most_bytes })
    }

    /// The token numbers of texts.
    ///
    /// # Errors
    ///
    /// [`Internal`](satchel_model::error::Kind::Internal) if the tokenizer fails.
    pub(super) fn batch(&self, texts: &[&str]) -> Result<TokenBatch> {
        // One after the other: a batch is short, and other threads would have to be woken for it.
        let rows: Vec<Encoding> = texts.iter().map(|text| self.encode(text)).collect::<Result<_>>()?;
        let width = rows.iter().map(Encoding::len).max().unwrap_or(0);
        let mut batch = TokenBatch { rows: rows.len(), width, ..TokenBatch::default() };
        for (end, row) in (1..).map(|count| count * width).zip(&rows) {
            push(&mut batch.ids, row.get_ids(), end, self.padding);
            push(&mut batch.mask, row.get_attention_mask(), end, 0);
            push(&mut batch.types, row.get_type_ids(), end, 0);
        }
        Ok(batch)
    }

    fn encode(&self, text: &str) -> Result<Encoding> {
        let text = beginning(text, self.most_bytes);
        let mut bare = self.tokenizer.encode_fast(text, false).map_err(Error::internal)?;
        bare.truncate(self.most_tokens, 0, TruncationDirection::Right);
        self.tokenizer.post_process(bare, None, true).map_err(Error::internal)
    }

    /// Returns the number of tokens of a text, the model's special ones not counted.
    ///
    /// # Errors
    ///
    /// As [`Self::batch`].
    pub(super) fn count(&self, text: &str) -> Result<usize> {
        let encoding = self.tokenizer.encode_fast(text, false).map_err(Error::internal)?;
        Ok(encoding.len())
    }
}

/// Adds a row, and fills it up to its end. rten counts in 32 bits with a sign; no vocabulary is larger.
fn push(into: &mut Vec<i32>, row: &[u32], end: usize, padding: u32) {
    into.extend(row.iter().map(|number| number.cast_signed()));
    into.resize(end, padding.cast_signed());
}

/// The beginning of a text, at most so many bytes, whole characters.
fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

fn json<T: DeserializeOwned>(model: &Model, file: &File, name: &str) -> Result<T> {
    serde_json::from_slice(&file.bytes()?).map_err(|e| model.unusable(format!("{name}: {e}")))
}

/// Reads `tokenizer.json`.
fn read(model: &Model) -> Result<Tokenizer> {
    let read = Tokenizer::from_bytes(model.tokenizer.bytes()?);
    let mut tokenizer = read.map_err(|e| model.unusable(format!("tokenizer.json: {e}")))?;
    // Else a "[SEP]" somebody wrote would end the text for the model.
    tokenizer.set_encode_special_tokens(true);
    Ok(tokenizer)
}

#[cfg(test)]
#[cfg(feature = "embedded-model")]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    fn model() -> Model {
        Model { max_tokens: 8, ..Model::embedded().unwrap() }
    }

    #[test]
    fn texts_are_cut_and_padded_to_the_longest() {
        let tokens = BatchTokenizer::load(&model()).unwrap();
        let batch = tokens.batch(&["a word", "", &"a word ".repeat(9)]).unwrap();
        assert_eq!((batch.rows, batch.width), (3, 8));
        let rows: Vec<&[i32]> = batch.ids.chunks(8).collect();
        assert_eq!(rows[0], [101, 1037, 2773, 102, 0, 0, 0, 0]);
        assert_eq!(rows[1], [101, 102, 0, 0, 0, 0, 0, 0]);
        assert_eq!(rows[2], [101, 1037, 2773, 1037, 2773, 1037, 2773, 102]);
        assert_eq!(batch.mask.chunks(8).map(|row| row.iter().sum()).collect::<Vec<i32>>(), [4, 2, 8]);
        assert_eq!(batch.types, [0; 24]);
    }

    /// A file of the tokenizer as somebody else may have written it.
    #[expect(clippy::disallowed_methods, reason = "a model's file, in a folder of the test's own")]
    fn written(folder: &Path, name: &str, text: &str) -> File {
        fs::write(folder.join(name), text).unwrap();
        File::At(folder.join(name))
    }

    #[test]
    fn a_file_that_says_less_or_more_is_understood() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name, text| written(folder.path(), name, text);
        let model = Model {
            max_tokens: 256,
            config: file("config.json", "{}"),
            special_tokens: file("special_tokens_map.json", r#"{"pad_token": {"content": "[PAD]"}, "other": ["x"]}"#),
            tokenizer_config: file(
                "tokenizer_config.json",
                r#"{"model_max_length": 1000000000000000019884624838656, "pad_token": {"content": "word", "lstrip": false}}"#,
            ),
            ..model()
        };
        let batch = BatchTokenizer::load(&model).unwrap().batch(&["", "a"]).unwrap();
        assert_eq!(batch.ids, [101, 102, 2773, 101, 1037, 102], "padded with the token that is named");
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = |text| written(folder.path(), "file", text);
        let said = |model: Model| BatchTokenizer::load(&model).err().unwrap().message().to_owned();
        let without = said(Model { tokenizer_config: file(r#"{"model_max_length": 512}"#), ..model() });
        assert!(without.contains("tokenizer_config.json: missing field `pad_token`"), "{without}");
        let broken = said(Model { tokenizer: file("{}"), ..model() });
        assert!(broken.starts_with("The embedding model 'all-minilm-l6-v2@"), "{broken}");
        assert!(broken.contains("cannot be used: tokenizer.json: "), "{broken}");
    }
}
