//! Follows the folder of scripts: what is saved there is live.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::{
    sync::mpsc::{Receiver, channel},
    time::{Instant, timeout},
};

use super::library::Library;
use satchel_host::folder::{self, Lookout};
use satchel_model::error::{Error, Result};

/// A file that is being written changes several times.
const QUIET: Duration = Duration::from_millis(25);
/// The interval at which it is looked whether the path still means the same folder.
const GLANCE: Duration = Duration::from_secs(1);
/// The interval at which the folder is read without a cause: some file systems tell of nothing.
const PATIENCE: Duration = Duration::from_secs(60);

/// Follows until the process ends.
pub(super) fn start(library: &Library) {
    let (mine, app) = (library.clone(), library.app());
    let shutdown = app.lifecycle.shutdown.clone();
    let follow = async move {
        tokio::select! {
            () = shutdown.cancelled() => {}
            followed = follow(mine) => if let Err(error) = followed {
                tracing::error!(?error, "the folder of scripts is not followed any more");
            }
        }
    };
    app.lifecycle.tracker.spawn_on(follow, &app.lifecycle.runtime);
}

async fn follow(library: Library) -> Result<()> {
    let (tell, mut changes) = channel::<()>(1);
    let mut lookout = Lookout::new(move |_: &Path| {
        // One that waits already tells the same.
        let _ = tell.try_send(());
    })?;
    let folder = library.folder();
    let mut watched = true;
    loop {
        let followed = identity(&folder).await?;
        // Anew each time: the folder may have been replaced, even by one that looks the same. What changes meanwhile is
        // read below.
        lookout.remove(&folder);
        let added = lookout.add(&folder);
        if let (Err(error), true) = (&added, watched) {
            tracing::warn!(?error, "the folder of scripts is not watched");
        }
        watched = added.is_ok();
        library.reload().await?;
        wait(&mut changes, &folder, followed).await?;
    }
}

/// Waits until something changes in the folder, another comes in its place, or it is time to read it anyway.
async fn wait(changes: &mut Receiver<()>, folder: &Path, followed: Option<(u64, u64)>) -> Result<()> {
    let began = Instant::now();
    while timeout(GLANCE, changes.recv()).await.is_err() {
        if identity(folder).await? != followed || began.elapsed() >= PATIENCE {
            return Ok(());
        }
    }
    while let Ok(Some(())) = timeout(QUIET, changes.recv()).await {}
    Ok(())
}

async fn identity(folder: &Path) -> Result<Option<(u64, u64)>> {
    let folder = PathBuf::from(folder);
    tokio::task::spawn_blocking(move || folder::identity(&folder)).await.map_err(Error::internal)
}
