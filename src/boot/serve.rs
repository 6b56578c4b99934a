//! `satchel serve`: from the first line printed to the signal that ends it.

use std::{pin::pin, sync::Arc, time::Duration};

use tokio::time::timeout;

use super::lifecycle::Satchel;
use satchel_config::Config;
use satchel_doors::cli::run::Exit;
use satchel_host::{descriptors, stop::Stop};
use satchel_index::memory;
use satchel_model::error::{Error, Result};
use satchel_store::dir::DataDir;

/// The time that what a start begins in the background takes, about.
const SETTLED: Duration = Duration::from_secs(2);

/// Serves until a signal ends it; starts anew where a backup was restored.
pub(super) async fn serve(mut config: Config) -> Result<Exit> {
    let mut ended = pin!(end_signal()?);
    let held = tokio::select! {
        () = &mut ended => return Ok(Exit::Done),
        held = DataDir::wait_for(&config.data) => held?,
    };
    descriptors::raise_limit();
    let mut satchel = Satchel::start_in(held, config.clone()).await?;
    announce(&satchel).await?;
    if timeout(SETTLED, &mut ended).await.is_ok() {
        satchel.stop().await;
        return Ok(Exit::Done);
    }
    // This thread has started everything: what only that needed is free, and not yet given back.
    memory::give_back();
    loop {
        satchel.services.backups.follow_schedule();
        satchel.services.jobs.follow_clock();
        let backups = Arc::clone(&satchel.services.backups);
        let is_restored = tokio::select! {
            () = &mut ended => false,
            () = backups.restored() => true,
        };
        if !is_restored {
            break;
        }
        // The same address again, also where a free port was asked for.
        config.listen = satchel.address;
        drop(backups);
        if !satchel.stop().await {
            return Err(Error::conflict(
                "The backup is restored and takes its place at the next start. Something of this one did not end in time: \
                 start Satchel again.",
            ));
        }
        satchel = Satchel::start(config.clone()).await?;
        // Where it could not take its place there is still nobody.
        announce_setup(&satchel).await?;
    }
    satchel.stop().await;
    Ok(Exit::Done)
}

/// The lines others wait for: standard output carries nothing else.
#[expect(clippy::print_stdout, reason = "these lines are what the process promises to print")]
async fn announce(satchel: &Satchel) -> Result<()> {
    let base = satchel.url.as_str().trim_end_matches('/');
    println!("satchel ready {base}");
    announce_setup(satchel).await
}

/// The link that makes the first owner, while there is none.
#[expect(clippy::print_stdout, reason = "this line is what the process promises to print")]
async fn announce_setup(satchel: &Satchel) -> Result<()> {
    let base = satchel.url.as_str().trim_end_matches('/');
    if satchel.app.stores.people.needs_owner().await? {
        let token = satchel.app.stores.people.issue_link(satchel.app.clock.now());
        println!("satchel setup {base}/setup?token={}", token.expose());
    }
    Ok(())
}

fn end_signal() -> Result<impl Future<Output = ()>> {
    let mut stop = Stop::listen()?;
    Ok(async move {
        stop.asked().await;
    })
}
