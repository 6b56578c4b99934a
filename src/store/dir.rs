//! The data directory: made private, held by one process at a time.
#![expect(clippy::disallowed_methods, reason = "the data directory is this module's own; user files are host's")]

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError},
    io::Write,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use tokio::time::sleep;
use url::Url;

use satchel_model::{
    error::{Error, Result},
    secret::Secret,
};

/// The time for which a server waits for a directory that is held. One that was killed holds it until its children are gone: a moment, on a
/// busy machine some more.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// A data directory this process holds; dropping it lets it go.
pub struct DataDir {
    path: PathBuf,
    _lock: File,
}

/// Where the process that holds a data directory can be reached, and what shows it that one may read this.
pub struct Running {
    /// Its address.
    pub url: Url,
    /// Accepted as the command line of this machine.
    pub token: Secret,
}

/// Lets only its owner into a directory that was there before: the files in it rely on that.
fn close_to_others(path: &Path) {
    let closed = fs::metadata(path).and_then(|found| match found.permissions().mode() & 0o077 {
        0 => Ok(()),
        _ => fs::set_permissions(path, Permissions::from_mode(0o700)),
    });
    if let Err(error) = closed {
        tracing::warn!(path = %path.display(), %error, "other users of this machine may read the data directory");
    }
}

#[derive(Serialize, Deserialize)]
struct RunFile {
    url: Url,
    token: String,
}

impl DataDir {
    /// As [`Self::hold`], but waits a few seconds for a process that is about to end.
    ///
    /// # Errors
    /// As [`Self::hold`].
    pub async fn wait_for(path: &Path) -> Result<Self> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match Self::take(path)? {
                Some(held) => return Ok(held),
                None if Instant::now() < deadline => sleep(PAUSE).await,
                None => return Err(in_use(path)),
            }
        }
    }

    /// Makes the directory where it is missing (only its owner may enter) and takes it.
    ///
    /// # Errors
    /// [`Conflict`](satchel_model::error::Kind::Conflict) while another process holds it, and where it cannot be used.
    pub fn hold(path: &Path) -> Result<Self> {
        Self::take(path)?.ok_or_else(|| in_use(path))
    }

    /// Takes it; `None` while another process holds it.
    fn take(path: &Path) -> Result<Option<Self>> {
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|e| unusable(path, e))?;
        let path = fs::canonicalize(path).map_err(|e| unusable(path, e))?;
        close_to_others(&path);
        let name = path.join(LOCK);
        let lock = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(&name)
            .map_err(|e| not_lockable(&path, e))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(unusable(&path, error)),
        }
        let held = lock.metadata().map_err(|e| unusable(&path, e))?;
        // A lock on a file that was removed or replaced meanwhile keeps nobody out.
        match fs::symlink_metadata(&name) {
            Ok(found) if (found.dev(), found.ino()) == (held.dev(), held.ino()) => Ok(Some(Self { path, _lock: lock })),
            _ => Ok(None),
        }
    }

    /// The directory, absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        database(&self.path)
    }

    /// Tells other processes of the same owner where this one can be reached.
    pub fn publish(&self, running: &Running) -> Result<()> {
        let file = RunFile { url: running.url.clone(), token: running.token.expose().to_owned() };
        let text = serde_json::to_string(&file).map_err(Error::internal)?;
        let path = self.path.join(RUN_FILE);
        let fresh = self.path.join("run.json.new");
        let mut out = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .mode(0o600)
            .open(&fresh)
            .map_err(|e| unusable(&self.path, e))?;
        let kept = out.write_all(text.as_bytes()).and_then(|()| fs::rename(&fresh, &path));
        kept.map_err(|e| unusable(&self.path, e))
    }
}

impl Drop for DataDir {
    fn drop(&mut self) {
        // Nobody answers at that address any more; where the file cannot go, the next start replaces it.
        let _ = fs::remove_file(self.path.join(RUN_FILE));
    }
}

const RUN_FILE: &str = "run.json";
/// Held by the process that uses the directory.
pub(super) const LOCK: &str = "lock";

/// The process that serves a data directory.
pub fn running(dir: &Path) -> Result<Running> {
    let silent = || {
        Error::conflict(format!(
            "{} is in use by a Satchel that is only starting, or ending. Try again.",
            dir.display()
        ))
    };
    let text = fs::read_to_string(dir.join(RUN_FILE)).map_err(|e| silent().caused_by(e))?;
    let file: RunFile = serde_json::from_str(&text).map_err(|e| silent().caused_by(e))?;
    Ok(Running { url: file.url, token: Secret::new(file.token) })
}

