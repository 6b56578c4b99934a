//! Lists a person keeps: shopping, packing, things to do.

use serde::{Deserialize, Serialize};

use super::{
    error::{Error, Result},
    origin::Origin,
    time::Time,
};

/// Longest name of a list, in characters.
pub const MAX_NAME: usize = 100;
/// Longest item, in characters.
pub const MAX_ITEM: usize = 500;
/// Most items of one list.
pub const MAX_ITEMS: usize = 1_000;
/// Most lists of one person.
pub const MAX_LISTS: usize = 200;

/// One item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The text.
    pub text: String,
    /// `true` if it is checked off.
    pub done: bool,
    /// Origin of content from outside that was near when it was put there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl Item {
    /// Makes an open item.
    ///
    /// # Errors
    ///
    /// If the text is empty, too long or more than a line.
    pub fn new(text: &str) -> Result<Self> {
        let text = text.trim();
        if text.is_empty() || text.chars().count() > MAX_ITEM || text.chars().any(char::is_control) {
            return Err(Error::invalid(format!("An item is 1 to {MAX_ITEM} characters on one line.")));
        }
        Ok(Self { text: text.to_owned(), done: false, origin: None })
    }

    /// Adds where content from outside came from that is near.
    #[must_use]
    pub fn with_origin(self, origin: Option<Origin>) -> Self {
        Self { origin, ..self }
    }

    /// Returns the key it is compared by: case and outer spaces do not matter.
    pub fn key(&self) -> String {
        self.text.to_lowercase()
    }
}

/// The name of a list, as it was written first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListName(String);

impl ListName {
    /// Makes the name of a list.
    ///
    /// # Errors
    ///
    /// If it is empty, too long or more than a line.
    pub fn new(text: &str) -> Result<Self> {
        let text = text.trim();
        if text.is_empty() || text.chars().count() > MAX_NAME || text.chars().any(char::is_control) {
            return Err(Error::invalid(format!("The name of a list is 1 to {MAX_NAME} characters on one line.")));
        }
        Ok(Self(text.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the key it is compared by: case and outer spaces do not matter.
    pub fn key(&self) -> String {
        self.0.to_lowercase()
    }
}

/// A list and its items, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// Its name.
    pub name: String,
    /// Its items.
    pub items: Vec<Item>,
    /// The time of its last change.
    pub updated_at: Time,
    /// Origin of content from outside that was near when it got its name.
    pub origin: Option<Origin>,
}

impl List {
    /// Origins of what is from outside in it, its name and its items.
    pub fn origins(&self) -> impl Iterator<Item = Origin> {
        self.origin.iter().chain(self.items.iter().filter_map(|item| item.origin.as_ref())).cloned()
    }
}

/// A list in the list of lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListSummary {
    /// Its name.
    pub list: String,
    /// Items not checked off.
    pub open: i64,
    /// Items checked off.
    pub done: i64,
    /// The time of its last change.
    pub updated_at: Time,
    /// Origin of content from outside that was near when it got its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// One thing that was done to a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListEvent {
    /// The time.
    pub time: Time,
    /// The list's name then.
    pub list: String,
    /// The action: `create`, `add`, `remove`, `check`, `uncheck`, `clear`, `delete`, `rename to …`.
    pub action: String,
    /// The items it was done to; of a cleared or deleted list all it had.
    pub items: Vec<Item>,
    /// Origin of content from outside that was near when the list got its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl ListEvent {
    /// Origins of what is from outside in it, the list's name and its items.
    pub fn origins(&self) -> impl Iterator<Item = Origin> {
        self.origin.iter().chain(self.items.iter().filter_map(|item| item.origin.as_ref())).cloned()
    }
}
