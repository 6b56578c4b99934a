//! The output of a tool: the exact value, and parts to show.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{origin::Origin, time::Time};

/// The key of [`Output::meta`] that says where a result came from: a place outside, or false.
const OUTSIDE: &str = "outside";
/// Name of the time at which that place was read, for what was kept since: milliseconds since 1970.
const OUTSIDE_AT: &str = "outside_at";

/// One part of a result as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// A JSON value.
    Json {
        /// The value.
        json: Value,
    },
    /// An image.
    Image {
        /// Media type, for instance `image/png`.
        mime: String,
        /// Base64, without a data URL's head.
        data: String,
    },
}

/// A result. `data` is exactly what the tool's document promises; `content` is what people see.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The exact return value.
    pub data: Value,
    /// Rendered parts; empty means: show `data`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Content>,
    /// A card's title, where the tool gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// An HTML fragment with inline CSS; sanitised before anybody sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// Facts about the result, for instance `budget_remaining`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
}

impl Output {
    /// A JSON result.
    pub fn json(data: Value) -> Self {
        Self { data, ..Self::default() }
    }

    /// A text result: `data` is the text too.
    pub fn text(text: impl Into<String>) -> Self {
        Self::json(Value::String(text.into()))
    }

    /// Says where it came from: a place outside, or none.
    #[must_use]
    pub fn with_origin(mut self, outside: Option<String>) -> Self {
        self.meta.insert(OUTSIDE.to_owned(), outside.map_or(Value::Bool(false), Value::String));
        self
    }

    /// Says that it was kept from a place outside, where it is known to be.
    #[must_use]
    pub fn kept_from(mut self, origin: Option<Origin>) -> Self {
        if let Some(origin) = origin {
            self.meta.insert(OUTSIDE_AT.to_owned(), origin.at.millis().into());
            self.meta.insert(OUTSIDE.to_owned(), origin.source.into());
        }
        self
    }

    /// Returns when the place outside was read that it says it came from; `None` means now.
    pub fn outside_at(&self) -> Option<Time> {
        self.meta.get(OUTSIDE_AT)?.as_i64().map(Time::from_millis)
    }

    /// Says that nothing of it came from outside, though its tool often brings such things.
    #[must_use]
    pub fn ours(self) -> Self {
        self.with_origin(None)
    }

    /// The place outside it says it came from.
    pub fn outside(&self) -> Option<&str> {
        self.meta.get(OUTSIDE)?.as_str()
    }

    /// Returns whether it says that nothing of it came from outside.
    pub fn is_ours(&self) -> bool {
        self.meta.get(OUTSIDE) == Some(&Value::Bool(false))
    }

    /// The same, with the storage paths of the files it made or changed: people can fetch them.
    #[must_use]
    pub fn with_files(mut self, paths: Vec<String>) -> Self {
        self.title = self.title.or_else(|| paths.first().cloned());
        self.meta.insert("files".to_owned(), paths.into());
        self
    }

    /// The parts to show: those given, else the data itself.
    pub fn shown(&self) -> Vec<Content> {
        match (&self.content[..], &self.data) {
            ([], Value::String(text)) => vec![Content::Text { text: text.clone() }],
            ([], data) => vec![Content::Json { json: data.clone() }],
            (parts, _) => parts.to_vec(),
        }
    }
}
