//! The doctor's checks without a server: the machine, the data directory, and what lies in it.

use std::path::Path;

use serde::Serialize;

use satchel_host::{
    clock::Clock,
    sandbox::{Level, Part, Sandbox},
    workers::Workers,
};
use satchel_model::{
    error::{Error, Kind, Result},
    figure::bytes,
};
use satchel_services::scripts::try_out;
use satchel_store::{
    db::{Commit, Db},
    dir, health,
};

/// With fewer bytes free a disk is as good as full: the database's log alone may take as much.
const LEAST_FREE: u64 = 100 << 20;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(super) struct Check {
    /// The check's name: `database`, `vault`, …
    name: String,
    /// `true` if it is as it should be.
    ok: bool,
    /// The finding.
    message: String,
    /// The remedy, where it is not.
    fix: Option<String>,
}

/// Makes the check of a thing from what was found, and from what to do where that is an error.
pub(super) fn check(name: impl Into<String>, found: Result<String>, fix: impl FnOnce(&Error) -> String) -> Check {
    match found {
        Ok(message) => Check { name: name.into(), ok: true, message, fix: None },
        Err(error) => {
            Check { name: name.into(), ok: false, fix: Some(fix(&error)), message: error.message().to_owned() }
        }
    }
}

/// Returns the checks that can be made where no server starts, and why none does.
pub(super) async fn without_server(data: &Path, confined: &Sandbox, workers: &Workers, why: Error) -> Vec<Check> {
    let mut checks =
        vec![directory(data), disk(data), stored(data).await, scripts(workers).await, sandbox(confined).await];
    if checks.iter().all(|check| check.message != why.message()) {
        let fix = "Mend what this names, then ask the doctor again: the rest is looked at once Satchel starts.";
        checks.push(check("start", Err(why), |_| fix.to_owned()));
    }
    checks
}

/// Only its owner may enter the data directory.
pub(super) fn directory(data: &Path) -> Check {
    let found = dir::require_private(data).map(|()| "Only its owner may enter.".to_owned());
    check("data directory", found, |error| match error.message().contains("belongs to another") {
        true => format!("Start Satchel as that user, or run: chown -R \"$(id -u)\" {}", data.display()),
        false => format!("Run: chmod 700 {}", data.display()),
    })
}

/// There is room for what will be written.
pub(super) fn disk(data: &Path) -> Check {
    let found = dir::free_bytes(data).and_then(enough);
    check("disk", found, |_| "Free some space, or move the data directory to a larger disk.".to_owned())
}

fn enough(free: u64) -> Result<String> {
    let told = format!("{} are free on the disk with the data directory", bytes(free));
    match free {
        LEAST_FREE.. => Ok(format!("{told}.")),
        _ => Err(Error::new(Kind::DiskFull, format!("Only {told}: soon nothing more can be written."))),
    }
}

/// Every page and index of the database reads.
pub(super) async fn database(db: &Db) -> Check {
    readable(health::examine(db).await.map(|report| report.to_string()))
}

/// The database of a data directory nobody holds.
async fn stored(data: &Path) -> Check {
    let file = dir::database(data);
    if !file.is_file() {
        return readable(Err(Error::not_found(format!("There is no database {}.", file.display()))));
    }
    match Db::open(&file, Commit::Grouped) {
        Ok(db) => database(&db).await,
        Err(error) => readable(Err(error)),
    }
}

fn readable(found: Result<String>) -> Check {
    check("database", found, |error| match error.kind() {
        Kind::DiskFull => "Free some space and try again.".to_owned(),
        _ => "Stop Satchel and restore the last backup.".to_owned(),
    })
}

/// A script runs, in a worker of its own.
pub(super) async fn scripts(workers: &Workers) -> Check {
    let found = try_out(workers, Clock::new().now()).await;
    check("scripts", found.map(|()| "A script ran in a confined worker.".to_owned()), |_| {
        "The worker's own words are in the log. Allow what they name (in a container, start it with --security-opt \
         seccomp=unconfined), free some memory where it was killed, or install another version of Satchel."
            .to_owned()
    })
}

/// Returns how commands are confined, and what this machine's kernel lacks for more.
pub(super) async fn sandbox(sandbox: &Sandbox) -> Check {
    let found = sandbox.capabilities().await;
    let missing: Vec<String> = found.missing.iter().map(|(part, why)| format!("{part} ({why})")).collect();
    let missing = missing.join(", ");
    let said = match found.level {
        Level::Full => Ok("Commands can be confined fully.".to_owned()),
        Level::Reduced => Err(format!("Commands are confined, but these parts are missing: {missing}.")),
        Level::Off => Err(format!("No command can run here, because these parts are missing: {missing}.")),
    };
    let mut fixes: Vec<&str> = Vec::new();
    for (part, _) in &found.missing {
        let fix = enable(*part);
        if !fixes.contains(&fix) {
            fixes.push(fix);
        }
    }
    check("sandbox", said.map_err(Error::conflict), |_| fixes.join(" "))
}

/// Returns what a machine needs for a part.
fn enable(part: Part) -> &'static str {
    match part {
        Part::Landlock => "Landlock: a kernel of 5.13 or later, with landlock among `lsm=` of its command line.",
        Part::Seccomp => "seccomp: a kernel with CONFIG_SECCOMP_FILTER.",
        Part::Proc => "An own /proc: in a container, start it with --security-opt systempaths=unconfined.",
        _ => {
            "Namespaces: allow them to users with sysctl kernel.unprivileged_userns_clone=1 and \
             kernel.apparmor_restrict_unprivileged_userns=0; in a container, start it with --security-opt \
             seccomp=unconfined."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_with_little_room_is_told_of_before_it_is_full() {
        assert_eq!(enough(LEAST_FREE).unwrap(), "100 MB are free on the disk with the data directory.");
        let told = enough(LEAST_FREE / 2).unwrap_err().message().to_owned();
        assert_eq!(told, "Only 50 MB are free on the disk with the data directory: soon nothing more can be written.");
        assert!(dir::free_bytes(tempfile::tempdir().unwrap().path()).unwrap() > 0);
    }

    #[tokio::test]
    async fn what_keeps_a_server_from_starting_is_one_finding_among_others() {
        let data = tempfile::tempdir().unwrap();
        let confined = Sandbox::new(data.path().join("no-program"), data.path());
        let workers = Workers::new(data.path().join("no-program"));
        let names = |checks: Vec<Check>| checks.into_iter().map(|check| (check.name, check.ok)).collect::<Vec<_>>();
        let why = || Error::conflict("The key file is missing.");
        let found = names(without_server(data.path(), &confined, &workers, why()).await);
        assert!(found.contains(&("database".to_owned(), false)), "{found:?}");
        assert!(found.contains(&("scripts".to_owned(), false)), "{found:?}");
        assert!(!dir::database(data.path()).exists(), "looking makes nothing");
        drop(Db::open(&dir::database(data.path()), Commit::Grouped).unwrap());
        let found = names(without_server(data.path(), &confined, &workers, why()).await);
        assert!(found.contains(&("database".to_owned(), true)), "{found:?}");
        assert_eq!(found.last(), Some(&("start".to_owned(), false)));
    }
}
