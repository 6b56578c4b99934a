//! SQLite: one writer thread that commits in groups, a few readers, forward-only migrations.
//!
//! A write is answered after its group is on the disk (`synchronous=FULL`), so what was acknowledged survives
//! a power cut; one flush serves up to [`GROUP`] writes.

use std::{
    ffi::c_int,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use include_dir::{Dir, include_dir};
use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi, hooks::Action};
use rusqlite_migration::{Migrations, SchemaVersion};
use tokio::{
    runtime::Handle,
    sync::{Semaphore, oneshot, watch},
};

use super::rows;
use crate::model::error::{Error, Kind, Result};

static MIGRATIONS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/migrations");

/// Most writes one commit carries.
const GROUP: usize = 512;
/// Reader connections; more only wait for the two or four cores of a small machine.
const READERS: usize = 4;
/// How long a statement waits for another connection's lock.
const BUSY: Duration = Duration::from_secs(5);

/// How writes are committed.
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
    writer: mpsc::Sender<Box<dyn Write>>,
    readers: Arc<Readers>,
    outbox: watch::Receiver<u64>,
}

struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
}

impl Db {
    /// Opens or creates the database file and brings its schema up to date.
    pub fn open(path: &Path, commit: Commit) -> Result<Self> {
        let mut connection = connect(path, OpenFlags::default())?;
        migrate(&mut connection)?;
        let (writer, jobs) = mpsc::channel();
        let runtime = Handle::try_current().ok();
        let group = if commit == Commit::Grouped { GROUP } else { 1 };
        let (bell, outbox) = Bell::hung(&connection)?;
        thread::Builder::new()
            .name("db-writer".to_owned())
            .spawn(move || write_groups(&mut connection, &jobs, group, (&bell, runtime.as_ref())))
            .map_err(Error::internal)?;
        let readers = Readers { path: path.to_owned(), idle: Mutex::new(Vec::new()), permits: Semaphore::new(READERS) };
        Ok(Self { writer, readers: Arc::new(readers), outbox })
    }

    /// Changes after each commit that brought the indexes something to see.
    pub fn outbox(&self) -> watch::Receiver<u64> {
        self.outbox.clone()
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.readers.path
    }

    /// Runs `work` inside a transaction and answers once it is on the disk. An error undoes all `work` did.
    pub async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        self.submit(work, Undo::Alone).await
    }

    /// As [`Db::write`], for work that fails only where the database itself does: nothing is kept to undo it alone,
    /// which is a third of what a small write costs. Where it fails all the same, the whole group does.
    pub async fn append<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        self.submit(work, Undo::WithAll).await
    }

    async fn submit<T, F>(&self, work: F, undo: Undo) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Job { work: Some(work), undo, outcome: None, reply };
        self.writer.send(Box::new(job)).map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    /// Runs `work` on a connection that cannot write.
    pub async fn read<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let readers = Arc::clone(&self.readers);
        let permit = self.readers.permits.acquire().await.map_err(Error::internal)?;
        let answer = tokio::task::spawn_blocking(move || readers.run(work)).await.map_err(Error::internal)?;
        drop(permit);
        answer
    }

    /// As [`Db::read`], on a connection that has read nothing before. Full-text tables remember how they were laid out,
    /// and a check on a connection that does takes what has been merged since for damage.
    pub async fn read_afresh<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let path = self.readers.path.clone();
        let answer = tokio::task::spawn_blocking(move || work(&open_read_only(&path)?)).await;
        answer.map_err(Error::internal)?
    }
}

impl Readers {
    fn run<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open_read_only(&self.path)?,
        };
        let answer = work(&connection);
        self.idle.lock().push(connection);
        answer
    }
}

/// A connection that cannot write, for commands that look at a database another process may be serving.
pub fn open_read_only(path: &Path) -> Result<Connection> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

