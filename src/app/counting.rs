//! Counts the rows of the audit that were written before there were counts, a part at a time: whoever writes meanwhile
//! waits for no more than one part.

use std::{sync::Arc, time::Duration};

use super::App;

/// The rest between two parts, in parts of what the last one took.
const REST: u32 = 2;
/// The rest after a failure, a full disk for instance.
const AFTER_FAILURE: Duration = Duration::from_secs(30);

/// Starts counting; it ends once there is nothing left.
pub fn start(app: &Arc<App>) {
    let shared = Arc::clone(app);
    app.lifecycle.tracker.spawn_on(count(shared), &app.lifecycle.runtime);
}

async fn count(app: Arc<App>) {
    loop {
        let started = std::time::Instant::now();
        let pause = match app.stores.audit.count_older().await {
            Ok(false) => return,
            Ok(true) => started.elapsed() * REST,
            Err(error) => {
                tracing::warn!(?error, "older rows of the audit could not be counted");
                AFTER_FAILURE
            }
        };
        tokio::select! {
            () = app.lifecycle.shutdown.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}
