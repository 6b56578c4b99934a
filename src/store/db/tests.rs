//! The promises of a write and a read, where others fail, panic or are dropped beside them.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use parking_lot::Condvar;
use tokio::task::JoinHandle;

use super::*;
use crate::sql::Tx;
use satchel_model::{error::Kind, user::UserId};

fn open(dir: &tempfile::TempDir) -> Db {
    let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
    let raw = Connection::open(&dir.path().join("satchel.db")).unwrap();
    raw.script("CREATE TABLE t (n INTEGER UNIQUE)").unwrap();
    db
}

fn insert(n: i64) -> impl FnOnce(&Tx) -> Result<usize> + Send + 'static {
    move |c| c.run("INSERT INTO t VALUES (?1)", [n])
}

async fn numbers(db: &Db) -> Vec<i64> {
    db.read(|tx| tx.all("SELECT n FROM t ORDER BY n", (), |row| row.get("n"))).await.unwrap()
}

/// A write that the writer is at, alone in its group, until what is returned beside it is dropped.
async fn held(db: &Db) -> (JoinHandle<Result<bool>>, mpsc::Sender<()>) {
    let ((hold, held), (began, running)) = (mpsc::channel(), oneshot::channel());
    let busy = db.clone().owned(move |_| Ok(began.send(()).is_ok() && held.recv().is_ok()));
    let busy = tokio::spawn(busy);
    running.await.unwrap();
    (busy, hold)
}

#[tokio::test]
async fn a_failing_write_undoes_itself_and_nobody_elses() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    let insert = |n: i64, fail: bool| {
        db.write(move |tx| {
            tx.run("INSERT INTO t VALUES (?1)", [n])?;
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
    db.write(|tx| tx.run("INSERT INTO t VALUES (7)", ())).await.unwrap();
    assert_eq!(numbers(&db).await, [7]);
}

#[tokio::test]
async fn where_the_whole_transaction_is_undone_nobody_is_told_that_his_write_stands() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    let insert = |n: i64| db.write(move |tx| tx.run("INSERT INTO t VALUES (?1)", [n]));
    // All three wait behind the one that holds the writer, and so are of one batch.
    let (busy, hold) = held(&db).await;
    let broken = db.write(|tx| {
        tx.script("ROLLBACK")?;
        Err::<(), _>(Error::invalid("undone"))
    });
    let (before, broken, after, ()) = tokio::join!(insert(1), broken, insert(2), async { drop(hold) });
    busy.await.unwrap().unwrap();
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
    let insert = |n: i64| db.write(move |tx| tx.run("INSERT INTO t VALUES (?1)", [n]));
    let (busy, hold) = held(&db).await;
    let broken = db.append(|tx| {
        tx.run("INSERT INTO t VALUES (2)", ())?;
        Err::<(), _>(Error::invalid("no"))
    });
    let (before, broken, after, ()) = tokio::join!(insert(1), broken, insert(3), async { drop(hold) });
    busy.await.unwrap().unwrap();
    assert_eq!(broken.unwrap_err().message(), "no");
    assert_eq!([before.is_ok(), after.is_ok()], [false, false]);
    assert_eq!(db.append(|tx| tx.run("INSERT INTO t VALUES (4)", ())).await.unwrap(), 1);
    assert_eq!(numbers(&db).await, [4]);
}

#[tokio::test]
async fn a_full_queue_refuses_a_write_in_a_sentence_and_loses_no_append() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    let (busy, hold) = held(&db).await;
    let most = i64::try_from(QUEUE).unwrap();
    let waiting: Vec<_> = (1..most).map(|n| tokio::spawn(db.clone().owned(insert(n)))).collect();
    while db.places.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    let appending = tokio::spawn({
        let db = db.clone();
        async move { db.append(insert(most)).await }
    });
    let hasty = Db { patience: Duration::ZERO, ..db.clone() };
    let refused = hasty.write(insert(0)).await.unwrap_err();
    assert!(refused.kind() == Kind::Busy && refused.message().contains("nothing was done"), "{refused}");
    let mut after = Box::pin(hasty.write_after_effect(insert(most + 1)));
    assert!((&mut after).now_or_never().is_none(), "it waits for its place");
    drop(hold);
    assert_eq!((appending.await.unwrap().unwrap(), after.await.unwrap()), (1, 1));
    busy.await.unwrap().unwrap();
    for write in waiting {
        write.await.unwrap().unwrap();
    }
    assert_eq!(numbers(&db).await, (1..=most + 1).collect::<Vec<_>>());
}

