//! The workers there are: who computes, who waits, and how a worker goes from one call to the next.
//!
//! As many compute at once as the processors carry; of short calls, one for each. A call that finds none free waits for its
//! turn. Where it is known to be short it may be taken along meanwhile: a worker with a short call and none to follow is sent
//! some of the short ones that wait, and goes from one to the next without sleeping in between, which costs as much as a
//! short script. Each is still watched and answered on its own. What is taken along may not ask for anything outside, so
//! nothing has happened where it is given back to wait for a turn of its own: when the one before it is not short after all,
//! or ends its worker.
//!
//! Where nothing else is to be done, a short call costs less on its caller's processor than on one that must be woken for it.
//!
//! Of all that there is only so much of, one person gets a part: of the turns, of the workers that wait for an answer, and of
//! the memory those hold meanwhile.

use std::{collections::VecDeque, path::PathBuf, sync::Arc, time::Duration};

use bytes::Bytes;
use libc::PIPE_BUF;
use parking_lot::Mutex;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::{Instant, sleep},
};

use super::{
    pace::Pace,
    worker::{Allowance, Ended, Worker},
};
use satchel_model::{frame, user::UserId};
use satchel_share::{Part, Share};

/// Workers that compute at once, for each processor: while the server reads what one gave back and sends it more, another
/// has the processor. Of those with short calls one is enough: it was sent the next one already.
const PER_PROCESSOR: usize = 2;
/// The number of requests a worker takes along at a time.
const ALONG: usize = 3;
/// Short calls in a row, each alone, after which the next one's worker runs beside its caller: calls that come together
/// want all processors, and are alone by chance now and then.
const ALONE: u32 = 16;
/// Calls within calls, the outermost first: each level has its own places, so that no call waits for one that waits for it.
pub const LEVELS: usize = 4;
/// Calls of a level that may ask for something outside, in all and of one person.
const ASKING: (usize, usize) = (32, 16);
/// Long tasks, such as the tests of a script, at once, in all and of one person: the rest of the turns are for calls.
const LONG: (usize, usize) = (2, 1);
/// MB that workers hold which wait for an answer, in all and of one person.
const HELD: (usize, usize) = (512, 256);
/// MB each of them may hold without being counted.
const FREE: u64 = 8;
/// The time idle workers are kept.
const KEPT: Duration = Duration::from_secs(60);

/// All workers. Cheap to clone.
#[derive(Clone)]
pub struct Workers {
    pool: Arc<Pool>,
    who: Option<UserId>,
}

struct Pool {
    program: PathBuf,
    turns: Share,
    short_turns: Arc<Semaphore>,
    asking: [Share; LEVELS],
    long: Share,
    held: Share,
    processors: usize,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    idle: Vec<(Worker, Instant)>,
    /// Short calls that wait, the oldest first.
    line: VecDeque<Waiting>,
    /// The number of requests that have stood in it.
    stood: u64,
    /// The last calls, so many, were short, and each was alone.
    alone: u32,
}

/// A call for a worker.
pub struct Job<'a> {
    /// The frame the worker is sent.
    pub frame: Bytes,
    /// The allowance it has until it answers.
    pub most: Allowance,
    /// The time it took before. `None`: it may ask, and is never taken along.
    pub pace: Option<&'a Pace>,
}

/// A message of a worker.
pub enum Said {
    /// This is all.
    Done(Vec<u8>),
    /// This, and it waits for an answer.
    Asked(Vec<u8>, Box<Conversation>),
}

/// A worker that waits for an answer, and computes nothing meanwhile. Dropping it kills it.
pub struct Conversation {
    workers: Workers,
    worker: Worker,
    /// The part it holds meanwhile.
    _held: Option<Part>,
}

impl Conversation {
    /// Answers, when it is this worker's turn again.
    pub async fn answer(mut self, frame: &[u8], most: Allowance) -> Result<Said, Ended> {
        let turn = self.workers.turn().await;
        self.worker.answer(frame).await?;
        Held::new(self.workers, self.worker, turn).reply(most, None).await
    }
}

