//! SQLite: one writer thread that commits in groups, a few readers, forward-only migrations.
//!
//! A write is answered after its group is on the disk (`synchronous=FULL`), so what was acknowledged survives
//! a power cut; one flush serves up to [`GROUP`] writes.

mod failure;
#[cfg(test)]
mod tests;
mod writer;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch},
    time::timeout,
};
use tokio_util::task::{TaskTracker, task_tracker::TaskTrackerToken};

use self::{
    failure::{closed, reading_busy, writing_busy},
    writer::{Bell, Job, Order, Undo, Work, write_groups},
};
use super::{
    backup::snapshots,
    nodes::NodeId,
    sql::{self, Connection, Tx},
};
use satchel_model::error::{Error, Result};
use satchel_share::{
    Share, behalf,
    boxed::{Boxed, boxed, unboxed},
};

/// Most writes one commit carries.
const GROUP: usize = 512;
/// Reads at once, each on a connection of its own, in all and of one person: more of one person only wait for the two or
/// four cores of a small machine.
const READERS: (usize, usize) = (6, 4);
/// Most writes that wait for the writer.
const QUEUE: usize = 4_096;
/// The time a write waits for a place among them, and a read for a reader.
const PATIENCE: Duration = Duration::from_secs(10);

/// The way writes are committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commit {
    /// One commit for all writes that wait.
    Grouped,
    /// One commit each: what grouping is measured against.
    Each,
}

/// The database. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    writer: mpsc::Sender<Order>,
    places: Arc<Semaphore>,
    patience: Duration,
    readers: Arc<Readers>,
    outbox: watch::Receiver<u64>,
    node: NodeId,
}

struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    places: Share,
    /// A token for each connection that is in use, the writer's among them; closed with the database.
    open: TaskTracker,
}

impl Db {
    /// Opens or creates the database file and brings its schema up to date.
    pub fn open(path: &Path, commit: Commit) -> Result<Self> {
        let mut connection = Connection::open(path)?;
        sql::migrate(&mut connection, |schema| snapshots::take(path, schema))?;
        let (writer, orders) = mpsc::channel();
        let runtime = Handle::try_current().ok();
        let group = if commit == Commit::Grouped { GROUP } else { 1 };
        let (bell, outbox) = Bell::hung(&connection)?;
        let open = TaskTracker::new();
        let own = open.token();
        let write = move || {
            write_groups(&connection, &orders, group, (&bell, runtime.as_ref()));
            drop(connection);
            drop(own);
        };
        thread::Builder::new().name("db-writer".to_owned()).spawn(write).map_err(Error::internal)?;
        let places = Share::new(READERS.0, READERS.1);
        let readers = Readers { path: path.to_owned(), idle: Mutex::new(Vec::new()), places, open };
        Ok(Self {
            writer,
            places: Arc::new(Semaphore::new(QUEUE)),
            patience: PATIENCE,
            readers: Arc::new(readers),
            outbox,
            node: NodeId::new(),
        })
    }

    /// The same database for those who have no patience: who finds none of these places for a write is refused at once.
    #[must_use]
    pub fn crowded(&self, places: Arc<Semaphore>) -> Self {
        Self { places, patience: Duration::ZERO, ..self.clone() }
    }

    /// The node whose work is done through this.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Changes after each commit that brought the indexes something to see.
    pub fn outbox(&self) -> watch::Receiver<u64> {
        self.outbox.clone()
    }

    /// Ends the writer and closes every connection, whoever else has this database: what waits to be written is, and
    /// returns once nothing here holds the file any more. What is asked later is refused.
    pub async fn close(&self) {
        self.readers.open.close();
        self.readers.idle.lock().clear();
        // A writer that has ended already holds nothing.
        let _ = self.writer.send(Order::Close);
        self.readers.open.wait().await;
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.readers.path
    }

    /// Runs `work` inside a transaction and answers once it is on the disk. An error undoes all `work` did.
    ///
    /// # Errors
    /// [`Busy`](satchel_model::error::Kind::Busy) where so many writes wait that this one found no place among them in ten
    /// seconds: it did not run.
    pub async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Tx) -> Result<T> + Send + 'static,
    {
        let place = timeout(self.patience, self.place()).await.map_err(|_| writing_busy())??;
        self.submit(work, Undo::Alone, place).await
    }

    /// As [`Db::write`], for what is written of something that has happened: a call that ran, a person's decision that
    /// was taken. It waits for its place however long that takes, since refused it would be told as "nothing was done".
    pub async fn write_after_effect<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Tx) -> Result<T> + Send + 'static,
    {
        let place = self.place().await?;
        self.submit(work, Undo::Alone, place).await
    }

    /// As [`Db::write`], for work that fails only where the database itself does: nothing is kept to undo it alone,
    /// which is a third of what a small write costs. Where it fails all the same, the whole group does. It waits for its
    /// place however long that takes: what it tells of has happened, and must not be lost.
    pub async fn append<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Tx) -> Result<T> + Send + 'static,
    {
        let place = self.place().await?;
        self.submit(work, Undo::WithAll, place).await
    }

    async fn place(&self) -> Result<OwnedSemaphorePermit> {
        Arc::clone(&self.places).acquire_owned().await.map_err(Error::internal)
    }

    async fn submit<T, F>(&self, work: F, undo: Undo, place: OwnedSemaphorePermit) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Tx) -> Result<T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Job::new(Box::new(move |tx| work(tx).map(boxed)), undo, reply, place);
        self.writer.send(Order::Write(job)).map_err(|_| closed())?;
        unboxed(answer.await.map_err(|_| closed())??)
    }

    /// Runs `work` on a connection that cannot write, in a place of the person whom the task works for.
    ///
    /// # Errors
    /// [`Busy`](satchel_model::error::Kind::Busy) where no place was free for them in ten seconds: it did not run.
    pub async fn read<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Tx) -> Result<T> + Send + 'static,
    {
        unboxed(self.read_boxed(Box::new(move |tx| work(tx).map(boxed))).await?)
    }

    async fn read_boxed(&self, work: Work) -> Result<Boxed> {
        let readers = Arc::clone(&self.readers);
        // Where it is asked last: a call of REST, a step of a chat and what a tool does within it all come by here.
        let place = timeout(self.patience, readers.places.take(behalf::current(), 1)).await;
        let place = place.map_err(|_| reading_busy())?;
        let open = readers.enter()?;
        let read = move || {
            // Given back when the read ends, which it does not where nobody waits for it any more.
            let (_place, _open) = (place, open);
            readers.run(work)
        };
        tokio::task::spawn_blocking(read).await.map_err(Error::internal)?
    }
}

impl Readers {
    /// Keeps the database open until it is dropped.
    fn enter(&self) -> Result<TaskTrackerToken> {
        let open = self.open.token();
        if self.open.is_closed() { Err(closed()) } else { Ok(open) }
    }

    fn run(&self, work: Work) -> Result<Boxed> {
        let idle = self.idle.lock().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => Connection::open_read_only(&self.path)?,
        };
        let answer = work(&connection);
        let mut idle = self.idle.lock();
        if !self.open.is_closed() {
            idle.push(connection);
        }
        answer
    }
}
