//! The state that the door keeps of its clients.

#[cfg(debug_assertions)]
use super::extra::Extras;
use super::{
    given::Given,
    principal::Principal,
    seal::Seal,
    session::{Session, Sessions},
};
use satchel_model::{origin::Origin, time::Time};
use serde_json::Value;

/// Sessions, and the key that seals what clients carry.
pub(in crate::http) struct Mcp {
    pub(in crate::http) sessions: Sessions,
    pub(in crate::http) seal: Seal,
    /// Content from outside that clients without sessions were given.
    given: Given,
    /// Fixtures of a test.
    #[cfg(debug_assertions)]
    pub(in crate::http) extras: Extras,
}

impl Mcp {
    pub(in crate::http) fn new() -> Self {
        Self {
            sessions: Sessions::default(),
            seal: Seal::new(),
            given: Given::default(),
            #[cfg(debug_assertions)]
            extras: Extras::default(),
        }
    }

    /// The origin of what a client was given from outside before, in its session or without one.
    pub(in crate::http) fn outside(&self, session: Option<&Session>, who: Principal, now: Time) -> Option<Origin> {
        match session {
            Some(session) => session.outside(),
            None => self.given.of(who, now),
        }
    }

    /// A client is given content from outside.
    pub(in crate::http) fn note(&self, session: Option<&Session>, who: Principal, origin: Origin, now: Time) {
        match session {
            Some(session) => session.note(origin),
            None => self.given.note(who, origin, now),
        }
    }

    /// Further entries of a list that a test serves; none in what ships.
    pub(in crate::http) fn besides(&self, list: &str) -> Vec<Value> {
        #[cfg(debug_assertions)]
        return self.extras.listed(list);
        #[cfg(not(debug_assertions))]
        {
            let _ = list;
            Vec::new()
        }
    }
}
