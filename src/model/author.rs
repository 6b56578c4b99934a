//! The author of what everybody reads: who put it there.

use super::user::UserId;

/// The author of an entry, as far as it is known. To everybody else its words are from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The person; `None` where several have put a part of it.
    pub user: Option<UserId>,
    /// Their name, or words for several of them.
    pub name: String,
}

impl Author {
    /// Returns whether the words are somebody else's, at least in part.
    pub fn is_another_than(&self, reader: UserId) -> bool {
        self.user != Some(reader)
    }
}
