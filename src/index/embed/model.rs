//! What an embedding model is: its files, and how its output becomes a vector.

use std::borrow::Cow;

/// Which vectors can be compared: those of the same `id`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelInfo {
    /// Name and contents, such as `all-minilm-l6-v2@bdda0667`; stored with every vector.
    pub id: String,
    /// How many numbers a vector has.
    pub dimensions: usize,
}

/// How the vectors of the tokens become the vector of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// The mean over all tokens.
    Mean,
    /// The first token.
    Cls,
}

/// A model before it is loaded. The embedded one's bytes lie in the binary and are not copied.
#[derive(Debug, Clone)]
pub struct Model {
    /// Name and size of its vectors.
    pub info: ModelInfo,
    /// How token vectors become one.
    pub pooling: Pooling,
    /// Longer texts are cut to this many tokens, the special ones included.
    pub max_tokens: usize,
    /// Put before every query.
    pub query_prefix: String,
    /// Put before every passage.
    pub passage_prefix: String,
    /// The ONNX graph with its weights.
    pub onnx: Cow<'static, [u8]>,
    /// `tokenizer.json` as the Hugging Face tokenizers write it.
    pub tokenizer: Cow<'static, [u8]>,
    /// `config.json`, for the padding token's number.
    pub config: Cow<'static, [u8]>,
    /// `special_tokens_map.json`.
    pub special_tokens: Cow<'static, [u8]>,
    /// `tokenizer_config.json`, for the padding token's name.
    pub tokenizer_config: Cow<'static, [u8]>,
}

impl Model {
    /// The model inside the binary; `None` in a build without the feature `embedded-model`.
    #[cfg(feature = "embedded-model")]
    pub fn embedded() -> Option<Self> {
        Some(Self {
            info: ModelInfo { id: concat!("all-minilm-l6-v2@", env!("MODEL_HASH")).to_owned(), dimensions: 384 },
            pooling: Pooling::Mean,
            // What it was trained with.
            max_tokens: 256,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            onnx: Cow::Borrowed(include_bytes!(concat!(env!("MODEL_DIR"), "/model.onnx"))),
            tokenizer: Cow::Borrowed(include_bytes!(concat!(env!("MODEL_DIR"), "/tokenizer.json"))),
            config: Cow::Borrowed(include_bytes!(concat!(env!("MODEL_DIR"), "/config.json"))),
            special_tokens: Cow::Borrowed(include_bytes!(concat!(env!("MODEL_DIR"), "/special_tokens_map.json"))),
            tokenizer_config: Cow::Borrowed(include_bytes!(concat!(env!("MODEL_DIR"), "/tokenizer_config.json"))),
        })
    }

    /// The model inside the binary; `None` in a build without the feature `embedded-model`.
    #[cfg(not(feature = "embedded-model"))]
    pub fn embedded() -> Option<Self> {
        None
    }
}
