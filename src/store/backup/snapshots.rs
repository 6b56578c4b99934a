//! Snapshots: the database as it was before its schema was brought up to date.

use std::{
    collections::BTreeSet,
    fs::{self, DirBuilder},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use chrono::{Duration, NaiveDateTime};

use super::{
    copy::copy,
    fault,
    watch::Watch,
    write::{Scrap, sync_dir},
};
use crate::{
    dir,
    sql::{Connection, Depth},
};
use satchel_model::{
    error::{Error, Kind, Result},
    time::Time,
};

/// Where they lie, below the data directory.
pub(super) const FOLDER: &str = "snapshots";
/// What the name of one that is being taken ends with.
const PART: &str = ".part";
/// The time in their names: they sort by it.
const STAMP: &str = "%Y%m%dT%H%M%S%.3fZ";
/// How many are kept.
const KEPT: usize = 3;
/// Room that must stay beside a snapshot: the new schema needs some, too.
const SPARE: u64 = 8 << 20;

/// A snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub(super) path: PathBuf,
    /// The time in its name.
    stamp: NaiveDateTime,
    /// The number of its last migration.
    pub schema: usize,
    /// When it was taken.
    pub taken_at: Time,
}

impl Snapshot {
    /// Fails where it is not the whole database it was taken of.
    pub(super) fn ensure_whole(&self) -> Result<()> {
        let damaged = |why: &str| Error::conflict(format!("{} is damaged: {why}.", self.path.display()));
        let copy = Connection::open_copy(&self.path)?;
        if copy.schema()? != self.schema {
            return Err(damaged("its schema is not the one its name says"));
        }
        copy.damage(Depth::Pages)?.map_or(Ok(()), |why| Err(damaged(&why)))
    }
}

/// Takes a snapshot of a database that has this schema and is about to get the newest. Keeps the last few, one of each
/// schema: a migration that fails at every start makes no more of them.
///
/// # Errors
/// Where there is no room for it: then nothing was changed, and nothing may be.
pub fn take(database: &Path, schema: usize) -> Result<()> {
    let folder = folder(database);
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(|e| fault::unwritable(&folder, e))?;
    let c = Connection::open_read_only(database)?;
    let now: String = c.one("SELECT strftime('%Y%m%dT%H%M%fZ', 'now')", ())?;
    let now = NaiveDateTime::parse_from_str(&now, STAMP).map_err(Error::internal)?;
    // The last one is that which is gone back to: it must be this one, also where the clock was put back.
    let stamp = match list_in(&folder).first() {
        Some(last) if last.stamp >= now => last.stamp + Duration::milliseconds(1),
        _ => now,
    };
    let (page, pages, _) = c.pages()?;
    drop(c);
    let (needed, free) = (page * pages + SPARE, dir::free_bytes(&folder)?);
    if free < needed {
        return Err(untaken(fault::no_room(&folder, needed, free)));
    }
    let target = folder.join(format!("{}-schema-{schema}.db", stamp.format(STAMP)));
    sweep(&folder);
    let part = target.with_extension(format!("db{PART}"));
    copy(database, &part, &Watch::default(), |_| Ok(())).map_err(untaken)?;
    // Only what is whole has the name of a snapshot.
    fs::rename(&part, &target).map_err(|e| fault::unwritable(&target, e))?;
    sync_dir(&folder)?;
    let mut kept = BTreeSet::from([schema]);
    for old in list_in(&folder).into_iter().filter(|old| old.path != target) {
        if !kept.insert(old.schema) || kept.len() > KEPT {
            drop(Scrap(old.path));
        }
    }
    Ok(())
}

/// Removes what was cut while it was taken.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().ends_with(PART) {
            drop(Scrap(entry.path()));
        }
    }
}

fn untaken(error: Error) -> Error {
    if error.kind() != Kind::DiskFull {
        return error;
    }
    let told = "There is no room for the snapshot that is taken before the database is brought up to date, so nothing was \
                changed. Free some space and start again, or start the earlier version.";
    Error::new(Kind::DiskFull, format!("{told} ({})", error.message().trim_end_matches('.'))).caused_by(error)
}

pub(super) fn folder(database: &Path) -> PathBuf {
    database.parent().unwrap_or(Path::new("")).join(FOLDER)
}

/// The snapshots of a data directory, the latest first.
pub fn list(data: &Path) -> Vec<Snapshot> {
    list_in(&data.join(FOLDER))
}

fn list_in(folder: &Path) -> Vec<Snapshot> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<Snapshot> = entries.filter_map(|entry| snapshot(entry.path())).collect();
    found.sort_by(|a, b| b.path.cmp(&a.path));
    found
}

/// One of ours: what somebody else put there is none, whatever its name says of a schema.
fn snapshot(path: PathBuf) -> Option<Snapshot> {
    let (stamp, schema) = path.file_name()?.to_str()?.strip_suffix(".db")?.split_once("-schema-")?;
    let named = NaiveDateTime::parse_from_str(stamp, STAMP).ok()?;
    if named.format(STAMP).to_string() != stamp || !schema.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let schema = schema.parse().ok()?;
    let found = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let modified = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let taken_at = Time::from_millis(i64::try_from(modified.as_millis()).ok()?);
    Some(Snapshot { path, stamp: named, schema, taken_at })
}
