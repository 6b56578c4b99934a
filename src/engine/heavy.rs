//! Calls with large arguments: checking, assessing and recording them takes long, whatever the tool. They keep off the
//! runtime's threads, a few at a time, a part of them for each person. A turn ends where the tool begins to run, which may wait
//! for others as long as it likes; its arguments are counted until the call has ended.

use std::time::Duration;

use tokio::time::timeout;

use satchel_host::aside::Heavy;
use satchel_model::{
    call::Call,
    error::{Error, Kind, Result},
    json::{weighs_more, weight},
};
use satchel_share::{Part, Share};

/// Bytes and values of arguments that are worked on where they are.
const SMALL: usize = 32 << 10;
/// Calls with more, in all and of one person.
const AT_ONCE: (usize, usize) = (4, 2);
/// Bytes of large arguments in memory, in all and of one person.
const HELD: (usize, usize) = (128 << 20, 32 << 20);
/// Longest wait of one for its turn.
const PATIENCE: Duration = Duration::from_secs(15);

/// What a call with large arguments holds.
pub(super) struct Place {
    /// Until its tool begins to run.
    pub(super) turn: Part,
    /// Until it has ended.
    pub(super) room: Part,
}

/// Turns at calls with large arguments, and room for those. Copies share them.
#[derive(Clone)]
pub(super) struct HeavyCalls {
    turns: Share,
    room: Share,
    patience: Duration,
}

impl Default for HeavyCalls {
    fn default() -> Self {
        Self { turns: Share::new(AT_ONCE.0, AT_ONCE.1), room: Share::new(HELD.0, HELD.1), patience: PATIENCE }
    }
}

impl HeavyCalls {
    /// The place that a call needs; `None` where its arguments are small. One within another goes with that.
    ///
    /// # Errors
    /// [`Kind::Busy`] where the caller's others leave none in 15 seconds.
    pub(super) async fn place(&self, call: &Call) -> Result<Option<Place>> {
        if call.depth > 0 || !is_heavy(call) {
            return Ok(None);
        }
        let user = Some(call.caller.user);
        let place = async {
            // Room first: whoever has a turn waits for nothing.
            let room = self.room.take(user, weight(&call.params, HELD.1)).await;
            Place { turn: self.turns.take(user, 1).await, room }
        };
        timeout(self.patience, place).await.map(Some).map_err(|_| {
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
    async fn a_third_large_call_of_a_person_waits_until_one_runs_and_a_small_one_and_anothers_do_not() {
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
        let held = [calls.place(&call(one, &large)).await.unwrap(), calls.place(&call(one, &large)).await.unwrap()];
        assert!(held.iter().all(Option::is_some));
        assert_eq!(calls.place(&call(one, &large)).await.err().unwrap().kind(), Kind::Busy);
        assert!(calls.place(&call(one, "x")).await.unwrap().is_none());
        let inner = Call { depth: 1, ..call(one, &large) };
        assert!(calls.place(&inner).await.unwrap().is_none(), "one within another waits for nothing");
        assert!(calls.place(&call(other, &large)).await.unwrap().is_some());
        // One begins to run: its arguments are counted still, and keep nobody waiting.
        let [first, _second] = held;
        let Place { turn, room } = first.unwrap();
        drop(turn);
        assert!(calls.place(&call(one, &large)).await.unwrap().is_some());
        assert!(calls.room.left(Some(one)) < HELD.1);
        drop(room);
    }
}
