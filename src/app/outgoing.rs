//! Brings what crosses the gate into the ledger: before it is dialled, and in batches, beside the work, once it is over.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use futures_util::future::BoxFuture;
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use crate::{
    host::clock::Clock,
    model::{egress::Crossing, error::Result},
    net::meter::{Book, Ledger},
    store::{
        db::Db,
        egress::{self, Entry, Keep},
        settings::SettingsStore,
    },
};

/// Most rows of one write.
const BATCH: usize = 512;
/// Rows between two looks at what is kept no longer.
const SWEEP_EVERY: usize = 1_000;
/// How long somebody waits for the ledger to be up to date.
const SETTLING: Duration = Duration::from_secs(3);
const DAY: Duration = Duration::from_secs(86_400);

enum Note {
    Crossed(Box<Entry>),
    Settle(oneshot::Sender<()>),
}

/// What goes into the ledger. Cheap to clone.
#[derive(Clone)]
pub struct Outgoing {
    notes: mpsc::UnboundedSender<Note>,
    keeper: Keeper,
    last: Arc<AtomicI64>,
}

impl Outgoing {
    /// Begins to write, where the last process left off.
    pub async fn start(db: &Db, settings: &SettingsStore, clock: &Clock) -> Result<Self> {
        let last = Arc::new(AtomicI64::new(egress::take_over(db).await?));
        let (notes, waiting) = mpsc::unbounded_channel();
        let keeper = Keeper { db: db.clone(), settings: settings.clone(), clock: clock.clone() };
        tokio::spawn(keeper.clone().run(waiting));
        Ok(Self { notes, keeper, last })
    }

    /// What the gate tells.
    pub fn ledger(&self) -> Ledger {
        Ledger::of(self.clone())
    }

    /// Waits until everything that has crossed so far stands in the ledger.
    pub async fn settle(&self) {
        let (done, written) = oneshot::channel();
        if self.notes.send(Note::Settle(done)).is_ok() && timeout(SETTLING, written).await.is_err() {
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
        let (db, at) = (self.keeper.db.clone(), self.keeper.clock.now());
        Box::pin(async move { egress::write(&db, vec![Entry { number, at, crossing }]).await })
    }

    fn close(&self, number: i64, crossing: Crossing) {
        let at = self.keeper.clock.now().before(crossing.took);
        // It only fails when the writer has ended, and then so has the process.
        let _ = self.notes.send(Note::Crossed(Box::new(Entry { number, at, crossing })));
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
            let (mut crossings, mut asking) = (Vec::new(), Vec::new());
            for note in notes.drain(..) {
                match note {
                    Note::Crossed(entry) => crossings.push(*entry),
                    Note::Settle(done) => asking.push(done),
                }
            }
            since_sweep += crossings.len();
            self.write(crossings).await;
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
