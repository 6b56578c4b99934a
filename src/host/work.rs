//! Work beside the async threads: only so much at once, a part of it for each person; the rest waits its turn. Large results
//! wait for room before they are made.

use std::time::Duration;

use tokio::{task::spawn_blocking, time::timeout};

use super::aside;
use satchel_model::{
    error::{Error, Kind, Result},
    user::UserId,
};
use satchel_share::{
    Part, Share,
    boxed::{Boxed, boxed, unboxed},
};

/// Longest wait of work for its turn, and of a result for room.
const PATIENCE: Duration = Duration::from_secs(15);

/// Something of more bytes than this takes many times its size in memory while it is worked on.
const LARGE: u64 = 8 << 20;

/// Something of no more bytes than this has turns that nothing longer takes.
const SMALL: u64 = 64 << 10;

/// Bytes of results in memory, in all and of one person, from before they are read until they are answered.
const RESULTS: (usize, usize) = (48 << 20, 16 << 20);

/// The same of what readers answered while it is parsed, which takes several times as many.
const ANSWERS: (usize, usize) = (24 << 20, 8 << 20);

/// Descriptions of APIs that are being fetched, in all and of one person: each is in memory as it comes.
const IMPORTS: (usize, usize) = (6, 2);

/// Turns that work on something of so many bytes takes: one, or all of a person's where it is large.
pub fn turns_for(bytes: u64) -> usize {
    if bytes > LARGE { usize::MAX } else { 1 }
}

/// Turns at work. Copies share them.
#[derive(Debug, Clone)]
pub struct Work {
    turns: Share,
    /// Beside them, for work on what is small: one of each person.
    small: Share,
    results: Share,
    answers: Share,
    imports: Share,
    patience: Duration,
    threads: Threads,
}

/// The threads work is done on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Threads {
    /// Those for what waits for a disk.
    Blocking,
    /// Their own, which give way to all others.
    Aside,
}

impl Default for Work {
    /// For heavy work: one person gets as many turns as there are processors, but two at least and four at most. As many
    /// are for others, and one more, so that large work of two leaves a turn to a third. As many again are for what is
    /// small, so that nobody's long documents keep it waiting.
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        let each = processors.clamp(2, 4);
        Self { threads: Threads::Aside, small: Share::new(2 * each, 1), ..Self::shared(2 * each + 1, each) }
    }
}

impl Work {
    /// So much that waits for a disk at once, and of one person at most.
    pub fn shared(all: usize, each: usize) -> Self {
        let [results, answers, imports] = [RESULTS, ANSWERS, IMPORTS].map(|(all, each)| Share::new(all, each));
        let (turns, small) = (Share::new(all, each), Share::new(0, 0));
        Self { turns, small, results, answers, imports, patience: PATIENCE, threads: Threads::Blocking }
    }

    /// The same for people who have no patience: who finds no turn is refused at once.
    #[must_use]
    pub fn impatient(self) -> Self {
        Self { patience: Duration::ZERO, ..self }
    }

    /// Runs a person's work on a thread of its own; `None` is the server's own. The turn lasts until the work ends, even
    /// where nobody waits for it any more.
    ///
    /// # Errors
    ///
    /// [`Kind::Busy`] if no turn came in 15 seconds: the work did not run.
    pub async fn run<T, F>(&self, who: Option<UserId>, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        self.run_as(who, 1, work).await
    }

    /// The same for work that takes so many turns, or all that one person gets: what takes much memory.
    ///
    /// # Errors
    ///
    /// As [`Self::run`].
    pub async fn run_as<T, F>(&self, who: Option<UserId>, turns: usize, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        let turn = self.turn(who, turns).await?;
        self.run_in(turn, work).await
    }

    async fn run_in<T, F>(&self, turn: Part, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        unboxed(self.run_boxed(turn, Box::new(move || work().map(boxed))).await?)
    }

