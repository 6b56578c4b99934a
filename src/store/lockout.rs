//! Slows down guessing of passwords: after some failures each further try must wait longer.
//!
//! Kept in memory and bounded. A wait never exceeds a quarter of an hour, and tries made while waiting do not
//! lengthen it, so nobody is locked out for ever.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::Notify;

use super::password::busy;
use satchel_model::{
    error::{Error, Kind, Result},
    time::Time,
};

/// Failures of one user name before the first wait.
const FREE_OF_NAME: u32 = 5;
/// Failures of one address before the first wait: an office may share it.
const FREE_OF_ADDRESS: u32 = 20;
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(15 * 60);
/// The longest wait of a try for the outcome of those before it.
const PATIENCE: Duration = Duration::from_secs(10);
/// Names and addresses remembered at most.
const REMEMBERED: usize = 10_000;

/// Whose failures are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    /// A user name, in the form it is compared in.
    Name(String),
    /// A network address, as [`network`] gives it.
    Address(String),
    /// A user name, tried from a network they have signed in from before: strangers' failures do not count here.
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

/// The part of an address that is counted as one: an IPv6 network of 64 bits is what one line gets, and whoever has it has all its
/// addresses. An IPv4 address stands for itself, also where it is written as IPv6.
pub(super) fn network(address: &str) -> String {
    match address.parse::<IpAddr>().map(|ip| ip.to_canonical()) {
        Ok(IpAddr::V6(ip)) => {
            let [a, b, c, d, ..] = ip.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        Ok(IpAddr::V4(ip)) => ip.to_string(),
        Err(_) => address.to_owned(),
    }
}

#[derive(Debug, Clone, Copy)]
struct Failures {
    count: u32,
    /// Tries whose outcome is not known yet.
    open: u32,
    last: Time,
    told: bool,
}

impl Failures {
    fn none(now: Time) -> Self {
        Self { count: 0, open: 0, last: now, told: false }
    }

    fn open_at(&self, free: u32) -> Time {
        let Some(doublings) = self.count.checked_sub(free) else { return self.last };
        self.last.after(LONGEST.min(Duration::from_secs(1 << doublings.min(20))))
    }
}

/// The reason why a try must wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Blocked {
    /// Too many before it have failed.
    Failed {
        /// Until then.
        until: Time,
        /// Set for the first try the wait refuses: only that one is worth an audit row.
        first: bool,
    },
    /// The outcome of those before it is not known yet.
    Busy,
}

impl Blocked {
    /// The error for whoever tried.
    pub(super) fn error(&self, now: Time) -> Error {
        let Self::Failed { until, .. } = self else { return busy() };
        let seconds = (until.millis() - now.millis()).max(1).unsigned_abs().div_ceil(1000);
        let wait = if seconds == 1 { "a second".to_owned() } else { format!("{seconds} seconds") };
        Error::new(Kind::Exhausted, format!("Too many failed sign-ins. Wait {wait}, then try again."))
            .with_details(json!({"retry_after": seconds}))
    }
}

/// The failures of late. Cheap to clone.
#[derive(Default, Clone)]
pub(super) struct Lockout(Arc<Shared>);

#[derive(Default)]
struct Shared {
    failures: Mutex<HashMap<Subject, Failures>>,
    /// Notified whenever the outcome of a try is known.
    decided: Notify,
}

/// The outcome of a try.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Failed,
    Succeeded,
    /// The password was not looked at.
    Unknown,
}

/// A try that is under way. Unless its outcome is said it has failed.
pub(super) struct Try {
    lockout: Lockout,
    subjects: Vec<Subject>,
    now: Time,
    outcome: Outcome,
}

impl Lockout {
    /// Begins a try. Of many at once no more are under way than may fail, so that none gets through uncounted; the others
    /// wait for their outcome, so that nobody is refused for tries that were right.
    pub(super) async fn attempt(&self, subjects: &[Subject], now: Time) -> Result<Try, Blocked> {
        self.attempt_within(PATIENCE, subjects, now).await
    }

    async fn attempt_within(&self, patience: Duration, subjects: &[Subject], now: Time) -> Result<Try, Blocked> {
        let patience = tokio::time::sleep(patience);
        tokio::pin!(patience);
        loop {
            let decided = self.0.decided.notified();
            tokio::pin!(decided);
            // Before the look: an outcome between that and the wait is not missed.
            decided.as_mut().enable();
            if self.admit(subjects, now)? {
                let (lockout, subjects) = (self.clone(), subjects.to_vec());
                return Ok(Try { lockout, subjects, now, outcome: Outcome::Failed });
            }
            tokio::select! {
                () = decided => {}
                () = &mut patience => return Err(Blocked::Busy),
            }
        }
    }