/// `satchel.toml` of a data directory, where there is one.
pub fn config_file(dir: &Path) -> Result<Option<String>> {
    match fs::read_to_string(dir.join("satchel.toml")) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unusable(dir, error)),
    }
}

/// Anchors of the audit: the file given, else the data directory's own.
pub fn anchors(dir: &Path, given: Option<&Path>) -> Result<String> {
    let own = dir.join(ANCHORS);
    match fs::read_to_string(given.unwrap_or(&own)) {
        Ok(text) => Ok(text),
        Err(error) if given.is_none() && error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(Error::invalid(format!("{} cannot be read: {error}.", given.unwrap_or(&own).display()))),
    }
}

/// Keeps an anchor, one JSON line, in the data directory's own file.
pub fn keep_anchor(dir: &Path, line: &str) -> Result<()> {
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(dir.join(ANCHORS));
    file.and_then(|mut file| writeln!(file, "{line}")).map_err(|e| unusable(dir, e))
}

const ANCHORS: &str = "anchors.jsonl";

/// Fails where others may enter the data directory.
pub fn require_private(path: &Path) -> Result<()> {
    let about = fs::metadata(path).map_err(|e| unusable(path, e))?;
    let mode = about.permissions().mode() & 0o777;
    if about.uid() != rustix::process::geteuid().as_raw() {
        return Err(Error::conflict(format!(
            "The data directory {} belongs to another user of this machine (number {}), who reads everything in it.",
            path.display(),
            about.uid()
        )));
    }
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(Error::conflict(format!("Others may enter the data directory {} (mode {mode:o}).", path.display())))
}

/// Bytes that can still be written where the data directory lies.
pub fn free_bytes(path: &Path) -> Result<u64> {
    let found = rustix::fs::statvfs(path).map_err(|e| unusable(path, e.into()))?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

/// The database file of a data directory.
pub fn database(dir: &Path) -> PathBuf {
    dir.join("satchel.db")
}

fn not_lockable(path: &Path, error: std::io::Error) -> Error {
    if error.raw_os_error() != Some(libc::ELOOP) {
        return unusable(path, error);
    }
    let place = path.join(LOCK);
    Error::conflict(format!("{} is a symbolic link, which Satchel never makes: remove it.", place.display()))
}

fn in_use(path: &Path) -> Error {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    Error::conflict(format!(
        "Another Satchel is using the data directory {}. Stop it, or choose another with --data.",
        path.display()
    ))
}

fn unusable(path: &Path, error: std::io::Error) -> Error {
    Error::conflict(format!("The data directory {} cannot be used: {error}.", path.display())).caused_by(error)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn a_directory_is_held_by_one_at_a_time() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a/b");
        let held = DataDir::hold(&path).unwrap();
        let Err(error) = DataDir::hold(&path) else { panic!("held twice") };
        assert!(error.message().starts_with("Another Satchel is using"), "{error}");
        drop(held);
        DataDir::hold(&path).unwrap();
    }

    #[tokio::test]
    async fn a_server_waits_for_one_that_is_about_to_end() {
        let temp = tempfile::tempdir().unwrap();
        let held = DataDir::hold(temp.path()).unwrap();
        let mut waiting = Box::pin(DataDir::wait_for(temp.path()));
        assert!((&mut waiting).now_or_never().is_none());
        drop(held);
        waiting.await.unwrap();
    }

    #[test]
    fn a_lock_that_is_a_link_is_not_followed() {
        let temp = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(temp.path().join("elsewhere"), temp.path().join(LOCK)).unwrap();
        let Err(error) = DataDir::hold(temp.path()) else { panic!("followed") };
        assert!(error.message().contains("is a symbolic link"), "{error}");
        assert!(!temp.path().join("elsewhere").exists());
    }

    #[test]
    fn only_its_owner_may_enter() {
        let temp = tempfile::tempdir().unwrap();
        let open = temp.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, Permissions::from_mode(0o755)).unwrap();
        for path in [temp.path().join("d"), open] {
            let held = DataDir::hold(&path).unwrap();
            assert_eq!(fs::metadata(held.path()).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }
}
