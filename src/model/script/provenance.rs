//! The provenance of a script: its text and its author, for those who call it.

use super::Author;
use crate::caller::Caller;

/// The provenance of a script, for those who call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// Its name.
    pub script: String,
    /// The digest of its text.
    pub digest: String,
    /// Its author.
    pub writer: Writer,
}

/// The author of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Writer {
    /// A person, in the console.
    Person {
        /// The person who published it.
        author: Author,
        /// The version it was published as.
        version: u32,
    },
    /// Somebody who may put files onto this machine.
    Machine,
}

impl Provenance {
    /// Whether a caller wrote it.
    pub fn is_of(&self, caller: &Caller) -> bool {
        matches!(&self.writer, Writer::Person { author, .. } if author.id == Some(caller.user))
    }

    /// `city_clock v3 by anna`
    pub fn message(&self) -> String {
        match &self.writer {
            Writer::Person { author, version } => format!("{} v{version} by {}", self.script, author.name),
            Writer::Machine => format!("{}, a file of this machine,", self.script),
        }
    }

    /// The name of its author.
    pub fn writer_name(&self) -> &str {
        match &self.writer {
            Writer::Person { author, .. } => &author.name,
            Writer::Machine => "its author",
        }
    }
}