    /// Counts a try as under way. False where as many are as may fail: their outcome is to be waited for.
    fn admit(&self, subjects: &[Subject], now: Time) -> Result<bool, Blocked> {
        let mut failures = self.0.failures.lock();
        for subject in subjects {
            let Some(known) = failures.get_mut(subject) else { continue };
            let until = known.open_at(subject.free());
            if known.count >= subject.free() && now < until {
                let first = !std::mem::replace(&mut known.told, true);
                return Err(Blocked::Failed { until, first });
            }
        }
        let is_full = |subject: &Subject| {
            let known = failures.get(subject).copied().unwrap_or_else(|| Failures::none(now));
            // After a wait one try is free.
            known.open >= subject.free().saturating_sub(known.count).max(1)
        };
        if subjects.iter().any(is_full) {
            return Ok(false);
        }
        for subject in subjects {
            make_room(&mut failures, now);
            failures.entry(subject.clone()).or_insert_with(|| Failures::none(now)).open += 1;
        }
        Ok(true)
    }

    /// Ends a try. Success forgives the failures of a name; an address may be shared with somebody who guesses, so those
    /// that were counted for it stand.
    fn decide(&self, subjects: &[Subject], now: Time, outcome: Outcome) {
        let mut failures = self.0.failures.lock();
        for subject in subjects {
            let Some(known) = failures.get_mut(subject) else { continue };
            known.open = known.open.saturating_sub(1);
            match (outcome, subject) {
                (Outcome::Failed, _) => known.fail(now),
                (Outcome::Succeeded, Subject::Name(_) | Subject::NameAt(..)) => {
                    *known = Failures { open: known.open, ..Failures::none(now) }
                }
                (Outcome::Succeeded, Subject::Address(_)) | (Outcome::Unknown, _) => {}
            }
            if known.open == 0 && known.count == 0 {
                failures.remove(subject);
            }
        }
        drop(failures);
        self.0.decided.notify_waiters();
    }
}

impl Failures {
    fn fail(&mut self, now: Time) {
        // Those before a long pause are forgotten.
        let quiet = now > self.last.after(LONGEST * 2);
        let count = if quiet { 1 } else { self.count.saturating_add(1) };
        *self = Self { count, last: now, told: false, open: self.open };
    }
}

impl Try {
    /// Ends it: it was right.
    pub(super) fn succeed(mut self) {
        self.outcome = Outcome::Succeeded;
    }

    /// Ends it: nobody looked whether it was right.
    pub(super) fn undecided(mut self) {
        self.outcome = Outcome::Unknown;
    }
}

impl Drop for Try {
    fn drop(&mut self) {
        self.lockout.decide(&self.subjects, self.now, self.outcome);
    }
}

