//! Words of kinds by number: a million rows are told apart by few of them.

use std::{collections::HashMap, sync::Arc};

use rusqlite::Row;

use crate::model::error::Result;

/// The facets, in the order of a kind's words.
pub(super) const FACETS: [&str; 6] = ["event_type", "outcome", "risk", "door", "user", "tool"];

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

    /// The kind in the first six columns of a row.
    pub(super) fn read(&mut self, row: &Row<'_>) -> Result<Kind> {
        let mut kind = Kind::default();
        for (at, word) in kind.iter_mut().enumerate() {
            *word = self.number(row.get_ref(at)?.as_str_or_null().map_err(rusqlite::Error::from)?.unwrap_or_default());
        }
        Ok(kind)
    }
}
