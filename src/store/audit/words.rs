//! Words of kinds by number: a million rows are told apart by few of them.

use std::{collections::HashMap, sync::Arc};

use crate::sql::Row;
use satchel_model::error::Result;

/// The facets, in the order of a kind's words.
pub(super) const FACETS: [&str; 6] = ["event_type", "outcome", "risk", "door", "user", "tool"];

/// The columns of the facets.
const COLUMNS: [&str; 6] = ["event_type", "outcome", "risk", "door", "person", "tool"];

/// The words of a kind, by their numbers in [`Words`].
pub(super) type Kind = [u32; 6];

/// Words by number; the number 0 is the empty one, of what a row has not.
#[derive(Debug, Clone)]
pub(super) struct Words {
    told: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Default for Words {
    fn default() -> Self {
        let empty: Arc<str> = Arc::from("");
        Self { told: vec![Arc::clone(&empty)], numbers: HashMap::from([(empty, 0)]) }
    }
}

impl Words {
    /// A word by its number.
    pub(super) fn get(&self, number: u32) -> &str {
        self.told.get(number as usize).map_or("", |word| &**word)
    }

    /// The words, in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.told.iter().map(|word| &**word)
    }

    /// The number of a word, which is added where it is new.
    pub(super) fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let (word, number) = (Arc::<str>::from(word), u32::try_from(self.told.len()).unwrap_or(u32::MAX));
        self.told.push(Arc::clone(&word));
        self.numbers.insert(word, number);
        number
    }

    /// The kind in the columns of a row.
    pub(super) fn read(&mut self, row: &Row<'_>) -> Result<Kind> {
        let mut kind = Kind::default();
        for (column, word) in COLUMNS.iter().zip(&mut kind) {
            *word = self.number(row.get::<Option<&str>>(column)?.unwrap_or_default());
        }
        Ok(kind)
    }
}