fn make_room(failures: &mut HashMap<Subject, Failures>, now: Time) {
    if failures.len() < REMEMBERED {
        return;
    }
    failures.retain(|_, known| known.open > 0 || now <= known.last.after(LONGEST));
    while failures.len() >= REMEMBERED {
        let worth = |known: &Failures| (known.open, known.count, known.last);
        let Some(least) = failures.iter().min_by_key(|(_, known)| worth(known)).map(|(s, _)| s.clone()) else {
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

    async fn fail(lockout: &Lockout, subject: &Subject, now: Time) -> Result<(), Blocked> {
        lockout.attempt(std::slice::from_ref(subject), now).await.map(drop)
    }

    /// Waits, in seconds, that a guesser meets who always tries again as soon as they may.
    async fn waits(subject: &Subject, tries: usize) -> Vec<i64> {
        let lockout = Lockout::default();
        let mut now = Time::from_millis(0);
        let mut waits = Vec::new();
        for _ in 0..tries {
            match fail(&lockout, subject, now).await {
                Ok(()) => waits.push(0),
                Err(Blocked::Busy) => panic!("no other try is under way"),
                Err(Blocked::Failed { until, .. }) => {
                    waits.push((until.millis() - now.millis()) / 1000);
                    now = until;
                    fail(&lockout, subject, now).await.unwrap();
                }
            }
        }
        waits
    }

    #[tokio::test]
    async fn the_wait_grows_from_the_sixth_try_to_a_quarter_of_an_hour() {
        assert_eq!(waits(&name(), 17).await, [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    }

    #[tokio::test]
    async fn tries_made_while_waiting_do_not_lengthen_the_wait() {
        let lockout = Lockout::default();
        let at = Time::from_millis;
        for _ in 0..5 {
            fail(&lockout, &name(), at(0)).await.unwrap();
        }
        let mut told = Vec::new();
        for n in 0..3 {
            told.push(fail(&lockout, &name(), at(n * 100)).await.unwrap_err());
        }
        let wait = |first| Blocked::Failed { until: at(1000), first };
        assert_eq!(told, [wait(true), wait(false), wait(false)]);
        fail(&lockout, &name(), at(1000)).await.unwrap();
    }

    #[tokio::test]
    async fn signing_in_forgives_the_name_and_a_pause_forgives_all() {
        let lockout = Lockout::default();
        let at = Time::from_millis;
        for _ in 0..4 {
            fail(&lockout, &name(), at(0)).await.unwrap();
        }
        lockout.attempt(&[name()], at(0)).await.unwrap().succeed();
        for _ in 0..5 {
            fail(&lockout, &name(), at(2)).await.unwrap();
        }
        assert!(fail(&lockout, &name(), at(3)).await.is_err());
        let later = at(3).after(LONGEST * 3);
        for _ in 0..5 {
            fail(&lockout, &name(), later).await.unwrap();
        }
    }

    #[tokio::test]
    async fn right_ones_that_come_at_once_wait_for_each_other_and_all_get_in() {
        let lockout = Lockout::default();
        let now = Time::from_millis(0);
        let mut under_way = Vec::new();
        for _ in 0..FREE_OF_NAME {
            under_way.push(lockout.attempt(&[name()], now).await.unwrap());
        }
        let others: Vec<_> = (0..3)
            .map(|_| {
                let lockout = lockout.clone();
                tokio::spawn(async move { lockout.attempt(&[name()], now).await.map(Try::succeed) })
            })
            .collect();
        under_way.into_iter().for_each(Try::succeed);
        for other in others {
            assert_eq!(other.await.unwrap(), Ok(()));
        }
        assert!(lockout.0.failures.lock().is_empty(), "nothing failed");
    }

    #[tokio::test]
    async fn who_waits_in_vain_for_others_is_not_told_of_failures() {
        let lockout = Lockout::default();
        let now = Time::from_millis(0);
        let mut under_way = Vec::new();
        for _ in 0..FREE_OF_NAME {
            under_way.push(lockout.attempt(&[name()], now).await.unwrap());
        }
        let blocked = lockout.attempt_within(Duration::ZERO, &[name()], now).await.err();
        assert_eq!(blocked, Some(Blocked::Busy));
        assert!(Blocked::Busy.error(now).message().contains("Too many people are signing in"));
        under_way.into_iter().for_each(Try::undecided);
        assert!(lockout.0.failures.lock().is_empty(), "nothing failed");
    }

    #[tokio::test]
    async fn of_guesses_that_come_at_once_no_more_are_tried_than_one_by_one() {
        let lockout = Lockout::default();
        let now = Time::from_millis(0);
        let guess = |lockout: Lockout| async move { lockout.attempt(&[name()], now).await.map(drop) };
        let tried = futures_util::future::join_all((0..40).map(|_| tokio::spawn(guess(lockout.clone())))).await;
        let through = tried.into_iter().filter(|tried| tried.as_ref().unwrap().is_ok()).count();
        assert_eq!(through, FREE_OF_NAME as usize);
    }

    #[test]
    fn a_network_of_ipv6_is_one_and_an_address_of_ipv4_is_one() {
        for (address, counted) in [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
            ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("somewhere", "somewhere"),
        ] {
            assert_eq!(network(address), counted);
        }
    }

    #[tokio::test]
    async fn the_memory_is_bounded_and_keeps_the_worst() {
        let lockout = Lockout::default();
        let now = Time::from_millis(0);
        for _ in 0..5 {
            fail(&lockout, &name(), now).await.unwrap();
        }
        for n in 0..REMEMBERED + 10 {
            fail(&lockout, &Subject::Address(n.to_string()), now).await.unwrap();
        }
        assert_eq!(lockout.0.failures.lock().len(), REMEMBERED);
        assert!(fail(&lockout, &name(), now).await.is_err());
    }
}
