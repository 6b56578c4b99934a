//! Room in memory for an answer, taken as it grows: whoever receives it holds no more than there is room for.

use std::{fmt, sync::Arc};

use futures_util::future::BoxFuture;

use satchel_model::error::Result;

/// Bytes of an answer that need no room.
pub const FREE: usize = 64 << 10;
/// Bytes for which room is taken at first; for a longer answer as much as it may have.
const FIRST: usize = 1 << 20;

/// A way to take room for so many bytes more of one call's answers. Cheap to clone.
#[derive(Clone)]
pub struct Room(Arc<dyn Fn(u64) -> BoxFuture<'static, Result<()>> + Send + Sync>);

impl Room {
    /// Room that is taken like this. It is given back by whoever made it.
    pub fn new(take: impl Fn(u64) -> BoxFuture<'static, Result<()>> + Send + Sync + 'static) -> Self {
        Self(Arc::new(take))
    }

    /// Room without an end.
    pub fn unbounded() -> Self {
        Self::new(|_| Box::pin(async { Ok(()) }))
    }
}

impl fmt::Debug for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Room")
    }
}

/// The room of one answer that grows.
#[derive(Debug)]
pub struct Growth<'a> {
    room: &'a Room,
    most: usize,
    has: usize,
}

impl<'a> Growth<'a> {
    /// The room of an answer of at most so many bytes, as it begins.
    pub fn new(room: &'a Room, most: usize) -> Self {
        Self { room, most, has: FREE }
    }

    /// Bytes there is room for.
    pub fn has(&self) -> usize {
        self.has
    }

    /// Makes room for an answer of so many bytes. What is beyond the most it may have is not kept, and needs none.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub async fn reach(&mut self, bytes: usize) -> Result<()> {
        if let Some(next) = next(self.has, bytes, self.most) {
            (self.room.0)((next - self.has) as u64).await?;
            self.has = next;
        }
        Ok(())
    }
}

/// Returns the bytes for which there is to be room next, where an answer has come to so many; `None` if that is enough.
pub fn next(has: usize, bytes: usize, most: usize) -> Option<usize> {
    let next = if bytes <= FIRST { FIRST.min(most) } else { most };
    (bytes > has && next > has).then_some(next)
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;

    #[tokio::test]
    async fn room_is_taken_in_few_steps_and_none_for_a_short_answer() {
        let taken: Arc<Mutex<Vec<u64>>> = Arc::default();
        let noted = Arc::clone(&taken);
        let room = Room::new(move |bytes| {
            noted.lock().push(bytes);
            Box::pin(async { Ok(()) })
        });
        let mut growth = Growth::new(&room, 4 << 20);
        for bytes in [1, FREE, FREE + 1, 1 << 20, 2 << 20, 5 << 20, 6 << 20] {
            growth.reach(bytes).await.unwrap();
        }
        assert_eq!(*taken.lock(), [(1 << 20) - (64 << 10), 3 << 20]);
        assert_eq!(growth.has(), 4 << 20);
        assert_eq!(next(FREE, 2 << 20, FREE), None, "no more than it may have");
    }
}
