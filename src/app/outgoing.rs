//! Brings what crosses the gate into the ledger: before it is dialled, and in batches, beside the work, once it is over.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot},
    time::timeout,
};

use satchel_host::clock::Clock;
use satchel_model::{
    egress::Crossing,
    error::{Error, Kind, Result},
};
use satchel_net::meter::{Book, Ledger};
use satchel_store::{
    db::Db,
    egress::{self, Entry, Keep},
    settings::SettingsStore,
};

/// Most rows of one write.
const BATCH: usize = 512;
/// Rows between two looks at what is kept no longer.
const SWEEP_EVERY: usize = 1_000;
/// The longest somebody waits for the ledger to be up to date.
const SETTLING: Duration = Duration::from_secs(3);
/// Most attempts that are under way, or over and not written down yet.
const UNDER_WAY: usize = 8_192;
/// The time an attempt waits for a place among them.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most notes of what was never under way: attempts that were refused, and those who wait for the ledger.
const BESIDE: usize = 1_024;
const DAY: Duration = Duration::from_secs(86_400);

/// A message to the writer. Each holds a place, so that a disk that stands still is not more and more memory.
struct Note {
    what: What,
    place: OwnedSemaphorePermit,
}

enum What {
    Crossed(Box<Entry>),
    Settle(oneshot::Sender<()>),
}

/// The places of notes.
#[derive(Clone)]
struct Places {
    under_way: Arc<Semaphore>,
    beside: Arc<Semaphore>,
    /// Those of the attempts under way, by their numbers: what is open has its place for the end.
    held: Arc<Mutex<HashMap<i64, OwnedSemaphorePermit>>>,
    patience: Duration,
}

impl Default for Places {
    fn default() -> Self {
        let (under_way, beside) = (Arc::new(Semaphore::new(UNDER_WAY)), Arc::new(Semaphore::new(BESIDE)));
        Self { under_way, beside, held: Arc::default(), patience: PATIENCE }
    }
}

impl Places {
    async fn hold(&self, number: i64) -> Result<()> {
        let place = timeout(self.patience, Arc::clone(&self.under_way).acquire_owned()).await.map_err(|_| busy())?;
        self.held.lock().insert(number, place.map_err(Error::internal)?);
        Ok(())
    }

    /// The place an attempt has had since it was opened; one beside where it never was.
    fn take(&self, number: i64) -> Option<OwnedSemaphorePermit> {
        let held = self.held.lock().remove(&number);
        held.or_else(|| Arc::clone(&self.beside).try_acquire_owned().ok())
    }
}

fn busy() -> Error {
    let told = "More requests go out than the ledger can keep up with: this one was not sent. Try again in a minute.";
    Error::new(Kind::Busy, told)
}

/// The ledger's intake. Cheap to clone.
#[derive(Clone)]
pub struct Outgoing {
    notes: mpsc::UnboundedSender<Note>,
    keeper: Keeper,
    last: Arc<AtomicI64>,
    places: Places,
}

impl Outgoing {
    /// Begins to write, after the last number that is kept.
    pub async fn start(db: &Db, settings: &SettingsStore, clock: &Clock) -> Result<Self> {
        let last = Arc::new(AtomicI64::new(egress::last(db).await?));
        let (notes, waiting) = mpsc::unbounded_channel();
        let keeper = Keeper { db: db.clone(), settings: settings.clone(), clock: clock.clone() };
        tokio::spawn(keeper.clone().run(waiting));
        Ok(Self { notes, keeper, last, places: Places::default() })
    }

    /// Returns the ledger the gate writes to.
    pub fn ledger(&self) -> Ledger {
        Ledger::kept_in(self.clone())
    }

