//! Room in memory for large results: a call takes it before they are read, and gives it back once they are on their way.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;

use super::cut::{LARGEST, SMALL};
use satchel_app::App;
use satchel_host::work::Work;
use satchel_model::{
    call::ResultRoom,
    error::{Error, Kind, Result},
    json::weight,
    output::Output,
    user::UserId,
};
use satchel_share::Part;

/// Bytes of results that the calls of one tree may have together in memory, each of which alone is cut to less.
const TOGETHER: u64 = 48 << 20;

/// Room that one call has taken.
#[derive(Default)]
pub(super) struct TakenRoom {
    bytes: u64,
    part: Option<Part>,
    /// In place of a part, once the calls around it have all the room.
    alone: Option<Alone>,
    /// Room of calls within it whose results are in its own.
    inner: Vec<ResultRoom>,
}

/// Results that stay with a call until calls within it have ended, too. All of a tree share it.
#[derive(Debug, Clone, Default)]
pub(super) struct HeldResults(Arc<watch::Sender<Held>>);

#[derive(Debug, Clone, Copy, Default)]
struct Held {
    /// Bytes of results that are there.
    bytes: u64,
    /// Whether a call is under way that has no room of its own.
    alone: bool,
}

/// The turn of a call that has no room of its own: there is one in a tree. Dropping it gives it back.
struct Alone(HeldResults);

impl Drop for Alone {
    fn drop(&mut self) {
        self.0.0.send_modify(|held| held.alone = false);
    }
}

/// Room that goes with a result.
struct LeftRoom {
    bytes: u64,
    alone: Mutex<Option<Alone>>,
    _part: Option<Part>,
    _inner: Vec<ResultRoom>,
}

/// Room for a call within others, or its turn without any.
enum Beside {
    Room(Part),
    Turn(Alone),
}

/// The room of a run's results.
#[derive(Clone, Copy)]
pub struct Room<'a> {
    app: &'a App,
    user: UserId,
    taken: &'a Mutex<TakenRoom>,
    held: &'a HeldResults,
}

impl<'a> Room<'a> {
    pub(super) fn new(app: &'a App, user: UserId, taken: &'a Mutex<TakenRoom>, held: &'a HeldResults) -> Self {
        Self { app, user, taken, held }
    }

    /// Takes room for so many bytes more of this call's result. A small one needs none.
    ///
    /// # Errors
    /// [`Kind::Busy`] where earlier results of the caller leave none, or the calls around this one have too many.
    pub async fn take(self, bytes: u64) -> Result<()> {
        if bytes <= SMALL as u64 {
            return Ok(());
        }
        let all = {
            let mut taken = self.taken.lock();
            // Given back before more is asked for: a call never waits for itself.
            (taken.part, taken.alone) = (None, None);
            taken.bytes = taken.bytes.saturating_add(bytes);
            taken.bytes
        };
        match self.wait_for(all).await? {
            Beside::Room(part) => self.taken.lock().part = Some(part),
            Beside::Turn(alone) => self.taken.lock().alone = Some(alone),
        }
        Ok(())
    }

    /// Room for so many bytes beside what the calls around this one have: that comes back only once this one has ended.
    async fn wait_for(self, bytes: u64) -> Result<Beside> {
        let (mut held, most) = (self.held.0.subscribe(), Work::results_of_one());
        loop {
            let Held { bytes: around, .. } = *held.borrow_and_update();
            if around > 0 && around.saturating_add(bytes.min(most)) > TOGETHER {
                return Err(too_large_together());
            }
            let left = most.saturating_sub(around);
            if left == 0 && self.held.0.send_if_modified(|held| !std::mem::replace(&mut held.alone, true)) {
                return Ok(Beside::Turn(Alone(self.held.clone())));
            }
            tokio::select! {
                biased;
                part = self.app.host.work.room(Some(self.user), bytes.min(left)), if left > 0 => return part.map(Beside::Room),
                Ok(()) = held.changed() => {}
            }
        }
    }

    /// Makes sure that there is room for a result of these values, at once: within a turn nobody waits for it.
    ///
    /// # Errors
    /// [`Kind::Busy`] where they take more than was taken, and there is none left.
    pub fn ensure_now(self, values: &[&Value]) -> Result<()> {
        let bytes = values.iter().map(|value| weight(value, LARGEST)).sum::<usize>() as u64;
        let mut taken = self.taken.lock();
        if bytes <= taken.bytes.max(SMALL as u64) {
            return Ok(());
        }
        (taken.part, taken.alone) = (None, None);
        taken.bytes = bytes;
        taken.part = Some(self.app.host.work.room_now(Some(self.user), bytes)?);
        Ok(())
    }

    /// Keeps the room of a call within this one, whose result becomes a part of this one's.
    pub fn keep(self, room: Option<ResultRoom>) {
        let Some(room) = room else { return };
        let left = room.downcast_ref::<LeftRoom>();
        self.held.0.send_modify(|held| held.bytes += left.map_or(0, |left| left.bytes));
        drop(left.and_then(|left| left.alone.lock().take()));
        self.taken.lock().inner.push(room);
    }

    /// The room that was taken, as far as the result takes it, for as long as that is on its way.
    pub(super) fn leave(self, output: &Output) -> Option<ResultRoom> {
        let TakenRoom { part, alone, inner, .. } = std::mem::take(&mut *self.taken.lock());
        if part.is_none() && alone.is_none() && inner.is_empty() {
            return None;
        }
        let own = weight(&output.data, LARGEST);
        let part = part.map(|mut part| {
            part.keep(own.max(1));
            part
        });
        let within: u64 = inner.iter().filter_map(|room| room.downcast_ref::<LeftRoom>()).map(|left| left.bytes).sum();
        let (bytes, alone) = (own as u64 + within, Mutex::new(alone));
        Some(Arc::new(LeftRoom { bytes, alone, _part: part, _inner: inner }))
    }
}

fn too_large_together() -> Error {
    Error::new(
        Kind::Busy,
        "The results of calls made together are too large: this one was not read. Make it by itself, or ask for less.",
    )
}