    async fn run_boxed(&self, turn: Part, work: Box<dyn FnOnce() -> Result<Boxed> + Send>) -> Result<Boxed> {
        let held = move || {
            let done = work();
            drop(turn);
            done
        };
        match self.threads {
            Threads::Blocking => spawn_blocking(held).await.map_err(Error::internal)?,
            Threads::Aside => aside::run(held).await?.unwrap_or_else(|| Err(Error::internal("the work panicked"))),
        }
    }

    async fn turn(&self, who: Option<UserId>, turns: usize) -> Result<Part> {
        timeout(self.patience, self.turns.take(who, turns)).await.map_err(|_| busy(MUCH_WORK))
    }

    /// A turn at what is small: one of those for it, where none of the others is free.
    async fn small_turn(&self, who: Option<UserId>) -> Result<Part> {
        let first = async {
            tokio::select! {
                biased;
                turn = self.turns.take(who, 1) => turn,
                turn = self.small.take(who, 1) => turn,
            }
        };
        timeout(self.patience, first).await.map_err(|_| busy(MUCH_WORK))
    }

    /// The same for work on something of so many bytes: of what is large, a person's is done one after the other; what is
    /// small does not wait for it.
    ///
    /// # Errors
    ///
    /// As [`Self::run`].
    pub async fn run_on<T, F>(&self, who: Option<UserId>, bytes: u64, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        let turn = match bytes > SMALL {
            true => self.turn(who, turns_for(bytes)).await?,
            false => self.small_turn(who).await?,
        };
        self.run_in(turn, work).await
    }

    /// Room for a result of so many bytes, or all the room of a person, until the part is dropped. Not to be waited for
    /// within a turn: who has room may wait for one.
    ///
    /// # Errors
    ///
    /// [`Kind::Busy`] if earlier results of that person leave none in 15 seconds.
    pub async fn room(&self, who: Option<UserId>, bytes: u64) -> Result<Part> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        timeout(self.patience, self.results.take(who, bytes)).await.map_err(|_| busy(MANY_RESULTS))
    }

    /// The same, at once.
    ///
    /// # Errors
    /// [`Kind::Busy`] where it is not free now.
    pub fn room_now(&self, who: Option<UserId>, bytes: u64) -> Result<Part> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(RESULTS.1);
        self.results.try_take(who, bytes).ok_or_else(|| busy(MANY_RESULTS))
    }

    /// Room for parsing what a reader answered, of so many bytes. Waited for within a turn, which whoever has such room has.
    ///
    /// # Errors
    /// [`Kind::Busy`] where other answers to that person leave none in 15 seconds.
    pub async fn answer_room(&self, who: Option<UserId>, bytes: u64) -> Result<Part> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        timeout(self.patience, self.answers.take(who, bytes)).await.map_err(|_| busy(MANY_RESULTS))
    }

    /// A turn at fetching a description of an API.
    ///
    /// # Errors
    ///
    /// [`Kind::Busy`] where others of that person leave none in 15 seconds.
    pub async fn import_turn(&self, who: Option<UserId>) -> Result<Part> {
        timeout(self.patience, self.imports.take(who, 1)).await.map_err(|_| busy(MANY_IMPORTS))
    }

    /// Bytes of results that one person may have in memory.
    pub const fn results_of_one() -> u64 {
        RESULTS.1 as u64
    }
}

const MUCH_WORK: &str = "The server has more work than it can keep up with: nothing was done. Try again soon.";
const MANY_IMPORTS: &str =
    "Too many descriptions of APIs are read at once: this one was not. Try again when they are done.";
const MANY_RESULTS: &str = "Too many large results are asked for at once: nothing was done. Ask for less at a time, or try \
                            again soon.";