impl Workers {
    /// Workers that are this program, run again.
    pub fn new(program: PathBuf) -> Self {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        let turns = PER_PROCESSOR * processors;
        let share = |(all, each)| Share::new(all, each);
        let pool = Pool {
            program,
            // A worker that waits for an answer leaves its turn to others: those it waits for, perhaps.
            turns: Share::new(turns, turns - 1),
            short_turns: Arc::new(Semaphore::new(processors)),
            asking: std::array::from_fn(|_| share(ASKING)),
            long: share(LONG),
            held: share(HELD),
            processors,
            shared: Arc::default(),
        };
        Self { pool: Arc::new(pool), who: None }
    }

    /// The same workers, for this person.
    #[must_use]
    pub fn for_user(&self, who: UserId) -> Self {
        Self { pool: Arc::clone(&self.pool), who: Some(who) }
    }

    /// Leave to ask for something outside, to be held during the whole call. `level` says within how many calls it is.
    pub async fn asking(&self, level: usize) -> Result<Part, Ended> {
        let places = self.pool.asking.get(level).or(self.pool.asking.last()).ok_or_else(closed)?;
        Ok(places.take(self.who, 1).await)
    }

    /// Leave for a long task.
    pub async fn long(&self) -> Part {
        self.pool.long.take(self.who, 1).await
    }

    /// Leave to hold what a worker holds while it waits for an answer.
    fn hold(&self, worker: &Worker) -> Result<Option<Part>, Ended> {
        let beyond = (worker.private_memory() >> 20).saturating_sub(FREE);
        if beyond == 0 {
            return Ok(None);
        }
        let parts = usize::try_from(beyond).unwrap_or(usize::MAX);
        self.pool.held.try_take(self.who, parts).map(Some).ok_or(Ended::Crowded)
    }

    /// Has a worker do it, when there is a turn for it.
    pub async fn run(&self, job: Job<'_>) -> Result<Said, Ended> {
        self.held(&job).await?.reply(job.most, job.pace).await
    }

    /// A worker that was sent the job.
    async fn held(&self, job: &Job<'_>) -> Result<Held, Ended> {
        if job.pace.is_some_and(Pace::is_short) && frame::HEAD + job.frame.len() <= PIPE_BUF {
            let mut place = self.stand(job.frame.clone());
            let taken = tokio::select! {
                biased;
                held = &mut place.given => held,
                turn = self.short_turn() => {
                    let turn = turn?;
                    if self.leave(place.number) {
                        return self.begin(turn, &job.frame).await;
                    }
                    // It was taken along at the same moment.
                    drop(turn);
                    (&mut place.given).await
                }
            };
            if let Ok(held) = taken {
                return Ok(held);
            }
        }
        self.begin(self.turn().await, &job.frame).await
    }

    async fn turn(&self) -> Turn {
        Turn { _any: self.pool.turns.take(self.who, 1).await, short: None }
    }

    async fn short_turn(&self) -> Result<Turn, Ended> {
        let short = Arc::clone(&self.pool.short_turns).acquire_owned().await.map_err(|_| closed())?;
        Ok(Turn { short: Some(short), ..self.turn().await })
    }

    async fn begin(&self, turn: Turn, frame: &[u8]) -> Result<Held, Ended> {
        let is_alone = turn.short.is_some() && self.pool.short_turns.available_permits() + 1 == self.pool.processors;
        let (ready, alone) = {
            let mut shared = self.pool.shared.lock();
            shared.alone = if is_alone { shared.alone.saturating_add(1) } else { 0 };
            (shared.idle.pop(), shared.alone)
        };
        if let Some((mut worker, _)) = ready {
            worker.place(alone > ALONE);
            // One that ended meanwhile takes nothing: it is not what this frame did.
            if worker.send(frame).await.is_ok() {
                return Ok(Held::new(self.clone(), worker, turn));
            }
        }
        let mut worker = Worker::start(&self.pool.program)?;
        worker.send(frame).await?;
        Ok(Held::new(self.clone(), worker, turn))
    }

    /// Those a worker takes along, and their frames: as many as a pipe takes in one piece or not at all.
    fn waiting(&self, frames: &mut Vec<u8>) -> VecDeque<Waiting> {
        let mut along = VecDeque::new();
        let mut shared = self.pool.shared.lock();
        while along.len() < ALONG
            && let Some(next) =
                shared.line.pop_front_if(|next| frames.len() + frame::HEAD + next.frame.len() <= PIPE_BUF)
        {
            if frame::put(frames, &next.frame, false).is_some() {
                along.push_back(next);
                shared.alone = 0;
            }
        }
        along
    }