pub(super) fn connect(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(128);
    if !flags.contains(OpenFlags::SQLITE_OPEN_READ_ONLY) {
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "wal_autocheckpoint", 4_000)?;
        connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
        // What was deleted is overwritten, not only left behind.
        connection.pragma_update(None, "secure_delete", true)?;
    }
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

fn migrate(connection: &mut Connection) -> Result<()> {
    let migrations = Migrations::from_directory(&MIGRATIONS).map_err(Error::internal)?;
    let newest = MIGRATIONS.dirs().count();
    match migrations.current_version(connection).map_err(unmigrated)? {
        SchemaVersion::Outside(version) => Err(Error::conflict(format!(
            "The data directory was written by a newer Satchel (its schema is {version}, this one knows {newest}). \
             Start that version, or restore a backup made with this one."
        ))),
        _ => migrations.to_latest(connection).map_err(unmigrated),
    }
}

fn unmigrated(error: rusqlite_migration::Error) -> Error {
    match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => err.into(),
        error => Error::internal(error),
    }
}

/// What is undone where a write fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Undo {
    /// What it did itself.
    Alone,
    /// The group it is in.
    WithAll,
}

/// A write that waits for its commit.
trait Write: Send {
    fn undo(&self) -> Undo;
    /// Fails with the error that whoever asked is told.
    fn run(&mut self, connection: &Connection) -> Result<()>;
    fn finish(self: Box<Self>, commit: Result<()>);
}

struct Job<T, F> {
    work: Option<F>,
    undo: Undo,
    outcome: Option<Result<T>>,
    reply: oneshot::Sender<Result<T>>,
}

impl<T, F> Write for Job<T, F>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<T> + Send,
{
    fn undo(&self) -> Undo {
        self.undo
    }

    fn run(&mut self, connection: &Connection) -> Result<()> {
        let outcome = match self.work.take() {
            Some(work) => catch_unwind(AssertUnwindSafe(|| work(connection)))
                .unwrap_or_else(|_| Err(Error::internal("a write panicked"))),
            None => Err(Error::internal("a write ran twice")),
        };
        let done = outcome.as_ref().map(drop).map_err(Clone::clone);
        self.outcome = Some(outcome);
        done
    }

    fn finish(self: Box<Self>, commit: Result<()>) {
        let answer = match (self.outcome, commit) {
            (Some(Ok(value)), Ok(())) => Ok(value),
            (Some(Err(error)), _) | (_, Err(error)) => Err(error),
            (None, Ok(())) => Err(Error::internal("a write did not run")),
        };
        // Whoever asked may be gone; the write stands all the same.
        let _ = self.reply.send(answer);
    }
}

fn write_groups(
    connection: &mut Connection,
    jobs: &mpsc::Receiver<Box<dyn Write>>,
    group: usize,
    (bell, runtime): (&Bell, Option<&Handle>),
) {
    while let Ok(first) = jobs.recv() {
        let mut batch = vec![first];
        while batch.len() < group {
            match jobs.try_recv() {
                Ok(job) => batch.push(job),
                Err(_) => break,
            }
        }
        let committed = commit(connection, &mut batch);
        bell.ring();
        let answer = move || batch.into_iter().for_each(|job| job.finish(committed.clone()));
        // Waking each waiter from here costs a system call each; from a worker of the runtime they are woken together.
        match runtime {
            Some(runtime) => drop(runtime.spawn(async move { answer() })),
            None => answer(),
        }
    }
}

/// Rings after a commit that wrote to the outbox.
struct Bell {
    written: Arc<AtomicBool>,
    commits: watch::Sender<u64>,
}

impl Bell {
    fn hung(connection: &Connection) -> Result<(Self, watch::Receiver<u64>)> {
        let written = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&written);
        connection.update_hook(Some(move |action, _: &str, table: &str, _| {
            if action == Action::SQLITE_INSERT && table == "outbox" {
                seen.store(true, Ordering::Relaxed);
            }
        }))?;
        let (commits, outbox) = watch::channel(0);
        Ok((Self { written, commits }, outbox))
    }

    fn ring(&self) {
        if self.written.swap(false, Ordering::Relaxed) {
            self.commits.send_modify(|commits| *commits += 1);
        }
    }
}

