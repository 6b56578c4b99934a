//! A backup takes the place of what a server runs on that nobody owns yet: once, and as long as nobody does.

use std::{path::PathBuf, sync::Arc};

use parking_lot::Mutex;
use tokio::{sync::OwnedMutexGuard, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

use satchel_app::App;
use satchel_model::{
    backup::Progress,
    error::{Error, Result},
};
use satchel_store::backup::{
    exchange::{self, Exchange, Received},
    restore::Restored,
    watch::Watch,
};

/// The restoring of the first run.
#[derive(Default)]
pub(super) struct FirstRun {
    /// The start was to be on a restored backup, and is on what was there before.
    is_undone: bool,
    /// The progress, while one runs.
    watch: Mutex<Option<Watch>>,
    /// Cancelled once a backup waits for the next start.
    restored: CancellationToken,
    /// Kept from then on: nothing else begins.
    last_turn: Mutex<Option<OwnedMutexGuard<()>>>,
}

impl FirstRun {
    pub(super) fn begun(exchange: &Exchange) -> Self {
        Self { is_undone: matches!(exchange, Exchange::Undone(_)), ..Self::default() }
    }

    pub(super) fn is_undone(&self) -> bool {
        self.is_undone
    }

    /// Unpacks a backup, which the next start of the data directory is on. It goes on where who asked for it hangs up, and
    /// holds the turn for as long as it writes.
    pub(super) async fn restore(
        self: &Arc<Self>,
        app: &Arc<App>,
        data: PathBuf,
        turn: OwnedMutexGuard<()>,
        received: Received,
    ) -> Result<Restored> {
        let (this, own) = (Arc::clone(self), Arc::clone(app));
        let work = async move {
            let restored = this.replace(&own, data, received).await;
            *this.watch.lock() = None;
            if restored.is_ok() {
                *this.last_turn.lock() = Some(turn);
                this.restored.cancel();
            }
            restored
        };
        app.lifecycle.tracker.spawn_on(work, &app.lifecycle.runtime).await.map_err(Error::internal)?
    }

    async fn replace(&self, app: &App, data: PathBuf, received: Received) -> Result<Restored> {
        let watch = Watch::new(app.lifecycle.shutdown.clone());
        *self.watch.lock() = Some(watch.clone());
        let key = app.config.vault_key.clone();
        let prepared = spawn_blocking(move || exchange::prepare(&data, &received, &key, &watch));
        let prepared = prepared.await.map_err(Error::internal)??;
        // From here on nobody becomes the owner of what is replaced.
        app.stores.people.close().await.inspect_err(|_| app.stores.people.reopen())?;
        let restored = spawn_blocking(move || prepared.commit()).await.map_err(Error::internal).flatten();
        restored.inspect_err(|_| app.stores.people.reopen())
    }

    /// Returns the progress, while one runs.
    pub(super) fn progress(&self) -> Option<Progress> {
        self.watch.lock().as_ref().map(Watch::progress)
    }

    /// Checks that no backup waits for the next start.
    ///
    /// # Errors
    ///
    /// If one does.
    pub(super) fn require_pending(&self) -> Result<()> {
        match self.restored.is_cancelled() {
            true => Err(Error::conflict("A backup was restored already: wait until Satchel has started on it.")),
            false => Ok(()),
        }
    }

    /// Returns once a backup waits for the next start.
    pub(super) async fn done(&self) {
        self.restored.cancelled().await;
    }
}
