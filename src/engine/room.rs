//! Room in memory for large results: a call takes it before they are read, and gives it back once they are on their way.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;
use serde_json::Value;

use super::cut::{LARGEST, SMALL};
use crate::{
    app::App,
    model::{
        call::ResultRoom,
        error::{Error, Result},
        figure,
        json::weight,
        user::UserId,
    },
    net::http::Response,
    share::Part,
};

/// Bytes of a body that is being received for which room is taken at first; for a longer one as much as it may have.
const RECEIVED: usize = 1 << 20;

/// Room that one call has taken.
#[derive(Default)]
pub(super) struct TakenRoom {
    bytes: u64,
    part: Option<Part>,
    /// Room of calls within it whose results are in its own.
    inner: Vec<ResultRoom>,
}

/// The room of a run's results.
#[derive(Clone, Copy)]
pub struct Room<'a> {
    app: &'a App,
    user: UserId,
    taken: &'a Mutex<TakenRoom>,
}

impl<'a> Room<'a> {
    pub(super) fn new(app: &'a App, user: UserId, taken: &'a Mutex<TakenRoom>) -> Self {
        Self { app, user, taken }
    }

    /// Takes room for so many bytes more of this call's result. A small one needs none.
    ///
    /// # Errors
    /// [`Kind::Busy`](crate::model::error::Kind::Busy) where earlier results of the caller leave none.
    pub async fn take(self, bytes: u64) -> Result<()> {
        if bytes <= SMALL as u64 {
            return Ok(());
        }
        let all = {
            let mut taken = self.taken.lock();
            // Given back before more is asked for: a call never waits for itself.
            taken.part = None;
            taken.bytes = taken.bytes.saturating_add(bytes);
            taken.bytes
        };
        let part = self.app.host.work.room(Some(self.user), all).await?;
        self.taken.lock().part = Some(part);
        Ok(())
    }

    /// Gives back so many bytes of what was taken.
    pub fn give_back(self, bytes: u64) {
        let mut taken = self.taken.lock();
        taken.bytes = taken.bytes.saturating_sub(bytes);
        let left = usize::try_from(taken.bytes).unwrap_or(usize::MAX);
        match &mut taken.part {
            Some(part) if left > 0 => part.keep(left),
            part => *part = None,
        }
    }

    /// Takes room for a result of these values, on the thread it is called from, which must be one that may block.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub fn take_here(self, values: &[&Value]) -> Result<()> {
        let bytes: usize = values.iter().map(|value| weight(value, LARGEST)).sum();
        self.app.lifecycle.runtime.block_on(self.take(bytes as u64))
    }

    /// Keeps the room of a call within this one, whose result becomes a part of this one's.
    pub fn keep(self, room: Option<ResultRoom>) {
        self.taken.lock().inner.extend(room);
    }

    /// The room that was taken, for as long as the result is on its way.
    pub(super) fn leave(self) -> Option<ResultRoom> {
        let taken = std::mem::take(&mut *self.taken.lock());
        (taken.part.is_some() || !taken.inner.is_empty()).then(|| Arc::new((taken.part, taken.inner)) as ResultRoom)
    }

    /// A whole body; more than `most` bytes is an error. Room is taken as it grows.
    pub(crate) async fn receive_whole(self, response: Response, most: usize) -> Result<Bytes> {
        match self.receive(response, most).await? {
            (bytes, false) => Ok(bytes),
            (_, true) => Err(Error::upstream(format!("The answer is longer than {}.", figure::bytes(most as u64)))),
        }
    }

    /// The first `most` bytes of a body, and whether there was more. Room is taken as it grows.
    pub async fn receive(self, mut response: Response, most: usize) -> Result<(Bytes, bool)> {
        let (mut received, mut room) = (BytesMut::new(), SMALL);
        while let Some(piece) = response.chunk().await? {
            let left = most.saturating_sub(received.len());
            if received.len() + piece.len().min(left) > room {
                let wanted = if room == SMALL { RECEIVED.min(most) } else { most };
                self.take((wanted - room.min(wanted)) as u64).await?;
                room = wanted;
            }
            if piece.len() > left {
                received.extend_from_slice(piece.get(..left).unwrap_or_default());
                return Ok((received.freeze(), true));
            }
            received.extend_from_slice(&piece);
        }
        Ok((received.freeze(), false))
    }
}
