//! Ends the background processes of people who may run commands no longer, and removes the workspaces of those who were
//! deleted; at the start also what deleted conversations have left.

use std::{sync::Arc, time::Duration};

use tokio::{task::spawn_blocking, time::timeout};

use super::App;
use satchel_model::error::{Error, Result};
use satchel_store::conversations::Conversations;

/// The permission to run commands.
const COMMANDS: &str = "host:exec";
/// The time between two looks where nobody has changed anything: a process may have been on its way when its owner was kept out.
const LOOK: Duration = Duration::from_secs(10);

/// Looks now, after every change of people, and now and then.
pub fn start(app: &Arc<App>) {
    let shared = Arc::clone(app);
    app.lifecycle.tracker.spawn_on(follow(shared), &app.lifecycle.runtime);
}

async fn follow(app: Arc<App>) {
    let conversations = Conversations::new(&app.db);
    tokio::select! {
        // The next start goes on with it.
        () = app.lifecycle.shutdown.cancelled() => return,
        swept = conversations.sweep() => if let Err(error) = swept {
            tracing::warn!(?error, "what deleted conversations have left could not be removed");
        },
    }
    let mut changes = app.stores.people.changes();
    loop {
        changes.borrow_and_update();
        if let Err(error) = look(&app).await {
            tracing::warn!(?error, "what is left of people who are gone could not all be ended and removed");
        }
        tokio::select! {
            () = app.lifecycle.shutdown.cancelled() => return,
            changed = timeout(LOOK, changes.changed()) => {
                if let Ok(Err(_)) = changed {
                    return;
                }
            }
        }
    }
}

async fn look(app: &Arc<App>) -> Result<()> {
    for user in app.host.processes.owners() {
        if !app.stores.people.permissions_of(user).await?.grants(COMMANDS) {
            app.host.processes.end_all(user).await;
        }
    }
    let mut failed = Ok(());
    for user in app.stores.people.departures().await? {
        let workspaces = app.host.workspaces.clone();
        let removed = spawn_blocking(move || workspaces.remove(user)).await.map_err(Error::internal).flatten();
        match removed {
            Ok(()) => app.stores.people.settle_departure(user).await?,
            // Whatever is in the way of one is in nobody else's.
            Err(error) => failed = Err(error),
        }
    }
    failed
}