/// Runs a batch in one transaction; a job that fails is undone alone, unless nothing was kept for that.
fn commit(connection: &mut Connection, batch: &mut [Box<dyn Write>]) -> Result<()> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    for job in batch {
        if job.undo() == Undo::WithAll {
            job.run(&transaction).map_err(gone)?;
            continue;
        }
        // Prepared once: written anew for each job they would cost as much as the job.
        rows::run(&transaction, "SAVEPOINT job", ())?;
        if let Err(error) = job.run(&transaction) {
            if transaction.is_autocommit() {
                return Err(gone(error));
            }
            rows::run(&transaction, "ROLLBACK TO job", ())?;
        }
        rows::run(&transaction, "RELEASE job", ())?;
    }
    transaction.commit()?;
    Ok(())
}

/// SQLite itself undoes a whole transaction where it cannot go on: a full disk, a failed read. What the others of the
/// batch had written is undone with it, and what would follow must not be committed by itself.
fn gone(cause: Error) -> Error {
    match cause.kind() {
        Kind::DiskFull => cause,
        _ => Error::internal("a write of the same group failed").caused_by(cause),
    }
}

fn closed() -> Error {
    Error::new(Kind::Cancelled, "The server is stopping. Try again once it is up.")
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        if matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)) {
            let told = "The database, satchel.db in the data directory, is damaged: stop Satchel and put it back from a backup.";
            return Self::new(Kind::Internal, told).caused_by(error);
        }
        if extended(&error) == Some(ffi::SQLITE_CONSTRAINT_FOREIGNKEY) {
            let told = "It would belong to a person or a thing that is not there. Before there is an owner, open the link that \
                        Satchel prints when it starts, and make one.";
            return Self::conflict(told).caused_by(error);
        }
        if !is_full(&error) {
            return Self::internal(error);
        }
        Self::new(
            Kind::DiskFull,
            "The disk with the data directory is full: nothing was written. Free some space and try again.",
        )
        .caused_by(error)
    }
}

/// No room for the file, or for the memory SQLite shares between processes, which lies on the disk as well.
fn is_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DiskFull) || extended(error) == Some(ffi::SQLITE_IOERR_SHMSIZE)
}

