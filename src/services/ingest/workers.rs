//! The workers, their bounds, and what they do when nothing is left.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use super::{embedding, fetch, folders, reading};
use futures_util::FutureExt;
use satchel_app::App;
use satchel_host::{aside, work};
use satchel_model::error::{Error, Kind, Result};
use satchel_share::Share;
use satchel_store::ingest::{Job, Worker};

/// Documents taken in at once. Most of one's time may go by with fetching it, which takes no memory and waits for others.
const WORKERS: usize = 16;
/// Documents read at once, which may take a hundred megabytes each.
const READERS: usize = 3;
/// Documents of one person among either.
const EACH: usize = 2;
/// The longest a worker waits before it looks for work itself.
const PATIENCE: Duration = Duration::from_secs(60);
/// The interval at which the trash is looked through.
const TRASH: Duration = Duration::from_secs(3_600);
/// The time a worker rests whose own work failed.
const REST: Duration = Duration::from_secs(5);

/// Starts the workers; they end with the process.
pub async fn start(app: &Arc<App>) -> Result<()> {
    let (files, used) = (app.stores.knowledge.files.clone(), app.stores.knowledge.ingest.files().await?);
    tokio::task::spawn_blocking(move || files.sweep(&used)).await.map_err(Error::internal)??;
    let parsing = Share::new(READERS, EACH);
    for _ in 0..WORKERS {
        let parsing = parsing.clone();
        spawn(app, move |app| read_all(app, parsing.clone()));
    }
    spawn(app, embedding::embed_all);
    spawn(app, embedding::announce);
    spawn(app, folders::follow);
    spawn(app, empty_trash);
    Ok(())
}

/// Runs a worker until the process ends. One that fails is started again after a rest: its rows are as they were.
fn spawn<W, F>(app: &Arc<App>, work: W)
where
    W: Fn(Arc<App>) -> F + Send + 'static,
    F: Future<Output = Result<()>> + Send + 'static,
{
    let shared = Arc::clone(app);
    let worker = async move {
        let app = shared;
        let ended = app.lifecycle.shutdown.clone();
        loop {
            let run = AssertUnwindSafe(work(Arc::clone(&app))).catch_unwind();
            tokio::select! {
                biased;
                () = ended.cancelled() => return,
                done = run => match done {
                    Ok(Ok(())) => return,
                    Ok(Err(error)) => tracing::error!(?error, "a worker of the knowledge base failed and goes on"),
                    Err(_) => tracing::error!("a worker of the knowledge base panicked and goes on"),
                },
            }
            tokio::select! {
                () = ended.cancelled() => return,
                () = tokio::time::sleep(REST) => {}
            }
        }
    };
    app.lifecycle.tracker.spawn_on(worker, &app.lifecycle.runtime);
}

async fn read_all(app: Arc<App>, parsing: Share) -> Result<()> {
    let ingest = &app.stores.knowledge.ingest;
    loop {
        let now = app.clock.now();
        let Some(job) = ingest.claim(now, EACH as u32).await? else {
            // What may be begun already waits for others of its person: whoever reads those takes it up.
            let pause = match ingest.next_try(now).await? {
                Some(time) => Duration::from_millis((time.millis() - app.clock.now().millis()).max(50).unsigned_abs()),
                None => PATIENCE,
            };
            tokio::select! {
                () = ingest.woken(Worker::Reader) => {}
                () = tokio::time::sleep(pause.min(PATIENCE)) => {}
            }
            continue;
        };
        // One waits for it while the other works.
        ingest.wake(Worker::Reader);
        let stopped = ingest.begin(job.id);
        let done = tokio::select! {
            biased;
            () = stopped.cancelled() => Ok(()),
            done = one(&app, &job, &parsing) => done,
        };
        ingest.end(job.id);
        match done {
            Err(error) if error.kind() == Kind::Cancelled => {}
            Err(error) => {
                tracing::info!(?error, document = %job.id, "a document could not be read");
                ingest.fail(&job, &error, app.clock.now()).await?;
            }
            Ok(()) => {}
        }
    }
}

async fn one(app: &Arc<App>, job: &Job, parsing: &Share) -> Result<()> {
    let content = match &job.content {
        Some(content) => content.clone(),
        None => fetch::fetch(app, job).await?,
    };
    app.ensure_room(content.bytes)?;
    // Held until the parser ends, even where nobody waits for it any more.
    let part = parsing.take(job.by, work::turns_for(content.bytes)).await;
    let (shared, taken) = (Arc::clone(app), job.clone());
    let read = move || {
        let _held = part;
        reading::read(&shared, &taken, &content)
    };
    aside::run(read).await?.unwrap_or_else(|| Err(broken()))?;
    app.stores.knowledge.ingest.read(job).await?;
    app.stores.knowledge.ingest.wake(Worker::Embedder);
    Ok(())
}

fn broken() -> Error {
    Error::invalid("The document is damaged in a way that keeps it from being read. Open and save it anew.")
}

async fn empty_trash(app: Arc<App>) -> Result<()> {
    loop {
        let days = i64::from(app.settings.get().knowledge.trash_days);
        let then = satchel_model::time::Time::from_millis(app.clock.now().millis() - days * 86_400_000);
        let files = app.stores.knowledge.ingest.empty_trash(then).await?;
        app.stores.knowledge.forget_files(files).await?;
        tokio::time::sleep(TRASH).await;
    }
}