fn busy(message: &str) -> Error {
    Error::new(Kind::Busy, message)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Work that has begun, and goes on until `hold` is dropped.
    async fn held(work: &Work, who: Option<UserId>) -> (tokio::task::JoinHandle<Result<bool>>, mpsc::Sender<()>) {
        let (started, begun) = tokio::sync::oneshot::channel();
        let (hold, held) = mpsc::channel::<()>();
        let hold_on = move || {
            let _ = started.send(());
            Ok(held.recv().is_err())
        };
        let work = work.clone();
        let running = tokio::spawn(async move { work.run(who, hold_on).await });
        begun.await.unwrap();
        (running, hold)
    }

    #[tokio::test]
    async fn what_finds_no_turn_is_refused_and_a_turn_lasts_as_long_as_its_work() {
        let work = Work::shared(1, 1).impatient();
        let (waiting, hold) = held(&work, None).await;
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        let refused = work.run(None, || Ok(())).await.unwrap_err();
        assert!(refused.kind() == Kind::Busy && refused.message().contains("nothing was done"), "{refused}");
        drop(hold);
        let patient = Work { patience: PATIENCE, ..work };
        assert_eq!(patient.run(None, || Ok(7)).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn a_person_with_much_work_leaves_a_turn_to_others() {
        let work = Work::shared(3, 2).impatient();
        let [one, other] = [(); 2].map(|()| Some(UserId::new()));
        let (first, second) = (held(&work, one).await, held(&work, one).await);
        assert_eq!(work.run(one, || Ok(())).await.unwrap_err().kind(), Kind::Busy);
        assert_eq!(work.run(other, || Ok(7)).await.unwrap(), 7);
        // What is large takes all turns of a person, and no more.
        assert_eq!(work.run_as(one, usize::MAX, || Ok(())).await.unwrap_err().kind(), Kind::Busy);
        drop((first.1, second.1));
        for ended in [first.0, second.0] {
            assert!(ended.await.unwrap().unwrap());
        }
        assert_eq!(work.run_as(one, usize::MAX, || Ok(7)).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn what_is_small_does_not_wait_for_what_is_long_however_many_send_it() {
        let work = Work::default().impatient();
        let people = [(); 9].map(|()| Some(UserId::new()));
        let mut long = Vec::new();
        for who in people {
            while work.turns.left(who) > 0 {
                long.push(held(&work, who).await);
            }
        }
        let somebody = Some(UserId::new());
        assert_eq!(work.run_on(somebody, SMALL + 1, || Ok(7)).await.unwrap_err().kind(), Kind::Busy);
        let (started, begun) = tokio::sync::oneshot::channel();
        let (hold, held) = mpsc::channel::<()>();
        let other = work.clone();
        let small = tokio::spawn(async move {
            let hold_on = move || {
                let _ = started.send(());
                Ok(held.recv().is_err())
            };
            other.run_on(somebody, SMALL, hold_on).await
        });
        begun.await.unwrap();
        assert_eq!(work.run_on(somebody, 1, || Ok(7)).await.unwrap_err().kind(), Kind::Busy, "one of each person");
        assert_eq!(work.run_on(people[0], 1, || Ok(7)).await.unwrap(), 7);
        drop(hold);
        assert!(small.await.unwrap().unwrap());
        assert_eq!(work.run_on(somebody, 1, || Ok(7)).await.unwrap(), 7);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn who_has_a_turn_does_not_wait_for_who_has_room() {
        let (work, one) = (Work::default().impatient(), Some(UserId::new()));
        let _room = work.room(one, u64::MAX).await.unwrap();
        let (inside, runtime) = (work.clone(), tokio::runtime::Handle::current());
        let parsing = move || runtime.block_on(inside.answer_room(one, u64::MAX)).map(drop);
        work.run(one, parsing).await.unwrap();
        assert_eq!(work.room_now(one, 1).err().unwrap().kind(), Kind::Busy);
    }

    #[tokio::test]
    async fn a_large_result_waits_for_room_and_another_persons_does_not() {
        let work = Work::default().impatient();
        let [one, other] = [(); 2].map(|()| Some(UserId::new()));
        let half = RESULTS.1 as u64 / 2 + 1;
        let first = work.room(one, half).await.unwrap();
        let refused = work.room(one, half).await.unwrap_err();
        assert!(refused.kind() == Kind::Busy && refused.message().contains("nothing was done"), "{refused}");
        work.room(other, u64::MAX).await.unwrap();
        drop(first);
        work.room(one, u64::MAX).await.unwrap();
    }
}