/// SQLite's code for what exactly went wrong.
fn extended(error: &rusqlite::Error) -> Option<c_int> {
    error.sqlite_error().map(|error| error.extended_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(dir: &tempfile::TempDir) -> Db {
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let raw = Connection::open(dir.path().join("satchel.db")).unwrap();
        raw.execute_batch("CREATE TABLE t (n INTEGER UNIQUE)").unwrap();
        db
    }

    async fn numbers(db: &Db) -> Vec<i64> {
        db.read(|c| {
            let mut statement = c.prepare("SELECT n FROM t ORDER BY n")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<Vec<i64>>>()?)
        })
        .await
        .unwrap()
    }

    #[tokio::test]
    async fn a_failing_write_undoes_itself_and_nobody_elses() {
        let dir = tempfile::tempdir().unwrap();
        let db = open(&dir);
        let insert = |n: i64, fail: bool| {
            db.write(move |c| {
                c.execute("INSERT INTO t VALUES (?1)", [n])?;
                if fail { Err(Error::invalid("no")) } else { Ok(n) }
            })
        };
        let (a, b, c) = tokio::join!(insert(1, false), insert(2, true), insert(3, false));
        assert_eq!((a.unwrap(), b.unwrap_err().kind(), c.unwrap()), (1, Kind::Invalid, 3));
        assert_eq!(numbers(&db).await, [1, 3]);
    }

    #[tokio::test]
    async fn a_panicking_write_leaves_the_writer_alive() {
        let dir = tempfile::tempdir().unwrap();
        let db = open(&dir);
        let broken = db.write(|_| -> Result<()> { panic!("boom") }).await;
        assert_eq!(broken.unwrap_err().kind(), Kind::Internal);
        db.write(|c| Ok(c.execute("INSERT INTO t VALUES (7)", [])?)).await.unwrap();
        assert_eq!(numbers(&db).await, [7]);
    }

    #[tokio::test]
    async fn where_the_whole_transaction_is_undone_nobody_is_told_that_his_write_stands() {
        let dir = tempfile::tempdir().unwrap();
        let db = open(&dir);
        let insert = |n: i64| db.write(move |c| Ok(c.execute("INSERT INTO t VALUES (?1)", [n])?));
        // All three wait behind this one, and so are of one batch.
        let (hold, held) = mpsc::channel::<()>();
        let busy = db.write(move |_| Ok(held.recv().is_ok()));
        let broken = db.write(|c| {
            c.execute_batch("ROLLBACK")?;
            Err::<(), _>(Error::invalid("undone"))
        });
        let all = async { tokio::join!(insert(1), broken, insert(2), async { drop(hold) }) };
        let (_, (before, broken, after, ())) = tokio::join!(busy, all);
        assert_eq!(broken.unwrap_err().message(), "undone");
        assert_eq!([before.is_ok(), after.is_ok()], [false, false]);
        assert_eq!(numbers(&db).await, Vec::<i64>::new());
        insert(3).await.unwrap();
        assert_eq!(numbers(&db).await, [3]);
    }

    #[tokio::test]
    async fn an_append_that_fails_takes_its_group_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let db = open(&dir);
        let insert = |n: i64| db.write(move |c| Ok(c.execute("INSERT INTO t VALUES (?1)", [n])?));
        let (hold, held) = mpsc::channel::<()>();
        let busy = db.write(move |_| Ok(held.recv().is_ok()));
        let broken = db.append(|c| {
            c.execute("INSERT INTO t VALUES (2)", [])?;
            Err::<(), _>(Error::invalid("no"))
        });
        let all = async { tokio::join!(insert(1), broken, insert(3), async { drop(hold) }) };
        let (_, (before, broken, after, ())) = tokio::join!(busy, all);
        assert_eq!(broken.unwrap_err().message(), "no");
        assert_eq!([before.is_ok(), after.is_ok()], [false, false]);
        assert_eq!(db.append(|c| Ok(c.execute("INSERT INTO t VALUES (4)", [])?)).await.unwrap(), 1);
        assert_eq!(numbers(&db).await, [4]);
    }

    #[tokio::test]
    async fn readers_cannot_write() {
        let dir = tempfile::tempdir().unwrap();
        let db = open(&dir);
        assert!(db.read(|c| Ok(c.execute("INSERT INTO t VALUES (1)", [])?)).await.is_err());
    }

    #[tokio::test]
    async fn a_newer_schema_is_refused_in_one_sentence() {
        let dir = tempfile::tempdir().unwrap();
        drop(open(&dir));
        let path = dir.path().join("satchel.db");
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 999).unwrap();
        let Err(error) = Db::open(&path, Commit::Grouped) else { panic!("opened") };
        assert!(error.message().contains("newer Satchel"), "{error:?}");
    }

    #[tokio::test]
    async fn a_full_disk_is_said_and_loses_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let db = open(&dir);
        db.write(|c| Ok(c.execute("INSERT INTO t VALUES (1)", [])?)).await.unwrap();
        db.write(|c| Ok(c.pragma_update(None, "max_page_count", 1)?)).await.unwrap();
        let big = db.write(|c| {
            c.execute_batch("CREATE TABLE big (x)")?;
            Ok(c.execute("INSERT INTO big VALUES (zeroblob(10000000))", [])?)
        });
        assert_eq!(big.await.unwrap_err().kind(), Kind::DiskFull);
        assert_eq!(numbers(&db).await, [1]);
    }
}
