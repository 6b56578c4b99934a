//! A bounded thing, and a part of it for each person: whoever asks alone may use their part and never all of it, and those
//! who wait are served in turn, person by person.

pub mod behalf;
pub mod boxed;

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use satchel_model::user::UserId;

/// A bounded thing that people share. Cheap to clone; clones share it.
///
/// `None` stands for the server itself, which has a part like a person.
#[derive(Clone)]
pub struct Share {
    shared: Arc<Shared>,
}

struct Shared {
    /// Units for one person at most.
    each: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    free: usize,
    people: HashMap<Option<UserId>, Person>,
    /// People who wait, the next one first.
    line: VecDeque<Option<UserId>>,
}

#[derive(Default)]
struct Person {
    held: usize,
    waiting: VecDeque<Waiter>,
}

struct Waiter {
    units: usize,
    give: oneshot::Sender<Part>,
}

/// Units that somebody holds. Dropping it gives them back.
pub struct Part {
    shared: Arc<Shared>,
    who: Option<UserId>,
    units: usize,
}

impl Share {
    /// A thing of so many units, at most `each` of them for one person.
    pub fn new(all: usize, each: usize) -> Self {
        let state = Mutex::new(State { free: all, ..State::default() });
        Self { shared: Arc::new(Shared { each: each.min(all), state }) }
    }

    /// So many units, as soon as it is this person's turn and they are free. More than a person's part is taken for the
    /// whole part. Dropping the future leaves the line.
    pub async fn take(&self, who: Option<UserId>, units: usize) -> Part {
        // Of a thing that nobody has a part of, nothing is ever given.
        let units = units.clamp(1, self.shared.each.max(1));
        let given = {
            let mut state = self.shared.state.lock();
            // Nobody overtakes those who wait.
            match state.line.is_empty() && state.fits(who, units, self.shared.each) {
                true => Ok(state.hold(&self.shared, who, units)),
                false => Err(state.join(who, units)),
            }
        };
        match given {
            Ok(part) => part,
            Err(given) => {
                // Who waits may be in front of others who fit already.
                self.shared.serve();
                match given.await {
                    Ok(part) => part,
                    // The sender is in the state, which lives as long as this.
                    Err(_) => std::future::pending().await,
                }
            }
        }
    }

    /// Units this person could take now.
    pub fn left(&self, who: Option<UserId>) -> usize {
        let state = self.shared.state.lock();
        let held = state.people.get(&who).map_or(0, |person| person.held);
        state.free.min(self.shared.each.saturating_sub(held))
    }

    /// So many units if they are free now. `None` if they are not, or are more than a person's part.
    pub fn try_take(&self, who: Option<UserId>, units: usize) -> Option<Part> {
        let mut state = self.shared.state.lock();
        state.fits(who, units, self.shared.each).then(|| state.hold(&self.shared, who, units))
    }
}

impl Part {
    /// Keeps at most so many units of it and gives the rest back.
    pub fn keep(&mut self, units: usize) {
        let surplus = self.units.saturating_sub(units);
        if surplus > 0 {
            self.units -= surplus;
            drop(Self { shared: Arc::clone(&self.shared), who: self.who, units: surplus });
        }
    }
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Share").field("each", &self.shared.each).finish_non_exhaustive()
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part").field("units", &self.units).finish_non_exhaustive()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.give_back(self.who, self.units);
        let is_wanted = !state.line.is_empty();
        drop(state);
        if is_wanted {
            self.shared.serve();
        }
    }
}

impl Shared {
    /// Gives what is free to those who wait, in turn.
    fn serve(self: &Arc<Self>) {
        loop {
            let Some((waiting, part)) = self.state.lock().next(self) else { return };
            // Whoever left meanwhile gives it back at once, and the next one is served.
            drop(waiting.give.send(part));
        }
    }
}

impl State {
    fn fits(&self, who: Option<UserId>, units: usize, each: usize) -> bool {
        let held = self.people.get(&who).map_or(0, |person| person.held);
        units <= self.free && held + units <= each
    }

    fn hold(&mut self, shared: &Arc<Shared>, who: Option<UserId>, units: usize) -> Part {
        self.free = self.free.saturating_sub(units);
        self.people.entry(who).or_default().held += units;
        Part { shared: Arc::clone(shared), who, units }
    }

    fn give_back(&mut self, who: Option<UserId>, units: usize) {
        self.free += units;
        if let Some(person) = self.people.get_mut(&who) {
            person.held = person.held.saturating_sub(units);
        }
        self.forget(who);
    }

    /// Forgets who holds nothing and waits for nothing.
    fn forget(&mut self, who: Option<UserId>) {
        if self.people.get(&who).is_some_and(|person| person.held == 0 && person.waiting.is_empty()) {
            self.people.remove(&who);
        }
    }

    fn join(&mut self, who: Option<UserId>, units: usize) -> oneshot::Receiver<Part> {
        let (give, given) = oneshot::channel();
        let person = self.people.entry(who).or_default();
        if person.waiting.is_empty() {
            self.line.push_back(who);
        }
        person.waiting.push_back(Waiter { units, give });
        given
    }

