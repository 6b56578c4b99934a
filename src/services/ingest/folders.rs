//! Follows the folders an administrator added: whatever is new, changed or gone in them is so in the documents, too.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::sync::mpsc::{Receiver, channel};

use satchel_app::App;
use satchel_host::folder::{self, Lookout};
use satchel_model::{
    error::{Error, Result},
    knowledge::Folder,
};
use satchel_store::{folders::Seen, ingest::Worker};

/// A folder is looked through when nothing has changed in it for so long: a file being written changes many times.
const QUIET: Duration = Duration::from_millis(400);
/// Longest wait for that.
const BUSY: Duration = Duration::from_secs(5);
/// The interval at which watched folders are looked through without a cause: some file systems tell of nothing.
const PATIENCE: Duration = Duration::from_secs(300);

/// Follows the folders, for ever.
pub(super) async fn follow(app: Arc<App>) -> Result<()> {
    let (tell, mut changes) = channel(1_024);
    // Where the channel is full, a look is due anyway.
    let mut lookout = Lookout::new(move |path: &Path| drop(tell.try_send(path.to_owned())))?;
    let mut watched: BTreeSet<PathBuf> = BTreeSet::new();
    let mut first = true;
    loop {
        let folders = app.stores.knowledge.folders.list().await?;
        follow_these(&mut lookout, &mut watched, &folders);
        for folder in &folders {
            if folder.scanned_at.is_none() || (first && folder.watch) {
                scan(&app, folder).await?;
            }
        }
        first = false;
        tokio::select! {
            () = app.stores.knowledge.ingest.woken(Worker::Folders) => {}
            changed = changes.recv() => {
                let changed = settle(changed, &mut changes).await;
                for folder in folders.iter().filter(|folder| changed.iter().any(|path| path.starts_with(&folder.path))) {
                    scan(&app, folder).await?;
                }
            }
            () = tokio::time::sleep(PATIENCE) => {
                for folder in folders.iter().filter(|folder| folder.watch) {
                    scan(&app, folder).await?;
                }
            }
        }
    }
}

/// Looks out where it should, and nowhere else.
fn follow_these(lookout: &mut Lookout, watched: &mut BTreeSet<PathBuf>, folders: &[Folder]) {
    let wanted: BTreeSet<PathBuf> =
        folders.iter().filter(|folder| folder.watch).map(|f| PathBuf::from(&f.path)).collect();
    for gone in watched.difference(&wanted) {
        lookout.remove(gone);
    }
    for new in wanted.difference(watched) {
        if let Err(error) = lookout.add(new) {
            tracing::warn!(?error, "a folder is not watched");
        }
    }
    *watched = wanted;
}

/// Every path that changes until it is quiet.
async fn settle(first: Option<PathBuf>, changes: &mut Receiver<PathBuf>) -> BTreeSet<PathBuf> {
    let mut changed: BTreeSet<PathBuf> = first.into_iter().collect();
    let busy = tokio::time::sleep(BUSY);
    tokio::pin!(busy);
    loop {
        tokio::select! {
            () = &mut busy => return changed,
            next = tokio::time::timeout(QUIET, changes.recv()) => match next {
                Ok(Some(path)) => drop(changed.insert(path)),
                Ok(None) | Err(_) => return changed,
            },
        }
    }
}

/// Makes the documents of a folder what lies in it.
async fn scan(app: &Arc<App>, folder: &Folder) -> Result<()> {
    let (path, files) = (PathBuf::from(&folder.path), app.host.workspaces.clone());
    // The server's data may have come to lie there since.
    let walk = move || folder::ensure_apart(&path, &files).and_then(|()| folder::walk(&path));
    let seen = tokio::task::spawn_blocking(walk).await.map_err(Error::internal)?;
    let seen = match seen {
        Ok(seen) => seen.into_iter().filter_map(seen_file).collect(),
        Err(error) => {
            let now = app.clock.now();
            return app.stores.knowledge.folders.unreadable(folder.id, error.message().to_owned(), now).await;
        }
    };
    let changes = app.stores.knowledge.folders.scanned(folder.id, seen, app.clock.now()).await?;
    if changes.added + changes.changed > 0 {
        app.stores.knowledge.ingest.wake(Worker::Reader);
    }
    Ok(())
}

/// A path that is no text could not be kept as one.
fn seen_file(file: folder::File) -> Option<Seen> {
    let path = file.path.to_str()?.to_owned();
    let name = file.path.file_name()?.to_str()?.to_owned();
    (file.bytes > 0).then_some(Seen { path, name, stamp: file.stamp })
}
