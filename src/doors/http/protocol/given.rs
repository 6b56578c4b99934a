//! Content from outside that clients without sessions were given: no one knows where a conversation of theirs ends.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::principal::Principal;
use satchel_model::{origin::Origin, time::Time};

/// Milliseconds for which a credential counts as having such content in its conversation.
const HELD: i64 = 3_600_000;

/// The origin of the last content from outside of each credential, and when it was given.
#[derive(Debug, Default)]
pub(in crate::http) struct Given(Mutex<HashMap<Principal, (Origin, Time)>>);

impl Given {
    /// The origin of what this credential was given lately.
    pub(in crate::http) fn of(&self, who: Principal, now: Time) -> Option<Origin> {
        let given = self.0.lock();
        given.get(&who).filter(|(_, at)| is_held(*at, now)).map(|(origin, _)| origin.clone())
    }

    /// It is given content from outside.
    pub(in crate::http) fn note(&self, who: Principal, origin: Origin, now: Time) {
        let mut given = self.0.lock();
        given.retain(|_, (_, at)| is_held(*at, now));
        let before = given.remove(&who).map(|(before, _)| before);
        if let Some(origin) = Origin::joined(before, Some(origin)) {
            given.insert(who, (origin, now));
        }
    }
}

fn is_held(at: Time, now: Time) -> bool {
    now.millis().saturating_sub(at.millis()) < HELD
}