    /// Waits until everything that has crossed so far stands in the ledger.
    pub async fn settle(&self) {
        let (done, written) = oneshot::channel();
        let asked = async {
            let place = Arc::clone(&self.places.beside).acquire_owned().await.ok()?;
            self.notes.send(Note { what: What::Settle(done), place }).ok()?;
            written.await.ok()
        };
        if timeout(SETTLING, asked).await.is_err() {
            tracing::warn!("the egress ledger is behind");
        }
    }

    /// Removes what is kept no longer; it is done now and then without being asked.
    pub async fn sweep(&self) -> Result<usize> {
        self.keeper.sweep().await
    }
}

impl Book for Outgoing {
    fn number(&self) -> i64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn open(&self, number: i64, crossing: Crossing) -> BoxFuture<'static, Result<()>> {
        let (db, at, places) = (self.keeper.db.clone(), self.keeper.clock.now(), self.places.clone());
        Box::pin(async move {
            places.hold(number).await?;
            egress::write(&db, vec![Entry { number, at, crossing }]).await
        })
    }

    fn close(&self, number: i64, crossing: Crossing) {
        let at = self.keeper.clock.now().before(crossing.took);
        let Some(place) = self.places.take(number) else {
            tracing::error!(host = crossing.host, "a refused attempt is not in the egress ledger, which is behind");
            return;
        };
        // It only fails when the writer has ended, and then so has the process.
        let _ = self.notes.send(Note { what: What::Crossed(Box::new(Entry { number, at, crossing })), place });
    }
}

#[derive(Clone)]
struct Keeper {
    db: Db,
    settings: SettingsStore,
    clock: Clock,
}

impl Keeper {
    async fn run(self, mut waiting: mpsc::UnboundedReceiver<Note>) {
        let mut notes = Vec::with_capacity(BATCH);
        // As if much had been written: what is old when the process starts goes at the first row.
        let mut since_sweep = SWEEP_EVERY;
        while waiting.recv_many(&mut notes, BATCH).await > 0 {
            let (mut crossings, mut asking, mut places) = (Vec::new(), Vec::new(), Vec::new());
            for Note { what, place } in notes.drain(..) {
                places.push(place);
                match what {
                    What::Crossed(entry) => crossings.push(*entry),
                    What::Settle(done) => asking.push(done),
                }
            }
            since_sweep += crossings.len();
            self.write(crossings).await;
            drop(places);
            for done in asking {
                let _ = done.send(());
            }
            if since_sweep >= SWEEP_EVERY {
                since_sweep = 0;
                if let Err(error) = self.sweep().await {
                    tracing::warn!(?error, "old rows of the egress ledger could not be removed");
                }
            }
        }
    }

    async fn write(&self, crossings: Vec<Entry>) {
        let count = crossings.len();
        if count > 0
            && let Err(error) = egress::write(&self.db, crossings).await
        {
            tracing::error!(?error, count, "the egress ledger could not be written");
        }
    }

    async fn sweep(&self) -> Result<usize> {
        let settings = self.settings.get();
        let kept = settings.outbound.keep_days.max(1);
        let keep = Keep { since: self.clock.now().before(DAY * kept), most: settings.outbound.keep_rows.max(1_000) };
        egress::sweep(&self.db, keep).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_under_way_has_its_place_for_the_end_and_one_more_than_fit_is_refused() {
        let places = Places { patience: Duration::ZERO, ..Places::default() };
        let most = i64::try_from(UNDER_WAY).unwrap();
        for number in 0..most {
            places.hold(number).await.unwrap();
        }
        let refused = places.hold(most).await.unwrap_err();
        assert!(refused.kind() == Kind::Busy && refused.message().contains("was not sent"), "{refused}");
        let refusals: Vec<_> = std::iter::from_fn(|| places.take(most)).take(BESIDE + 1).collect();
        assert_eq!(refusals.len(), BESIDE, "what was never under way has its own bound");
        let ends: Vec<_> = (0..most).filter_map(|number| places.take(number)).collect();
        assert_eq!(ends.len(), UNDER_WAY);
        drop(ends);
        places.hold(most).await.unwrap();
    }
}
