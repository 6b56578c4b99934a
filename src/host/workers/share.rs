//! Something there is only so much of, and a part of it for each person: whoever takes all he may leaves some to others.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::model::user::UserId;

/// People after whom those are forgotten who hold nothing.
const PEOPLE: usize = 1_000;

/// What is shared.
pub(super) struct Share {
    all: Arc<Semaphore>,
    each: usize,
    people: Mutex<HashMap<Option<UserId>, Arc<Semaphore>>>,
}

/// A part somebody holds. Dropping it gives it back.
pub struct Part {
    _own: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl Share {
    /// So much in all, and for one person at most.
    pub(super) fn new(all: usize, each: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(all)), each, people: Mutex::default() }
    }

    /// One part, when there is one for this person. None: it is shared no more.
    pub(super) async fn take(&self, who: Option<UserId>) -> Option<Part> {
        let own = self.own(who).acquire_owned().await.ok()?;
        let all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(Part { _own: own, _all: all })
    }

    /// So many parts, if they are there now.
    pub(super) fn try_take(&self, who: Option<UserId>, parts: u32) -> Option<Part> {
        let own = self.own(who).try_acquire_many_owned(parts).ok()?;
        let all = Arc::clone(&self.all).try_acquire_many_owned(parts).ok()?;
        Some(Part { _own: own, _all: all })
    }

    fn own(&self, who: Option<UserId>) -> Arc<Semaphore> {
        let mut people = self.people.lock();
        if people.len() > PEOPLE {
            people.retain(|_, own| Arc::strong_count(own) > 1);
        }
        Arc::clone(people.entry(who).or_insert_with(|| Arc::new(Semaphore::new(self.each))))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn one_person_leaves_some_to_others_and_all_of_them_get_no_more_than_there_is() {
        let (share, one, other) = (Share::new(3, 2), Some(UserId::new()), Some(UserId::new()));
        let (first, second) = (share.take(one).await, share.take(one).await);
        let waits = async |who| timeout(Duration::from_millis(20), share.take(who)).await.is_err();
        assert!(first.is_some() && waits(one).await && share.try_take(one, 1).is_none());
        let third = share.try_take(other, 1);
        assert!(third.is_some() && waits(other).await && share.try_take(other, 2).is_none());
        drop(second);
        assert!(share.try_take(one, 1).is_some());
        drop((first, third));
        assert!(share.try_take(None, 2).is_some() && share.try_take(None, 3).is_none());
    }
}
