//! Follows the folder of scripts: what is saved there is live.

use std::{path::Path, time::Duration};

use tokio::sync::mpsc::channel;

use super::library::Library;
use crate::{host::folder::Lookout, model::error::Result};

/// A file that is being written changes several times.
const QUIET: Duration = Duration::from_millis(25);
/// How often the folder is read without a cause: some file systems tell of nothing.
const PATIENCE: Duration = Duration::from_secs(60);

/// Follows until the process ends.
pub(super) fn start(library: &Library) {
    let (mine, app) = (library.clone(), library.app());
    let shutdown = app.shutdown.clone();
    let follow = async move {
        tokio::select! {
            () = shutdown.cancelled() => {}
            followed = follow(mine) => if let Err(error) = followed {
                tracing::error!(?error, "the folder of scripts is not followed any more");
            }
        }
    };
    app.tracker.spawn_on(follow, &app.runtime);
}

async fn follow(library: Library) -> Result<()> {
    let (tell, mut changes) = channel::<()>(1);
    let mut lookout = Lookout::new(move |_: &Path| {
        // One that waits already tells the same.
        let _ = tell.try_send(());
    })?;
    if let Err(error) = lookout.add(&library.folder()) {
        tracing::warn!(?error, "the folder of scripts is not watched");
    }
    loop {
        library.reload().await?;
        if let Ok(Some(())) = tokio::time::timeout(PATIENCE, changes.recv()).await {
            while let Ok(Some(())) = tokio::time::timeout(QUIET, changes.recv()).await {}
        }
    }
}
