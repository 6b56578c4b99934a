//! Slows down guessing of passwords: after some failures each further try must wait longer.
//!
//! Kept in memory and bounded. A wait never exceeds a quarter of an hour, and tries made while waiting do not
//! lengthen it, so nobody is locked out for ever.

use std::{collections::HashMap, time::Duration};

use parking_lot::Mutex;
use serde_json::json;

use crate::model::{
    error::{Error, Kind, Result},
    time::Time,
};

/// Failures of one user name before the first wait.
const FREE_OF_NAME: u32 = 5;
/// Failures of one address before the first wait: an office may share it.
const FREE_OF_ADDRESS: u32 = 20;
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(15 * 60);
/// Names and addresses remembered at most.
const REMEMBERED: usize = 10_000;

/// Whose failures are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    /// A user name, in the form it is compared in.
    Name(String),
    /// A network address.
    Address(String),
    /// A user name, tried from an address he has signed in from before: strangers' failures do not count here.
    NameAt(String, String),
}

impl Subject {
    fn free(&self) -> u32 {
        match self {
            Self::Name(_) | Self::NameAt(..) => FREE_OF_NAME,
            Self::Address(_) => FREE_OF_ADDRESS,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Failures {
    count: u32,
    last: Time,
    told: bool,
}

impl Failures {
    fn open_at(&self, free: u32) -> Time {
        let Some(doublings) = self.count.checked_sub(free) else { return self.last };
        self.last.after(LONGEST.min(Duration::from_secs(1 << doublings.min(20))))
    }
}

/// A try that must wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Blocked {
    /// Until then.
    pub(super) until: Time,
    /// Whether this is the first try the wait refuses: only that one is worth an audit row.
    pub(super) first: bool,
}

impl Blocked {
    /// What the person is told.
    pub(super) fn error(&self, now: Time) -> Error {
        let seconds = (self.until.millis() - now.millis()).max(1).unsigned_abs().div_ceil(1000);
        let wait = if seconds == 1 { "a second".to_owned() } else { format!("{seconds} seconds") };
        Error::new(Kind::Exhausted, format!("Too many failed sign-ins. Wait {wait}, then try again."))
            .with_details(json!({"retry_after": seconds}))
    }
}

/// The failures of late.
#[derive(Default)]
pub(super) struct Lockout(Mutex<HashMap<Subject, Failures>>);

impl Lockout {
    /// Counts a try as failed before it is made, so that many at once do not all get through;
    /// [`Lockout::forgive`] takes it back.
    pub(super) fn attempt(&self, subjects: &[Subject], now: Time) -> Result<(), Blocked> {
        let mut failures = self.0.lock();
        for subject in subjects {
            let Some(known) = failures.get_mut(subject) else { continue };
            let until = known.open_at(subject.free());
            if known.count >= subject.free() && now < until {
                let first = !std::mem::replace(&mut known.told, true);
                return Err(Blocked { until, first });
            }
        }
        for subject in subjects {
            make_room(&mut failures, now);
            let entry = failures.entry(subject.clone()).or_insert(Failures { count: 0, last: now, told: false });
            // A day's quiet failures are forgotten, as those before a long pause are.
            let quiet = now > entry.last.after(LONGEST * 2);
            *entry = Failures { count: if quiet { 1 } else { entry.count.saturating_add(1) }, last: now, told: false };
        }
        Ok(())
    }

    /// Forgets the failures of a name whose person signed in, and the try itself for its address.
    pub(super) fn forgive(&self, subjects: &[Subject]) {
        let mut failures = self.0.lock();
        for subject in subjects {
            match subject {
                // An address may be shared with somebody who guesses: his failures stand.
                Subject::Address(_) => {
                    if let Some(known) = failures.get_mut(subject) {
                        known.count = known.count.saturating_sub(1);
                    }
                }
                Subject::Name(_) | Subject::NameAt(..) => drop(failures.remove(subject)),
            }
        }
    }
}

fn make_room(failures: &mut HashMap<Subject, Failures>, now: Time) {
    if failures.len() < REMEMBERED {
        return;
    }
    failures.retain(|_, known| now <= known.last.after(LONGEST));
    while failures.len() >= REMEMBERED {
        let Some(least) = failures.iter().min_by_key(|(_, known)| (known.count, known.last)).map(|(s, _)| s.clone())
        else {
            return;
        };
        failures.remove(&least);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> Subject {
        Subject::Name("ada".to_owned())
    }

    /// Waits, in seconds, that a guesser meets who always tries again as soon as he may.
    fn waits(subject: &Subject, tries: usize) -> Vec<i64> {
        let lockout = Lockout::default();
        let mut now = Time::from_millis(0);
        let mut waits = Vec::new();
        for _ in 0..tries {
            match lockout.attempt(std::slice::from_ref(subject), now) {
                Ok(()) => waits.push(0),
                Err(blocked) => {
                    waits.push((blocked.until.millis() - now.millis()) / 1000);
                    now = blocked.until;
                    lockout.attempt(std::slice::from_ref(subject), now).unwrap();
                }
            }
        }
        waits
    }

    #[test]
    fn the_wait_grows_from_the_sixth_try_to_a_quarter_of_an_hour() {
        assert_eq!(waits(&name(), 17), [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    }

    #[test]
    fn tries_made_while_waiting_do_not_lengthen_the_wait() {
        let lockout = Lockout::default();
        let at = Time::from_millis;
        for _ in 0..5 {
            lockout.attempt(&[name()], at(0)).unwrap();
        }
        let told: Vec<_> = (0..3).map(|n| lockout.attempt(&[name()], at(n * 100)).unwrap_err()).collect();
        let wait = |first| Blocked { until: at(1000), first };
        assert_eq!(told, [wait(true), wait(false), wait(false)]);
        lockout.attempt(&[name()], at(1000)).unwrap();
    }

    #[test]
    fn signing_in_forgives_the_name_and_a_pause_forgives_all() {
        let lockout = Lockout::default();
        let at = Time::from_millis;
        for _ in 0..5 {
            lockout.attempt(&[name()], at(0)).unwrap();
        }
        lockout.forgive(&[name()]);
        lockout.attempt(&[name()], at(1)).unwrap();
        for _ in 0..4 {
            lockout.attempt(&[name()], at(2)).unwrap();
        }
        assert!(lockout.attempt(&[name()], at(3)).is_err());
        let later = at(3).after(LONGEST * 3);
        for _ in 0..5 {
            lockout.attempt(&[name()], later).unwrap();
        }
    }

    #[test]
    fn the_memory_is_bounded_and_keeps_the_worst() {
        let lockout = Lockout::default();
        let now = Time::from_millis(0);
        for _ in 0..5 {
            lockout.attempt(&[name()], now).unwrap();
        }
        for n in 0..REMEMBERED + 10 {
            lockout.attempt(&[Subject::Address(n.to_string())], now).unwrap();
        }
        assert_eq!(lockout.0.lock().len(), REMEMBERED);
        assert!(lockout.attempt(&[name()], now).is_err());
    }
}
