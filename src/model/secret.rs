//! Text that must not be shown: its `Debug` prints `***` and its memory is zeroed on drop.

mod decoded;
pub mod forms;

use std::fmt;

use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

/// The text that stands in every answer in place of a secret.
pub const MASK: &str = "***";

/// The least bytes of a secret that is looked for where it must not stand: a shorter one would mask ordinary words.
pub const SHORTEST: usize = 4;

/// A secret text. It has no `Display` and no `Serialize`: showing it takes [`Secret::expose`].
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes the text over.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The text itself, for the one place that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}
