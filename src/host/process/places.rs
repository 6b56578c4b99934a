//! Places for background processes: so many in all and for one person, and the memory they may take together.

use rustix::system::sysinfo;

use crate::sandbox::Limits;
use satchel_model::{
    error::{Error, Kind, Result},
    user::UserId,
};
use satchel_share::{Part, Share};

/// Processes one person may run at once.
const MAX_RUNNING: usize = 16;

/// Processes all people may run at once.
const ALL: usize = 32;

/// MB that a process needs at least.
const LEAST: usize = 32;

/// The places there are. Copies share them.
#[derive(Debug, Clone)]
pub(super) struct Places {
    number: Share,
    /// In MB.
    memory: Share,
}

/// The place of one process, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    /// Bytes it may take.
    pub(super) memory: u64,
    _held: [Part; 2],
}

impl Places {
    /// Places on this machine: processes take half of its memory together, and half of that one person's.
    pub(super) fn of_machine() -> Self {
        let machine = sysinfo();
        let bytes = u128::from(machine.totalram) * u128::from(machine.mem_unit);
        Self::within((bytes >> 21).try_into().unwrap_or(usize::MAX))
    }

    /// Places of so many MB.
    fn within(all: usize) -> Self {
        let each = (all / 2).max(LEAST);
        Self { number: Share::new(ALL, MAX_RUNNING), memory: Share::new(all.max(2 * LEAST), each) }
    }

    /// A place for a process of this person, with half of the memory they have left, no more than a command may take, and so
    /// little that there is some for each process they may still start.
    ///
    /// # Errors
    ///
    /// [`Kind::Exhausted`] if there is none.
    pub(super) fn take(&self, user: UserId) -> Result<Place> {
        let number = self.number.try_take(Some(user), 1).ok_or_else(|| {
            exhausted(format!("{MAX_RUNNING} processes of yours run already, or {ALL} in all. Stop one first."))
        })?;
        let largest = usize::try_from(Limits::default().memory >> 20).unwrap_or(usize::MAX).max(LEAST);
        let later = self.number.left(Some(user)) * LEAST;
        let mut wanted = (self.memory.left(Some(user)).saturating_sub(later) / 2).clamp(LEAST, largest);
        // Less where somebody else was quicker.
        while wanted >= LEAST {
            if let Some(memory) = self.memory.try_take(Some(user), wanted) {
                return Ok(Place { memory: (wanted as u64) << 20, _held: [number, memory] });
            }
            wanted /= 2;
        }
        Err(exhausted("The processes that run already may take all the memory there is for them. Stop one first."))
    }
}

fn exhausted(message: impl Into<String>) -> Error {
    Error::new(Kind::Exhausted, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All places one person gets.
    fn all(places: &Places, user: UserId) -> Vec<Place> {
        std::iter::from_fn(|| places.take(user).ok()).collect()
    }

    fn megabytes(places: &[Place]) -> u64 {
        places.iter().map(|place| place.memory >> 20).sum()
    }

    #[test]
    fn one_persons_processes_leave_places_and_memory_to_another() {
        let places = Places::within(4_096);
        let [one, other] = [UserId::new(), UserId::new()];
        let first = all(&places, one);
        assert_eq!((first.len(), first[0].memory >> 20), (MAX_RUNNING, (2_048 - 15 * 32) / 2));
        assert!(megabytes(&first) <= 2_048, "{first:?}");
        let second = all(&places, other);
        assert_eq!(second.len(), first.len());
        assert_eq!(all(&places, UserId::new()).len(), 0);
        drop(second);
        assert!(places.take(other).is_ok());
    }

    #[test]
    fn no_machine_is_too_small_for_one_process_and_none_so_large_that_numbers_do_not_count() {
        assert_eq!(all(&Places::within(0), UserId::new()).len(), 1);
        let large = Places::within(1 << 20);
        assert_eq!(all(&large, UserId::new()).len(), MAX_RUNNING);
    }
}
