//! `satchel serve`: from the first line printed to the signal that ends it.

use std::{io::IsTerminal, pin::pin, sync::Arc, time::Duration};

use tokio::time::timeout;
use tracing_subscriber::EnvFilter;

use super::lifecycle::Satchel;
use crate::{
    config::{Config, LogFormat},
    doors::cli::run::Exit,
    host::stop::Stop,
    index::memory,
    model::error::{Error, Result},
};

/// The time that what a start begins in the background takes, about.
const SETTLED: Duration = Duration::from_secs(2);

/// Serves until a signal ends it; starts anew where a backup was restored.
pub(super) async fn serve(mut config: Config) -> Result<Exit> {
    let mut ended = pin!(end_signal()?);
    let mut satchel = Satchel::start(config.clone()).await?;
    announce(&satchel).await?;
    if timeout(SETTLED, &mut ended).await.is_ok() {
        satchel.stop().await;
        return Ok(Exit::Done);
    }
    // This thread has started everything: what only that needed is free, and not yet given back.
    memory::give_back();
    loop {
        satchel.backups.follow_schedule();
        let backups = Arc::clone(&satchel.backups);
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
        satchel.stop().await;
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
    if satchel.app.people.needs_owner().await? {
        let token = satchel.app.people.issue_link(satchel.app.clock.now());
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

/// Writes the log to standard error, as the configuration has it.
pub(super) fn log_to_stderr(config: &Config) -> Result<()> {
    let filter = EnvFilter::try_new(&config.log).map_err(|e| {
        Error::invalid(format!("'{}' is not a log filter: {e}. Try info, or satchel=debug.", config.log))
    })?;
    // At its most talkative it writes whole requests, credentials and all.
    let filter = filter.add_directive("tungstenite=info".parse().map_err(Error::internal)?);
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match config.log_format {
        LogFormat::Human => log.with_target(false).init(),
        LogFormat::Json => log.json().init(),
    }
    Ok(())
}
