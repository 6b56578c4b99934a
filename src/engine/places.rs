//! Places of calls: so many of one person are under way at once. Of those with large arguments, checking, assessing and
//! recording takes long, whatever the tool: they keep off the
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
/// Calls under way, in all and of one person: each may hold a connection. Those within another do not count.
const UNDER_WAY: (usize, usize) = (2_048, 128);
/// Bytes of large arguments in memory, in all and of one person.
const HELD: (usize, usize) = (128 << 20, 32 << 20);
/// Longest wait of one for its turn.
const PATIENCE: Duration = Duration::from_secs(15);

/// The shares a call holds while it is under way.
#[derive(Default)]
pub(super) struct Place {
    /// Until it has ended.
    pub(super) call: Option<Part>,
    /// With large arguments, until its tool begins to run.
    pub(super) turn: Option<Part>,
    /// For large arguments, until it has ended.
    pub(super) room: Option<Part>,
}

/// Places of calls, turns at those with large arguments, and room for these. Copies share them.
#[derive(Clone)]
pub(super) struct Places {
    calls: Share,
    turns: Share,
    room: Share,
    patience: Duration,
}

impl Default for Places {
    fn default() -> Self {
        let share = |(all, each)| Share::new(all, each);
        Self { calls: share(UNDER_WAY), turns: share(AT_ONCE), room: share(HELD), patience: PATIENCE }
    }
}

impl Places {
    /// The place that a call needs. One within another goes with that.
    ///
    /// # Errors
    /// [`Kind::Busy`] where the caller's others leave none in 15 seconds.
    pub(super) async fn take(&self, call: &Call) -> Result<Place> {
        if call.depth > 0 {
            return Ok(Place::default());
        }
        let user = Some(call.caller.user);
        let place = async {
            let place = Place { call: Some(self.calls.take(user, 1).await), ..Place::default() };
            if !is_heavy(call) {
                return place;
            }
            // Room first: whoever has a turn waits for nothing.
            let room = Some(self.room.take(user, weight(&call.params, HELD.1)).await);
            Place { turn: Some(self.turns.take(user, 1).await), room, ..place }
        };
        timeout(self.patience, place).await.map_err(|_| {
            let message =
                "Too many calls, or too many with large arguments, run at once: this one did not. Try again soon.";
            Error::new(Kind::Busy, message)
        })
    }
}

/// Does what runs a call, off the runtime's threads where its arguments are large.
pub(super) async fn run<F: Future>(is_heavy: bool, work: F) -> F::Output {
    if is_heavy { Heavy::new(work).await } else { work.await }
}

/// Returns whether the arguments of a call are large.
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

    fn caller(user: UserId) -> Caller {
        Caller {
            user,
            username: "mara".to_owned(),
            permissions: Permissions::all(),
            door: Door::Api,
            credential: Credential::Session,
            personal: true,
            agent: None,
        }
    }

    #[tokio::test]
    async fn a_third_large_call_of_a_person_waits_until_one_runs_and_a_small_one_and_anothers_do_not() {
        let calls = Places { patience: Duration::ZERO, ..Places::default() };
        let call = |user: UserId, text: &str| Call::new(caller(user), "echo", json!({"text": text}));
        let (one, other, large) = (UserId::new(), UserId::new(), "x".repeat(SMALL));
        let held = [calls.take(&call(one, &large)).await.unwrap(), calls.take(&call(one, &large)).await.unwrap()];
        assert!(held.iter().all(|place| place.turn.is_some()));
        assert_eq!(calls.take(&call(one, &large)).await.err().unwrap().kind(), Kind::Busy);
        assert!(calls.take(&call(one, "x")).await.unwrap().turn.is_none());
        let inner = Call { depth: 1, ..call(one, &large) };
        assert!(calls.take(&inner).await.unwrap().turn.is_none(), "one within another waits for nothing");
        assert!(calls.take(&call(other, &large)).await.unwrap().turn.is_some());
        // One begins to run: its arguments are counted still, and keep nobody waiting.
        let [first, _second] = held;
        let Place { turn, room, call: _call } = first;
        drop(turn);
        assert!(calls.take(&call(one, &large)).await.is_ok());
        assert!(calls.room.left(Some(one)) < HELD.1);
        drop(room);
    }

    #[tokio::test]
    async fn a_person_has_so_many_calls_under_way_and_another_has_theirs() {
        let calls = Places { patience: Duration::ZERO, ..Places::default() };
        let small = |user: UserId| Call::new(caller(user), "echo", json!({}));
        let (one, other) = (UserId::new(), UserId::new());
        let mut held = Vec::new();
        for _ in 0..UNDER_WAY.1 {
            held.push(calls.take(&small(one)).await.unwrap());
        }
        assert_eq!(calls.take(&small(one)).await.err().unwrap().kind(), Kind::Busy);
        assert!(calls.take(&small(other)).await.is_ok());
        held.pop();
        assert!(calls.take(&small(one)).await.is_ok());
    }
}
