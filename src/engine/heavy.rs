//! Calls with large arguments: checking, assessing and recording them takes long, whatever the tool. They keep off the
//! runtime's threads, a few at a time, a part of them for each person.

use std::time::Duration;

use tokio::time::timeout;

use satchel_host::aside::Heavy;
use satchel_model::{
    call::Call,
    error::{Error, Kind, Result},
    json::weighs_more,
};
use satchel_share::{Part, Share};

/// Bytes and values of arguments that are worked on where they are.
const SMALL: usize = 32 << 10;
/// Calls with more, in all and of one person.
const AT_ONCE: (usize, usize) = (4, 2);
/// Longest wait of one for its turn.
const PATIENCE: Duration = Duration::from_secs(15);

/// Turns at calls with large arguments. Copies share them.
#[derive(Clone)]
pub(super) struct HeavyCalls {
    turns: Share,
    patience: Duration,
}

impl Default for HeavyCalls {
    fn default() -> Self {
        Self { turns: Share::new(AT_ONCE.0, AT_ONCE.1), patience: PATIENCE }
    }
}

impl HeavyCalls {
    /// The turn that a call needs; `None` where its arguments are small. One within another goes with that.
    ///
    /// # Errors
    /// [`Kind::Busy`] where the caller's others leave none in 15 seconds.
    pub(super) async fn turn(&self, call: &Call) -> Result<Option<Part>> {
        if call.depth > 0 || !is_heavy(call) {
            return Ok(None);
        }
        let turn = timeout(self.patience, self.turns.take(Some(call.caller.user), 1)).await;
        turn.map(Some).map_err(|_| {
            let message = "Too many calls with large arguments run at once: this one did not. Try again soon.";
            Error::new(Kind::Busy, message)
        })
    }
}

/// Does what runs a call, off the runtime's threads where its arguments are large.
pub(super) async fn run<F: Future>(is_heavy: bool, work: F) -> F::Output {
    if is_heavy { Heavy::new(work).await } else { work.await }
}

/// Whether the arguments of a call are large.
pub(super) fn is_heavy(call: &Call) -> bool {
    weighs_more(&call.params, SMALL)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use satchel_model::{
        caller::{Caller, Credential, Door, Permissions},
        user::UserId,
    };

    #[tokio::test]
    async fn a_third_large_call_of_a_person_waits_and_a_small_one_and_anothers_do_not() {
        let calls = HeavyCalls { patience: Duration::ZERO, ..HeavyCalls::default() };
        let caller = |user: UserId| Caller {
            user,
            username: "mara".to_owned(),
            permissions: Permissions::all(),
            door: Door::Api,
            credential: Credential::Session,
            personal: true,
        };
        let call = |user: UserId, text: &str| Call::new(caller(user), "echo", json!({"text": text}));
        let (one, other, large) = (UserId::new(), UserId::new(), "x".repeat(SMALL));
        let held = [calls.turn(&call(one, &large)).await.unwrap(), calls.turn(&call(one, &large)).await.unwrap()];
        assert!(held.iter().all(Option::is_some));
        assert_eq!(calls.turn(&call(one, &large)).await.err().unwrap().kind(), Kind::Busy);
        assert!(calls.turn(&call(one, "x")).await.unwrap().is_none());
        let inner = Call { depth: 1, ..call(one, &large) };
        assert!(calls.turn(&inner).await.unwrap().is_none(), "one within another waits for nothing");
        assert!(calls.turn(&call(other, &large)).await.unwrap().is_some());
        drop(held);
        assert!(calls.turn(&call(one, &large)).await.unwrap().is_some());
    }
}
