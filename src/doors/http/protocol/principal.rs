//! Who is behind a request.

use satchel_model::{
    caller::{Caller, Credential},
    user::UserId,
};

/// The credential behind a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::http) struct Principal {
    user: UserId,
    credential: Credential,
}

impl Principal {
    /// Of this caller.
    pub(in crate::http) fn of(caller: &Caller) -> Self {
        Self { user: caller.user, credential: caller.credential }
    }

    #[cfg(test)]
    pub(super) fn with(user: UserId, credential: Credential) -> Self {
        Self { user, credential }
    }
}