    fn stand(&self, frame: Bytes) -> Place<'_> {
        let (give, given) = oneshot::channel();
        let mut shared = self.pool.shared.lock();
        shared.stood += 1;
        let number = shared.stood;
        shared.line.push_back(Waiting { number, frame, give });
        Place { workers: self, number, given }
    }

    /// Leaves the line. False: it was taken along already.
    fn leave(&self, number: u64) -> bool {
        let line = &mut self.pool.shared.lock().line;
        line.iter().position(|waiting| waiting.number == number).and_then(|at| line.remove(at)).is_some()
    }

    /// Takes back one whose last frame was answered.
    fn give(&self, worker: Worker) {
        let mut shared = self.pool.shared.lock();
        // As many are kept as compute at once, though nothing is to be done.
        if shared.idle.len() >= PER_PROCESSOR * self.pool.processors {
            return;
        }
        let first = shared.idle.is_empty();
        shared.idle.push((worker, Instant::now()));
        if first {
            tokio::spawn(reap(Arc::clone(&self.pool.shared)));
        }
    }

    /// The processes of those that wait for work.
    pub fn idle(&self) -> Vec<u32> {
        self.pool.shared.lock().idle.iter().filter_map(|(worker, _)| worker.id()).collect()
    }
}

/// No turn is to be had any more.
fn closed() -> Ended {
    Ended::Unstarted(std::io::Error::other("there are no more turns for workers"))
}

/// Lets those go that have waited long, until none is left.
async fn reap(shared: Arc<Mutex<Shared>>) {
    loop {
        sleep(KEPT / 4).await;
        let idle = &mut shared.lock().idle;
        idle.retain(|(_, since)| since.elapsed() < KEPT);
        if idle.is_empty() {
            return;
        }
    }
}

/// A short call that waits for a turn, or to be taken along.
struct Waiting {
    number: u64,
    frame: Bytes,
    give: oneshot::Sender<Held>,
}

/// One's place in the line. Dropping it leaves.
struct Place<'a> {
    workers: &'a Workers,
    number: u64,
    given: oneshot::Receiver<Held>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.workers.leave(self.number);
    }
}

/// Leave to have a worker compute.
struct Turn {
    _any: Part,
    /// The permit of one of the few for short calls.
    short: Option<OwnedSemaphorePermit>,
}

/// A worker that computes. Dropping it kills it, and those it took along wait for turns of their own.
struct Held {
    workers: Workers,
    worker: Worker,
    turn: Turn,
    along: VecDeque<Waiting>,
    /// It is let go when it has done what it took along: it was sent what was given back since, or has served long enough.
    is_last: bool,
}

impl Held {
    fn new(workers: Workers, worker: Worker, turn: Turn) -> Self {
        Self { workers, worker, turn, along: VecDeque::new(), is_last: false }
    }

    async fn take_along(&mut self) -> Result<(), Ended> {
        let mut frames = Vec::new();
        let along = self.workers.waiting(&mut frames);
        if !along.is_empty() {
            self.worker.place(false);
            if self.worker.send_now(&frames).await? {
                self.along = along;
            }
        }
        Ok(())
    }

    async fn reply(mut self, most: Allowance, pace: Option<&Pace>) -> Result<Said, Ended> {
        let begun = Instant::now();
        if self.along.is_empty() && !self.is_last && pace.is_some_and(Pace::is_short) {
            self.take_along().await?;
        }
        let give_back = || {
            self.is_last |= !self.along.is_empty();
            self.along.clear();
            self.turn.short = None;
        };
        let (frame, asks) = self.worker.reply(most, give_back).await?;
        self.is_last |= self.worker.is_worn();
        if asks {
            let _held = self.workers.hold(&self.worker)?;
            // It reads on until it is answered, past all it was sent before.
            return Ok(Said::Asked(
                frame,
                Box::new(Conversation { workers: self.workers, worker: self.worker, _held }),
            ));
        }
        if let Some(pace) = pace {
            pace.set(begun.elapsed());
        }
        match self.along.pop_front() {
            // Where nobody waits for it any more, it is dropped.
            Some(next) => drop(next.give.send(self)),
            None if self.is_last => {}
            None => {
                self.workers.give(self.worker);
                drop(self.turn);
            }
        }
        Ok(Said::Done(frame))
    }
}
