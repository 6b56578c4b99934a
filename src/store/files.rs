//! The file storage: contents under their hash, for the owner of the process only.
#![expect(clippy::disallowed_methods, reason = "the storage lies in the data directory, which is this layer's own")]

use std::{
    collections::{HashMap, HashSet},
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tokio::{fs::OpenOptions, io::AsyncWriteExt};
use uuid::Uuid;

use satchel_model::error::{Error, Kind, Result};

/// The storage of one data directory. Cheap to clone.
#[derive(Clone)]
pub struct Files {
    root: PathBuf,
    held: Arc<Mutex<Held>>,
}

/// Contents that have their name and may not be named by a row yet: nobody removes what is about to be used.
#[derive(Default)]
struct Held {
    by_hash: HashMap<String, usize>,
    /// The number of times anything was held so far.
    times: u64,
}

/// A content that is in the storage. It stays there while this lives, whether a row names it or not.
pub struct Stored {
    /// SHA-256 of the content, hexadecimal: its name.
    pub hash: String,
    /// Its size.
    pub bytes: u64,
    files: Files,
}

impl Drop for Stored {
    fn drop(&mut self) {
        let mut held = self.files.held.lock();
        if let Some(count) = held.by_hash.get_mut(&self.hash) {
            *count -= 1;
            if *count == 0 {
                held.by_hash.remove(&self.hash);
            }
        }
    }
}

impl Files {
    /// The storage of this data directory.
    pub fn new(data_dir: &Path) -> Self {
        Self { root: data_dir.join("files"), held: Arc::default() }
    }

    /// Begins a content of at most `limit` bytes.
    pub async fn receive(&self, limit: u64) -> Result<Incoming> {
        let path = self.root.join("new").join(Uuid::now_v7().to_string());
        make_private(path.parent().unwrap_or(&self.root))?;
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).await.map_err(fault)?;
        Ok(Incoming { files: self.clone(), path, file, hasher: Sha256::new(), bytes: 0, limit })
    }

    /// Keeps a content that is in memory.
    pub async fn put(&self, bytes: &[u8]) -> Result<Stored> {
        let mut incoming = self.receive(u64::MAX).await?;
        incoming.write(bytes).await?;
        incoming.finish().await
    }

    /// A content to be read in pieces. Blocks.
    pub fn open(&self, hash: &str) -> Result<fs::File> {
        fs::File::open(self.path(hash)?).map_err(fault)
    }

    /// A content to be read in pieces, without blocking.
    pub async fn stream(&self, hash: &str) -> Result<tokio::fs::File> {
        tokio::fs::File::open(self.path(hash)?).await.map_err(fault)
    }

    /// Removes a content if `is_used` says no, with no chance for anybody to begin using it in between.
    pub async fn remove_unless<F>(&self, hash: &str, is_used: impl Fn() -> F) -> Result<()>
    where
        F: Future<Output = Result<bool>>,
    {
        let path = self.path(hash)?;
        loop {
            let before = self.held.lock().times;
            if is_used().await? {
                return Ok(());
            }
            let held = self.held.lock();
            if held.by_hash.contains_key(hash) {
                return Ok(());
            }
            if held.times == before {
                return match fs::remove_file(path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => Err(fault(error)),
                    _ => Ok(()),
                };
            }
        }
    }

    fn hold(&self, hash: &str) {
        let mut held = self.held.lock();
        held.times += 1;
        *held.by_hash.entry(hash.to_owned()).or_default() += 1;
    }

    /// Removes what the last process left unfinished, and every content that `used` does not name. For the start,
    /// before anything is received.
    pub fn sweep(&self, used: &HashSet<String>) -> Result<usize> {
        let _ = fs::remove_dir_all(self.root.join("new"));
        let mut removed = 0;
        for group in entries(&self.root)? {
            for path in entries(&group)? {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                if !used.contains(name) {
                    fs::remove_file(&path).map_err(fault)?;
                    removed += 1;
                }
            }
        }
        Ok(removed)
    }

    /// Names are hashes: nothing else becomes a path.
    fn path(&self, hash: &str) -> Result<PathBuf> {
        let group = hash.get(..2).filter(|_| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let group = group.ok_or_else(|| Error::internal(format!("'{hash}' names no file")))?;
        Ok(self.root.join(group).join(hash))
    }
}

/// A content on its way in; dropped before it is finished, it was never there.
pub struct Incoming {
    files: Files,
    path: PathBuf,
    file: tokio::fs::File,
    hasher: Sha256,
    bytes: u64,
    limit: u64,
}

impl Incoming {
    /// Adds a piece. Fails beyond the limit.
    pub async fn write(&mut self, piece: &[u8]) -> Result<()> {
        self.bytes += piece.len() as u64;
        if self.bytes > self.limit {
            return Err(too_large(self.limit));
        }
        self.hasher.update(piece);
        self.file.write_all(piece).await.map_err(fault)
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Flushes it to the disk and gives it its name.
    pub async fn finish(mut self) -> Result<Stored> {
        self.file.flush().await.map_err(fault)?;
        self.file.sync_data().await.map_err(fault)?;
        let hash = hex::encode(std::mem::take(&mut self.hasher).finalize());
        let place = self.files.path(&hash)?;
        make_private(place.parent().unwrap_or(&self.files.root))?;
        self.files.hold(&hash);
        let stored = Stored { hash, bytes: self.bytes, files: self.files.clone() };
        tokio::fs::rename(&self.path, &place).await.map_err(fault)?;
        Ok(stored)
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // After `finish` there is nothing under this name; what stays is swept at the next start.
        let _ = fs::remove_file(&self.path);
    }
}

/// The error for a file beyond the limit.
pub fn too_large(limit: u64) -> Error {
    Error::invalid(format!(
        "The file is larger than {} MB. Split it, or have an administrator raise knowledge.max_file_mb.",
        limit >> 20
    ))
    .with_details(serde_json::json!({ "limit_bytes": limit }))
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    match fs::read_dir(directory) {
        Ok(entries) => entries.map(|entry| Ok(entry.map_err(fault)?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(fault(error)),
    }
}

fn make_private(directory: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(fault)
}

fn fault(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::new(
            Kind::DiskFull,
            "The disk with the data directory is full: the file was not kept. Free some space and try again.",
        )
        .caused_by(error),
        io::ErrorKind::NotFound => {
            Error::not_found("The document's file is gone from the storage. Send it again.").caused_by(error)
        }
        _ => Error::internal(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn files() -> (tempfile::TempDir, Files) {
        let dir = tempfile::tempdir().unwrap();
        let files = Files::new(dir.path());
        (dir, files)
    }

    #[tokio::test]
    async fn a_content_is_kept_once_under_its_hash_for_its_owner_only() {
        let (dir, files) = files();
        let (first, second) = (files.put(b"hello").await.unwrap(), files.put(b"hello").await.unwrap());
        assert_eq!(first.hash, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
        assert_eq!((&second.hash, second.bytes), (&first.hash, 5));
        assert_eq!(io::read_to_string(files.open(&first.hash).unwrap()).unwrap(), "hello");
        let path = dir.path().join("files/2c").join(&first.hash);
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(dir.path().join("files/new")).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn beyond_the_limit_nothing_stays() {
        let (dir, files) = files();
        let mut incoming = files.receive(4).await.unwrap();
        incoming.write(b"123").await.unwrap();
        assert_eq!(incoming.write(b"45").await.unwrap_err().kind(), Kind::Invalid);
        drop(incoming);
        assert_eq!(fs::read_dir(dir.path().join("files/new")).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn what_is_used_is_not_removed_and_the_rest_is_swept() {
        let (_dir, files) = files();
        let stored = [files.put(b"a").await.unwrap(), files.put(b"b").await.unwrap()];
        let hashes = stored.each_ref().map(|stored| stored.hash.clone());
        files.remove_unless(&hashes[1], async || Ok(false)).await.unwrap();
        assert!(files.open(&hashes[1]).is_ok(), "somebody is about to name it");
        drop(stored);
        files.remove_unless(&hashes[0], async || Ok(true)).await.unwrap();
        files.remove_unless(&hashes[1], async || Ok(false)).await.unwrap();
        assert!(files.open(&hashes[0]).is_ok());
        assert_eq!(files.open(&hashes[1]).unwrap_err().kind(), Kind::NotFound);
        assert_eq!(files.sweep(&HashSet::new()).unwrap(), 1);
        assert!(files.open("../../etc/passwd").is_err());
    }
}
