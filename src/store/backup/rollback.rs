//! The way back to the last snapshot.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{
    anchors, fault,
    names::ANCHORS,
    notes::{self, Source, append},
    snapshots::{self, Snapshot},
    survey,
    write::{Scrap, sync_dir},
};
use crate::{
    dir::{self, DataDir},
    sql::{Connection, Tx},
};
use satchel_model::{
    backup::AuditHead,
    error::{Error, Result},
};

/// What databases that were gone back from are called.
const LEFT: &str = "left-";
/// Anchors of entries that were gone back from.
const LEFT_ANCHORS: &str = "anchors.left.jsonl";

/// What goes with going back: rows of people's own that were written since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The snapshot that is gone back to.
    pub snapshot: Snapshot,
    /// The schema now.
    pub schema: usize,
    /// Rows there are more now, by table.
    pub rows: Vec<(String, i64)>,
}

/// What was gone back from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The database as it was.
    pub database: PathBuf,
    /// Where anchors of entries that are gone were set aside, if there were any.
    pub anchors: Option<PathBuf>,
    /// API keys that had been revoked since the snapshot was taken, and stay so.
    pub revoked_keys: usize,
}

/// A data directory that can go back, held so that nothing runs on it meanwhile.
pub struct Rollback {
    dir: DataDir,
    loss: Loss,
    /// The last entry of the audit now.
    last: Option<AuditHead>,
    /// The last entry of the snapshot's.
    then: Option<AuditHead>,
}

impl Rollback {
    /// Looks at what going back to the last snapshot means.
    ///
    /// # Errors
    /// Where a Satchel runs there, there is no snapshot or no database, or its secrets are sealed with a key that is gone.
    pub fn open(data: &Path) -> Result<Self> {
        if !data.is_dir() {
            return Err(Error::not_found(format!("There is no data directory {}: look at --data.", data.display())));
        }
        let dir = DataDir::hold(data)?;
        let snapshot = last_whole(dir.path())?;
        let now = connect(&dir.database(), &snapshot)?;
        let before = Connection::open_copy(&snapshot.path)?;
        require_key(&now, &before)?;
        let counts = survey::row_counts(&before)?;
        let rows = survey::row_counts(&now)?.into_iter().filter_map(|(table, count)| {
            let more = count - counts.get(&table)?;
            (TOLD.contains(&table.as_str()) && more > 0).then_some((table, more))
        });
        let loss = Loss { rows: rows.collect(), schema: now.schema()?, snapshot };
        Ok(Self { last: survey::audit_head(&now)?, then: survey::audit_head(&before)?, dir, loss })
    }

    /// What going back means.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// Goes back. The database as it is stays beside the snapshots; the next start tells the audit. All sessions have ended
    /// then, and what keys were revoked since stay revoked.
    pub fn run(self) -> Result<Left> {
        let database = self.dir.database();
        // The last connection that closes writes the log back: the file alone is the whole database.
        let good = survey::keys(&*Connection::open_existing(&database)?)?;
        let revoked_keys = self.close_entries(&good)?;
        let folder = snapshots::folder(&database);
        for old in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if old.file_name().to_str().is_some_and(|name| name.starts_with(LEFT)) {
                drop(Scrap(old.path()));
            }
        }
        let left = folder.join(format!("{LEFT}schema-{}.db", self.loss.schema));
        fs::hard_link(&database, &left).map_err(|e| fault::unwritable(&left, e))?;
        let anchors = self.set_anchors_aside()?;
        fs::rename(&self.loss.snapshot.path, &database).map_err(|e| fault::unwritable(&database, e))?;
        // A log of the database that was left is none of this one; the indexes are made anew.
        for derived in ["satchel.db-wal", "satchel.db-shm", "indexes"] {
            drop(Scrap(self.dir.path().join(derived)));
        }
        let told = json!({"schema": self.loss.snapshot.schema, "from_schema": self.loss.schema, "left": self.last,
            "revoked_keys": revoked_keys});
        notes::leave(self.dir.path(), "rollback", told, Source::CommandLine)?;
        sync_dir(self.dir.path())?;
        sync_dir(&folder)?;
        Ok(Left { database: left, anchors, revoked_keys })
    }

    /// Ends what lets somebody into the snapshot, but for the keys that are good now.
    fn close_entries(&self, good: &BTreeSet<String>) -> Result<usize> {
        let c = Connection::open_existing(&self.loss.snapshot.path)?;
        survey::end_sessions(&c)?;
        let revoked = survey::revoke_others(&c, good)?;
        c.close()?;
        Ok(revoked)
    }

    /// Anchors of entries that are gone would say for ever that the audit's end was cut off.
    fn set_anchors_aside(&self) -> Result<Option<PathBuf>> {
        let data = self.dir.path();
        let (kept, later) = anchors::split(&dir::anchors(data, None)?, self.then.as_ref());
        if later.is_empty() {
            return Ok(None);
        }
        let (own, aside, fresh) = (data.join(ANCHORS), data.join(LEFT_ANCHORS), data.join("anchors.jsonl.new"));
        append(&aside, &later)?;
        drop(Scrap(fresh.clone()));
        append(&fresh, &kept)?;
        fs::rename(&fresh, &own).map_err(|e| fault::unwritable(&own, e))?;
        Ok(Some(aside))
    }
}

/// The last snapshot that is whole: one that was cut, by a kill or by the disk, is passed over.
fn last_whole(data: &Path) -> Result<Snapshot> {
    let all = snapshots::list(data);
    let number = all.len();
    let whole = all.into_iter().find(|snapshot| match snapshot.ensure_whole() {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(path = %snapshot.path.display(), %error, "this snapshot is passed over");
            false
        }
    });
    whole.ok_or_else(|| match number {
        0 => Error::not_found(
            "There is no snapshot to go back to: one is taken when a newer Satchel brings the database up to date.",
        ),
        _ => Error::conflict(format!(
            "None of the {number} snapshots in {} is whole: there is nothing to go back to. Restore a backup.",
            data.join(snapshots::FOLDER).display()
        )),
    })
}

/// The database as it is now.
fn connect(database: &Path, snapshot: &Snapshot) -> Result<Connection> {
    if !fs::metadata(database).is_ok_and(|found| found.is_file() && found.len() > 0) {
        let (place, path) = (database.display(), snapshot.path.display());
        return Err(Error::not_found(format!(
            "There is no database {place} to go back from: copy {path} there, and start the version that wrote it."
        )));
    }
    Connection::open_existing(database)
}

/// Tables whose rows a person misses.
const TOLD: [&str; 8] =
    ["audit", "users", "conversations", "messages", "memories", "documents", "script_versions", "processes"];

/// Fails where the vault's key was changed since: the snapshot's secrets could not be opened.
fn require_key(now: &Tx, then: &Tx) -> Result<()> {
    let (now, then) = (survey::vault_key_id(now)?, survey::vault_key_id(then)?);
    match (now, then) {
        (Some(now), Some(then)) if now != then => Err(Error::conflict(format!(
            "The vault's key was changed since the snapshot was taken: its secrets are sealed with the key {then}, this one \
             is {now}. Put the old key back first, or restore a backup."
        ))),
        _ => Ok(()),
    }
}
