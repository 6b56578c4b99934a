//! The styles in which lists and objects are written where only text goes.

use serde::{Deserialize, Serialize};

/// The way a list or an object is written in a path, a query, a header or a form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ParameterStyle)]
pub enum Style {
    /// A list in a query or a form is its name several times, elsewhere its items with commas; an object is JSON.
    #[default]
    Plain,
    /// The fields of an object each by their own name: `size=2&page=1`. A list is its name several times.
    Exploded,
    /// Joined with commas: `ids=1,2`.
    Comma,
    /// Joined with spaces.
    Space,
    /// Joined with bars: `tags=a|b`.
    Pipe,
    /// Joined with tabs.
    Tab,
    /// The fields of an object in brackets, the items of a list by their number: `filter[color]=red`, `items[0][price]=p`.
    DeepObject,
    /// JSON, a list as well.
    Json,
}

impl Style {
    /// Returns whether nothing special was said.
    pub fn is_plain(&self) -> bool {
        *self == Self::Plain
    }

    /// Returns the character between the items where they are one text.
    pub fn separator(self) -> Option<char> {
        match self {
            Self::Comma => Some(','),
            Self::Space => Some(' '),
            Self::Pipe => Some('|'),
            Self::Tab => Some('\t'),
            Self::Plain | Self::Exploded | Self::DeepObject | Self::Json => None,
        }
    }
}
