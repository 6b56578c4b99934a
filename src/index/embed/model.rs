//! An embedding model: its files, and how its output becomes a vector.

use std::{borrow::Cow, fmt::Display, io::Read, path::PathBuf};

use flate2::read::GzDecoder;
use serde::{Deserialize, Serialize};

use super::folder;
use crate::memory;
use satchel_model::error::{Error, Result};

/// The name of the model inside the binary.
pub const BUILTIN: &str = "builtin";

/// The identity of vectors: those of the same `id` can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, utoipa::ToSchema)]
#[schema(as = EmbeddingModel)]
pub struct ModelInfo {
    /// Name and contents, such as `all-minilm-l6-v2@55fbf413`; stored with every vector.
    pub id: String,
    /// The number of dimensions of a vector.
    pub dimensions: usize,
}

/// The way the vectors of the tokens become the vector of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// The mean over all tokens.
    Mean,
    /// The first token.
    Cls,
}

/// The place of a model's file.
#[derive(Debug, Clone)]
pub enum File {
    /// In the binary.
    Embedded(&'static [u8]),
    /// In the binary, compressed with gzip.
    Packed(&'static [u8]),
    /// On the disk: read when the model is loaded, not kept.
    At(PathBuf),
}

impl File {
    /// Returns its contents.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn bytes(&self) -> Result<Cow<'static, [u8]>> {
        match self {
            Self::Embedded(bytes) => Ok(Cow::Borrowed(bytes)),
            Self::Packed(bytes) => {
                let mut unpacked = Vec::new();
                GzDecoder::new(*bytes).read_to_end(&mut unpacked).map_err(Error::internal)?;
                Ok(Cow::Owned(unpacked))
            }
            Self::At(path) => folder::read(path).map(Cow::Owned),
        }
    }

    fn let_go(&self) {
        if let Self::Embedded(bytes) | Self::Packed(bytes) = self {
            memory::let_go(bytes);
        }
    }
}

/// A model before it is loaded.
#[derive(Debug, Clone)]
pub struct Model {
    /// The name it is chosen by: [`BUILTIN`], or that of its folder.
    pub name: String,
    /// Id and size of its vectors.
    pub info: ModelInfo,
    /// The way token vectors become one.
    pub pooling: Pooling,
    /// Longer texts are cut to this many tokens, the special ones included.
    pub max_tokens: usize,
    /// Put before every query.
    pub query_prefix: String,
    /// Put before every passage.
    pub passage_prefix: String,
    /// The ONNX graph with its weights.
    pub onnx: File,
    /// `tokenizer.json` as the Hugging Face tokenizers write it.
    pub tokenizer: File,
    /// `config.json`, for the padding token's number.
    pub config: File,
    /// `special_tokens_map.json`.
    pub special_tokens: File,
    /// `tokenizer_config.json`, for the padding token's name.
    pub tokenizer_config: File,
}

impl Model {
    /// Returns the error for files that cannot be used.
    pub(super) fn unusable(&self, why: impl Display) -> Error {
        Error::invalid(format!("The embedding model '{}' cannot be used: {why}.", self.info.id))
    }

    /// Leaves memory; it can be loaded again.
    pub(super) fn let_go(&self) {
        self.onnx.let_go();
        self.tokenizer.let_go();
    }

    /// The model inside the binary; `None` in a build without the feature `embedded-model`.
    #[cfg(feature = "embedded-model")]
    pub fn embedded() -> Option<Self> {
        Some(Self {
            name: BUILTIN.to_owned(),
            info: ModelInfo { id: concat!("all-minilm-l6-v2@", env!("MODEL_HASH")).to_owned(), dimensions: 384 },
            pooling: Pooling::Mean,
            // What it was trained with.
            max_tokens: 256,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            onnx: File::Embedded(include_bytes!(concat!(env!("MODEL_DIR"), "/model.onnx"))),
            tokenizer: File::Packed(include_bytes!(concat!(env!("OUT_DIR"), "/tokenizer.json"))),
            config: File::Embedded(include_bytes!(concat!(env!("MODEL_DIR"), "/config.json"))),
            special_tokens: File::Embedded(include_bytes!(concat!(env!("MODEL_DIR"), "/special_tokens_map.json"))),
            tokenizer_config: File::Embedded(include_bytes!(concat!(env!("MODEL_DIR"), "/tokenizer_config.json"))),
        })
    }

    /// The model inside the binary; `None` in a build without the feature `embedded-model`.
    #[cfg(not(feature = "embedded-model"))]
    pub fn embedded() -> Option<Self> {
        None
    }
}
