//! The service of jobs: one clock for all of them, and the runs that are under way.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use super::{clock, tasks::Tasks};
use crate::backups::service::Backups;
use satchel_app::App;
use satchel_engine::invoker::Invoker;
use satchel_model::error::Result;
use satchel_store::jobs::Claimed;

/// Most runs that do their work at once.
const AT_ONCE: usize = 256;

/// The jobs of this process. Cheap to clone: every clone is the same service.
#[derive(Clone)]
pub struct Jobs {
    pub(super) app: Arc<App>,
    pub(super) invoker: Invoker,
    pub(super) backups: Arc<Backups>,
    /// The agents, which do tasks.
    pub(super) tasks: Arc<dyn Tasks>,
    places: Arc<Semaphore>,
    under_way: TaskTracker,
}

impl Jobs {
    /// The service.
    pub fn new(app: Arc<App>, invoker: Invoker, backups: Arc<Backups>, tasks: Arc<dyn Tasks>) -> Self {
        let (places, under_way) = (Arc::new(Semaphore::new(AT_ONCE)), TaskTracker::new());
        under_way.close();
        Self { app, invoker, backups, tasks, places, under_way }
    }

    /// Runs what becomes due, for as long as the server runs.
    pub fn follow_clock(&self) {
        let lifecycle = &self.app.lifecycle;
        lifecycle.tracker.spawn_on(clock::follow(self.clone()), &lifecycle.runtime);
    }

    /// Starts every run that is due now, and says how many.
    pub async fn run_due(&self) -> Result<usize> {
        let claimed = self.app.stores.jobs.take_due(self.app.clock.now()).await?;
        let count = claimed.len();
        for run in claimed {
            self.begin(run);
        }
        Ok(count)
    }

    /// Returns once no run is under way.
    pub async fn idle(&self) {
        self.under_way.wait().await;
    }

    pub(super) fn begin(&self, run: Claimed) {
        let (jobs, places) = (self.clone(), Arc::clone(&self.places));
        let work = async move {
            let _place = places.acquire_owned().await;
            jobs.run(run).await;
        };
        let lifecycle = &self.app.lifecycle;
        lifecycle.tracker.spawn_on(self.under_way.track_future(work), &lifecycle.runtime);
    }
}