#[tokio::test]
async fn reads_that_nobody_waits_for_keep_their_places_until_they_end() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let read = || {
        let (running, most, gate) = (Arc::clone(&running), Arc::clone(&most), Arc::clone(&gate));
        db.clone().owned_read(move |_| {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let mut open = gate.0.lock();
            gate.1.wait_while(&mut open, |open| !*open);
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        })
    };
    let (_, each) = READERS;
    let dropped: Vec<_> = (0..each).map(|_| tokio::spawn(read())).collect();
    while running.load(Ordering::SeqCst) < each {
        tokio::task::yield_now().await;
    }
    for task in dropped {
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
    }
    // Before others ask for them: a place that was given back would be taken at once.
    assert_eq!(db.readers.places.left(None), 0, "the reads go on");
    let hasty = Db { patience: Duration::ZERO, ..db.clone() };
    let refused = hasty.read(|_| Ok(())).await.unwrap_err();
    assert!(refused.kind() == Kind::Busy && refused.message().contains("more to read"), "{refused}");
    let others: Vec<_> = (0..3 * each).map(|_| tokio::spawn(read())).collect();
    *gate.0.lock() = true;
    gate.1.notify_all();
    for task in others {
        task.await.unwrap().unwrap();
    }
    // The first ones may end last.
    let _all = db.readers.places.take(None, each).await;
    assert_eq!((most.load(Ordering::SeqCst), db.readers.idle.lock().len()), (each, each));
}

#[tokio::test]
async fn while_one_person_reads_slowly_another_reads_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    let (ann, bob) = (Some(UserId::new()), Some(UserId::new()));
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let slow: Vec<_> = (0..READERS.0)
        .map(|_| {
            let gate = Arc::clone(&gate);
            let read = db.clone().owned_read(move |_| {
                gate.1.wait_while(&mut gate.0.lock(), |open| !*open);
                Ok(())
            });
            tokio::spawn(behalf::run_as(ann, read))
        })
        .collect();
    while db.readers.places.left(ann) > 0 {
        tokio::task::yield_now().await;
    }
    // Nobody waits here: a place is free, or the read is refused.
    let hasty = Db { patience: Duration::ZERO, ..db.clone() };
    let refused = behalf::run_as(ann, hasty.read(|_| Ok(()))).await.unwrap_err();
    assert_eq!(refused.kind(), Kind::Busy);
    let others = behalf::run_as(bob, hasty.read(|_| Ok("bob's"))).await;
    *gate.0.lock() = true;
    gate.1.notify_all();
    for read in slow {
        read.await.unwrap().unwrap();
    }
    assert_eq!(others.unwrap(), "bob's");
}

impl Db {
    /// A write for a task of its own.
    async fn owned<T: Send + 'static>(self, work: impl FnOnce(&Tx) -> Result<T> + Send + 'static) -> Result<T> {
        self.write(work).await
    }

    /// A read for a task of its own.
    async fn owned_read(self, work: impl FnOnce(&Tx) -> Result<()> + Send + 'static) -> Result<()> {
        self.read(work).await
    }
}

#[tokio::test]
async fn readers_cannot_write() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    assert!(db.read(|tx| tx.run("INSERT INTO t VALUES (1)", ())).await.is_err());
}

#[tokio::test]
async fn a_newer_schema_is_refused_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(&dir));
    let path = dir.path().join("satchel.db");
    Connection::open(&path).unwrap().script("PRAGMA user_version = 999").unwrap();
    let Err(error) = Db::open(&path, Commit::Grouped) else { panic!("opened") };
    assert!(error.message().contains("newer Satchel"), "{error:?}");
}

#[tokio::test]
async fn a_full_disk_is_said_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    db.write(|tx| tx.run("INSERT INTO t VALUES (1)", ())).await.unwrap();
    db.write(|tx| tx.script("PRAGMA max_page_count = 1")).await.unwrap();
    let big = db.write(|tx| {
        tx.script("CREATE TABLE big (x)")?;
        tx.run("INSERT INTO big VALUES (zeroblob(10000000))", ())
    });
    assert_eq!(big.await.unwrap_err().kind(), Kind::DiskFull);
    assert_eq!(numbers(&db).await, [1]);
}

/// The number of times this process has the database open.
fn opened(dir: &tempfile::TempDir) -> usize {
    let files = std::fs::read_dir("/proc/self/fd").unwrap();
    files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok()).filter(|to| to.starts_with(dir.path())).count()
}

#[tokio::test]
async fn a_closed_database_is_open_no_more_and_what_waited_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(&dir);
    assert!(numbers(&db).await.is_empty());
    let (busy, hold) = held(&db).await;
    let waiting = tokio::spawn(db.clone().owned(insert(1)));
    let ((read, reads), (began, reading)) = (mpsc::channel::<()>(), oneshot::channel());
    let other = db.clone();
    let slow =
        tokio::spawn(async move { other.read(move |_| Ok(began.send(()).is_ok() && reads.recv().is_err())).await });
    reading.await.unwrap();
    while db.places.available_permits() > QUEUE - 2 {
        tokio::task::yield_now().await;
    }
    let mut closing = std::pin::pin!(db.close());
    assert!(closing.as_mut().now_or_never().is_none());
    drop(hold);
    assert!(!busy.await.unwrap().unwrap());
    assert_eq!(waiting.await.unwrap().unwrap(), 1);
    assert!(closing.as_mut().now_or_never().is_none(), "closed while it was read");
    drop(read);
    assert!(slow.await.unwrap().unwrap());
    closing.await;
    assert_eq!(opened(&dir), 0);
    for refused in [db.read(|_| Ok(())).await, db.write(|_| Ok(())).await] {
        assert_eq!(refused.unwrap_err().kind(), Kind::Cancelled);
    }
    let again = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
    assert_eq!(numbers(&again).await, [1]);
    again.close().await;
    assert_eq!(opened(&dir), 0);
}
