//! Readers of knowledge: the collections that somebody sees.

use std::{fmt, sync::Arc};

use super::{caller::Caller, user::UserId};

/// A reader of knowledge: a person, a key of theirs, which sees no more than it was given, or an agent that acts for them,
/// which sees its own collections only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    user: UserId,
    sees: Sees,
    /// The ids of the only collections that are seen, of those; `None` for all of them.
    only: Option<Arc<[String]>>,
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
        let acting = caller.agent.iter().flat_map(|agent| agent.chain());
        let mut lists = acting.map(|agent| &agent.collections).filter(|list| !list.is_empty());
        let only = lists.next().map(|first| {
            let rest: Vec<_> = lists.collect();
            first.iter().filter(|id| rest.iter().all(|list| list.contains(id))).cloned().collect()
        });
        Self { user: caller.user, sees, only }
    }

    /// The same reader without an agent that acts for them.
    #[must_use]
    pub fn person(self) -> Self {
        Self { only: None, ..self }
    }

    /// The person's id.
    pub fn user(&self) -> UserId {
        self.user
    }
}

/// The text that queries compare: `*`, the person's id, or nothing; and where only some collections are seen, their ids, each
/// between two slashes.
impl fmt::Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sees {
            Sees::All => f.write_str("*")?,
            Sees::Role => self.user.fmt(f)?,
            Sees::Open => {}
        }
        match &self.only {
            Some(ids) => ids.iter().try_fold((), |(), id| write!(f, "/{id}")).and_then(|()| f.write_str("/")),
            None => Ok(()),
        }
    }
}
