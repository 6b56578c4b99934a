//! `satchel backup verify`: a drill that needs no server and leaves nothing.

use std::{
    fs::{DirBuilder, Metadata},
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    pin::pin,
    time::Duration,
};

use rustix::process::geteuid;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{args::VerifyArgs, backup::opener, progress::with_progress, run::Exit, screen::Screen};
use satchel_host::{clock::Clock, stop::Stop};
use satchel_model::{
    backup::Drill,
    error::{Error, Result},
};
use satchel_services::backups::drill::Verification;
use satchel_store::{
    backup::{drill::place_beside, watch::Watch},
    dir::DataDir,
};

/// The number of times its place is cleared.
const CLEARINGS: usize = 5;
/// The time a drill that is stopped has to come to its own end.
const FAREWELL: Duration = Duration::from_secs(2);

/// Verifies a backup. Needs no server and changes nothing.
pub async fn verify(args: VerifyArgs, data: &Path, json: bool) -> Result<Exit> {
    let opener = opener(&args.opener, &args.file, data)?;
    // Before there is anything that must not stay.
    let (mut stop, stopped) = (Stop::listen()?, CancellationToken::new());
    let (place, _held) = workplace(data)?;
    let work = place.join("copy");
    let (screen, watch) = (Screen::new(json), Watch::new(stopped.clone()));
    let seen = watch.clone();
    let verification = Verification { file: args.file.clone(), opener, work, clock: Clock::new(), watch };
    let ended = {
        let mut run = pin!(verification.run());
        tokio::select! {
            drill = with_progress(&mut run, &seen, &screen) => Ok(drill),
            asked = stop.asked() => {
                stopped.cancel();
                // What does not stop by itself has the copy removed under it.
                let _ = timeout(FAREWELL, &mut run).await;
                Err(asked)
            }
        }
    };
    let cleared = clear(&place);
    let drill = match ended {
        Ok(drill) => drill?,
        Err(asked) => {
            let ending = match cleared {
                true => "It was stopped in the middle, and nothing of the copy is left.".to_owned(),
                false => format!("It was stopped in the middle. Remove what is left of the copy: {}", place.display()),
            };
            screen.beside(&[ending])?;
            return Ok(Exit::Stopped(asked));
        }
    };
    let value = serde_json::to_value(&drill).map_err(Error::internal)?;
    screen.show(&value, |_| report(&args.file, &drill))?;
    Ok(if drill.ok { Exit::Done } else { Exit::Failed })
}

fn report(file: &Path, drill: &Drill) -> String {
    let mut lines: Vec<String> = drill.steps.iter().map(|step| format!("ok   {step}")).collect();
    lines.push(match &drill.problem {
        None => format!("{} can be relied on.", file.display()),
        Some(problem) => format!("bad  {problem}"),
    });
    lines.join("\n")
}

/// A directory of our own beside the data, else where temporary files go.
fn workplace(data: &Path) -> Result<(PathBuf, DataDir)> {
    let place = match data.is_dir() {
        true => place_beside(data),
        false => new_temporary()?,
    };
    let held = DataDir::hold(&place)?;
    clear(&place.join("copy"));
    Ok((place, held))
}

/// The age from which a drill among temporary files can be one that was killed.
const ABANDONED: Duration = Duration::from_secs(60);
/// The beginning of the names of drills among temporary files.
const TEMPORARY: &str = "satchel-drill-";

/// A new directory that is ours alone, under a name nobody can have prepared.
fn new_temporary() -> Result<PathBuf> {
    let all = std::env::temp_dir();
    clear_abandoned(&all);
    let place = all.join(format!("{TEMPORARY}{}", uuid::Uuid::new_v4()));
    DirBuilder::new().mode(0o700).create(&place).map_err(|error| {
        let told =
            format!("{} cannot be made: {error}. Set TMPDIR to a directory that can be written.", place.display());
        Error::conflict(told).caused_by(error)
    })?;
    Ok(place)
}

/// Removes what drills left that were killed: directories of ours alone that no process holds.
fn clear_abandoned(all: &Path) {
    let ours = |found: &Metadata| {
        let old = found.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > ABANDONED));
        // One that was just made is not held yet.
        found.is_dir() && found.uid() == geteuid().as_raw() && found.mode() & 0o077 == 0 && old
    };
    for entry in std::fs::read_dir(all).into_iter().flatten().flatten() {
        let named = entry.file_name().to_string_lossy().starts_with(TEMPORARY);
        if named && entry.metadata().is_ok_and(|found| ours(&found)) && DataDir::hold(&entry.path()).is_ok() {
            clear(&entry.path());
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "removes the drill's own directory")]
fn clear(place: &Path) -> bool {
    // Something may still write into it that ends with the process.
    (0..CLEARINGS).any(|_| std::fs::remove_dir_all(place).is_ok() || !place.exists())
}
