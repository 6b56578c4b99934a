//! Readers of knowledge: the collections that somebody sees.

use std::fmt;

use super::{caller::Caller, user::UserId};

/// A reader of knowledge: a person, or a key of theirs, which sees no more than it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reader {
    user: UserId,
    sees: Sees,
}

/// The collections that are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sees {
    /// Every one: `*` is held through this very credential.
    All,
    /// Those open to all and those of the person's role.
    Role,
    /// Those open to all: a key that does not stand for the person has no role.
    Open,
}

impl Reader {
    /// The reader that this caller is.
    pub fn new(caller: &Caller) -> Self {
        let sees = match (caller.permissions.is_all(), caller.personal) {
            (true, _) => Sees::All,
            (false, true) => Sees::Role,
            (false, false) => Sees::Open,
        };
        Self { user: caller.user, sees }
    }

    /// The person.
    pub fn user(self) -> UserId {
        self.user
    }
}

/// The text that queries compare: `*`, the person's id, or nothing.
impl fmt::Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sees {
            Sees::All => f.write_str("*"),
            Sees::Role => self.user.fmt(f),
            Sees::Open => Ok(()),
        }
    }
}