    /// The next who can be served, and their part. People at their own bound are passed over; the first who only waits for
    /// others is not, so that a large wish is met some day.
    fn next(&mut self, shared: &Arc<Shared>) -> Option<(Waiter, Part)> {
        let mut at = 0;
        while let Some(who) = self.line.get(at).copied() {
            let Some(person) = self.people.get_mut(&who) else {
                self.line.remove(at);
                continue;
            };
            person.waiting.retain(|waiting| !waiting.give.is_closed());
            let Some(units) = person.waiting.front().map(|waiting| waiting.units) else {
                self.line.remove(at);
                self.forget(who);
                continue;
            };
            if person.held + units > shared.each {
                at += 1;
                continue;
            }
            if units > self.free {
                return None;
            }
            let waiting = person.waiting.pop_front()?;
            let more = !person.waiting.is_empty();
            self.line.remove(at);
            if more {
                self.line.push_back(who);
            }
            return Some((waiting, self.hold(shared, who, units)));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, future::BoxFuture};

    use super::*;

    /// A wish that has been spoken: it waits, or is met.
    fn wish(share: &Share, who: Option<UserId>, units: usize) -> BoxFuture<'static, Part> {
        let share = share.clone();
        let mut wish = async move { share.take(who, units).await }.boxed();
        match (&mut wish).now_or_never() {
            Some(part) => std::future::ready(part).boxed(),
            None => wish,
        }
    }

    fn is_met(wish: &mut BoxFuture<'static, Part>) -> Option<Part> {
        wish.now_or_never()
    }

    fn people<const N: usize>() -> [Option<UserId>; N] {
        [(); N].map(|()| Some(UserId::new()))
    }

    #[test]
    fn one_person_leaves_some_to_others_and_all_of_them_get_no_more_than_there_is() {
        let share = Share::new(3, 2);
        let [one, other] = people();
        let (first, second) = (share.try_take(one, 1), share.try_take(one, 1));
        assert!(first.is_some() && second.is_some() && share.try_take(one, 1).is_none());
        let third = share.try_take(other, 1);
        assert!(third.is_some() && share.try_take(other, 1).is_none());
        drop(second);
        assert!(share.try_take(one, 1).is_some());
        drop((first, third));
        assert!(share.try_take(None, 2).is_some() && share.try_take(None, 3).is_none());
    }

    #[test]
    fn who_waits_is_served_in_turn_by_person() {
        let share = Share::new(2, 1);
        let [one, other, third] = people();
        let held = (is_met(&mut wish(&share, one, 1)), is_met(&mut wish(&share, other, 1)));
        assert!(held.0.is_some() && held.1.is_some());
        let mut many: Vec<_> = (0..3).map(|_| wish(&share, one, 1)).collect();
        let mut late = wish(&share, third, 1);
        drop(held.1);
        let part = is_met(&mut late).unwrap();
        assert!(many.iter_mut().all(|wish| is_met(wish).is_none()), "they have their part already");
        drop(held.0);
        assert!(is_met(&mut many[0]).is_some());
        drop(part);
    }

    #[test]
    fn of_many_wishes_of_one_person_another_waits_for_none_but_the_one_under_way() {
        let share = Share::new(1, 1);
        let [one, other] = people();
        let held = share.try_take(one, 1);
        let mut many: Vec<_> = (0..50).map(|_| wish(&share, one, 1)).collect();
        let mut late = wish(&share, other, 1);
        drop(held);
        let first = is_met(&mut many[0]).unwrap();
        drop(first);
        assert!(is_met(&mut many[1]).is_none());
        drop(is_met(&mut late).unwrap());
        assert!(is_met(&mut many[1]).is_some());
    }

    #[test]
    fn who_leaves_the_line_keeps_nobody_waiting_and_nobody_is_remembered() {
        let share = Share::new(1, 1);
        let [one, other, third] = people();
        let held = share.try_take(one, 1);
        let (gone, mut stays) = (wish(&share, other, 1), wish(&share, third, 1));
        drop(gone);
        drop(held);
        drop(is_met(&mut stays).unwrap());
        // One that was given its part and never looked.
        let held = share.try_take(one, 1);
        let unseen = wish(&share, other, 1);
        drop(held);
        drop(unseen);
        assert_eq!(share.shared.state.lock().free, 1);
        assert!(share.shared.state.lock().people.is_empty());
    }

    #[test]
    fn a_large_wish_is_met_before_small_ones_that_came_later() {
        let share = Share::new(4, 3);
        let [one, other, third] = people();
        let (a, b) = (share.try_take(one, 2), share.try_take(third, 1));
        let mut large = wish(&share, other, 3);
        let mut small = wish(&share, None, 1);
        drop(b);
        assert!(is_met(&mut large).is_none() && is_met(&mut small).is_none());
        drop(a);
        assert!(is_met(&mut large).is_some() && is_met(&mut small).is_some());
    }

    #[test]
    fn a_wish_beyond_a_part_is_taken_for_the_part() {
        let share = Share::new(4, 3);
        let [one] = people();
        let mut part = is_met(&mut wish(&share, one, 100)).unwrap();
        assert!(share.try_take(one, 1).is_none() && share.try_take(None, 1).is_some());
        part.keep(2);
        assert_eq!((share.left(one), share.left(None)), (1, 2));
        drop(part);
        assert!(share.try_take(one, 3).is_some());
    }

    #[test]
    fn of_nothing_nothing_is_given() {
        assert!(is_met(&mut wish(&Share::new(0, 0), None, 1)).is_none());
    }
}
