//! The clock of all jobs: it sleeps until the next one is due, and hears when that changes.

use std::time::Duration;

use super::service::Jobs;
use satchel_model::error::Result;

/// The pause after a failure: the database was busy, or its disk full.
const PAUSE: Duration = Duration::from_secs(5);

/// Starts runs as they become due, until the process ends.
pub(super) async fn follow(jobs: Jobs) {
    let shutdown = jobs.app.lifecycle.shutdown.clone();
    loop {
        let looked = tokio::select! {
            () = shutdown.cancelled() => return,
            looked = look(&jobs) => looked,
        };
        if let Err(error) = looked {
            tracing::warn!(?error, "jobs that are due could not be looked for");
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }
}

/// Starts what is due, then waits until something may be.
async fn look(jobs: &Jobs) -> Result<()> {
    if jobs.run_due().await? > 0 {
        return Ok(());
    }
    let next = jobs.app.stores.jobs.next_at().await?;
    tokio::select! {
        () = jobs.app.clock.nap_until(next) => {}
        () = jobs.app.stores.jobs.changed() => {}
    }
    Ok(())
}
