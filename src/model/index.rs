//! The search by word and meaning: spaces, their entries, questions and what is found.

use std::{collections::HashSet, fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::{
    error::{Error, Result},
    id::shorten,
};

/// SHA-256 of the exact text that was embedded: the name of its vector.
pub type ContentHash = [u8; 32];

/// A value of an entry's metadata: any scalar of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Scalar {
    /// A text.
    Text(String),
    /// A number.
    Number(Number),
    /// True or false.
    Bool(bool),
    /// Null.
    Null(()),
}

impl Scalar {
    /// The form filters compare: a number or a boolean is the same as its text.
    pub fn as_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Bool(is) => is.to_string(),
            Self::Null(()) => "null".to_owned(),
        }
    }
}

/// A set of entries with indexes of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// The chunks of documents.
    Knowledge,
    /// The entries put into the index by `index_put`.
    Entries,
}

impl Space {
    /// Every space.
    pub const ALL: [Self; 2] = [Self::Knowledge, Self::Entries];

    /// The word as it stands in rows, files and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Knowledge => "knowledge",
            Self::Entries => "entries",
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Space {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|space| space.as_str() == text).ok_or_else(|| {
            let all = Self::ALL.map(Self::as_str).join(", ");
            Error::not_found(format!("There is no index '{}': there are {all}.", shorten(text)))
        })
    }
}

/// One thing that can be found, as the database has it now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// Unique in its space and never used again.
    pub id: i64,
    /// The title; a word in it counts more than one in the text.
    pub title: String,
    /// The text.
    pub text: String,
    /// The hash of its own vector; `None` if nothing was embedded.
    pub hash: Option<ContentHash>,
    /// The tag filters go by: the collection of a chunk; 0 where the space has no parts.
    pub tag: i64,
}

/// A question to one space.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ask<'a> {
    /// The words; empty asks by vector alone.
    pub text: &'a str,
    /// The same as a vector, of length 1; none asks by words alone.
    pub vector: Option<&'a [f32]>,
    /// Only entries with one of these tags.
    pub tags: Option<&'a HashSet<i64>>,
    /// Only these entries.
    pub ids: Option<&'a HashSet<i64>>,
    /// Most results.
    pub limit: usize,
}

/// One result, and what speaks for it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The entry.
    pub id: i64,
    /// The score results are ordered by, 0 to 1 where words and vector were both asked.
    pub score: f32,
    /// The fit of the words, unbounded; `None` if no word fits.
    pub bm25: Option<f32>,
    /// The nearness of the meaning, −1 to 1; `None` if it has no vector or none was asked.
    pub cosine: Option<f32>,
    /// Its place by words alone, from 1; `None` if it is not among the best.
    pub rank_text: Option<u32>,
    /// Its place by meaning alone, from 1; `None` if it is not among the best.
    pub rank_vector: Option<u32>,
    /// The words of the question that it holds, as they were asked.
    pub terms: Vec<String>,
}

impl Found {
    /// The score as it is put out: four places, without the noise of a short float in a long one.
    pub fn shown_score(&self) -> f64 {
        (f64::from(self.score) * 10_000.0).round() / 10_000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_put_out_without_noise() {
        let shown = |score: f32| Found { score, ..Found::default() }.shown_score().to_string();
        assert_eq!([shown(0.6), shown(1.0 / 3.0), shown(1.0)], ["0.6", "0.3333", "1"]);
    }

    #[test]
    fn a_space_is_read_as_it_is_written() {
        for space in Space::ALL {
            assert_eq!(space.as_str().parse::<Space>().unwrap(), space);
        }
        assert_eq!(
            "tools".parse::<Space>().unwrap_err().message(),
            "There is no index 'tools': there are knowledge, entries."
        );
    }
}
