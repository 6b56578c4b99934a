//! Folders of this machine whose files are documents.

use std::collections::HashMap;

use rusqlite::{Connection, Row, params};
use serde_json::json;

use super::{
    collections,
    db::Db,
    documents::{self, NewDocument},
    people::Actor,
    purge,
    rows::{all, first, optional_time, parsed, run, time},
};
use crate::model::{
    error::{Error, Result},
    knowledge::{CollectionId, Folder, FolderId, SourceKind, fitted_title},
    time::Time,
};

/// The folders of one database. Cheap to clone.
#[derive(Clone)]
pub struct Folders {
    db: Db,
}

/// A file as it lies in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its absolute path.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Tells one state of it from the next: when it was changed, and its size.
    pub stamp: i64,
}

/// What a look at a folder changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files that were not there before.
    pub added: usize,
    /// Files with another content.
    pub changed: usize,
    /// Files that are gone.
    pub removed: usize,
}

const COLUMNS: &str = "f.id, f.path, k.id, f.watch,
   (SELECT count(*) FROM documents d WHERE d.folder = f.number AND d.deleted_at IS NULL),
   f.scanned_at, f.reason, f.created_at";

impl Folders {
    /// The folders of this database.
    pub fn of(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// All, by path.
    pub async fn list(&self) -> Result<Vec<Folder>> {
        let sql =
            format!("SELECT {COLUMNS} FROM folders f JOIN collections k ON k.number = f.collection ORDER BY f.path");
        self.db.read(move |c| all(c, &sql, [], read)).await
    }

    /// Adds one, which nobody has looked into yet.
    pub(super) async fn add(
        &self,
        by: &Actor,
        path: String,
        collection: Option<CollectionId>,
        watch: bool,
    ) -> Result<Folder> {
        let by = by.clone();
        self.db
            .write(move |c| {
                let collection = collections::number(c, by.caller.reader(), collection)?;
                if first(c, "SELECT 1 FROM folders WHERE path = ?1", [&path], |_| Ok(()))?.is_some() {
                    return Err(Error::conflict(format!("The folder '{path}' is there already.")));
                }
                let id = FolderId::new();
                run(
                    c,
                    "INSERT INTO folders (id, path, collection, watch, added_by, created_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![id.to_string(), path, collection, watch, by.caller.user.to_string(), by.now.millis()],
                )?;
                by.record(c, "folder.add", json!({"id": id, "path": path, "watch": watch}))?;
                whole(c, id)
            })
            .await
    }

    /// Removes one with its documents, for good. Gives the hashes of files that may no longer be needed.
    pub(super) async fn delete(&self, by: &Actor, id: FolderId) -> Result<Vec<String>> {
        let by = by.clone();
        self.db
            .purge(move |c| {
                let folder = whole(c, id)?;
                let of_folder = "folder = (SELECT number FROM folders WHERE id = ?1)";
                let documents = purge::documents(c, of_folder, [id.to_string()])?;
                run(c, "DELETE FROM folders WHERE id = ?1", [id.to_string()])?;
                by.record(c, "folder.delete", json!({"id": id, "path": folder.path}))?;
                Ok(documents)
            })
            .await
    }

    /// Makes the folder's documents what lies in it now.
    pub async fn scanned(&self, id: FolderId, seen: Vec<Seen>, now: Time) -> Result<Changes> {
        self.db.write(move |c| scanned(c, id, &seen, now)).await
    }

    /// Writes down why a folder could not be looked through.
    pub async fn unreadable(&self, id: FolderId, reason: String, now: Time) -> Result<()> {
        let sql = "UPDATE folders SET reason = ?2, scanned_at = ?3 WHERE id = ?1";
        self.db.write(move |c| run(c, sql, (id.to_string(), reason, now.millis())).map(drop)).await
    }
}

fn scanned(c: &Connection, id: FolderId, seen: &[Seen], now: Time) -> Result<Changes> {
    let sql = "SELECT number, collection, added_by FROM folders WHERE id = ?1";
    let found = first(c, sql, [id.to_string()], |row| {
        let by: Option<String> = row.get(2)?;
        Ok((row.get::<_, i64>(0)?, row.get(1)?, by.map(|user| user.parse()).transpose()?))
    })?;
    let Some((folder, collection, by)) = found else { return Ok(Changes::default()) };
    let sql = "SELECT uri, number, stamp FROM documents WHERE folder = ?1 AND uri IS NOT NULL";
    let known = all(c, sql, [folder], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    let mut known: HashMap<String, (i64, Option<i64>)> = known.into_iter().collect();
    let mut changes = Changes::default();
    for file in seen {
        let number = match known.remove(&file.path) {
            Some((_, Some(stamp))) if stamp == file.stamp => continue,
            Some((number, _)) => {
                changes.changed += 1;
                run(c, "UPDATE documents SET file = NULL WHERE number = ?1", [number])?;
                documents::requeue(c, number, now.millis())?;
                number
            }
            None => {
                changes.added += 1;
                let stem = file.name.rsplit_once('.').map_or(file.name.as_str(), |(stem, _)| stem);
                let new = NewDocument {
                    collection: None,
                    title: fitted_title(stem),
                    titled: false,
                    source: SourceKind::Folder,
                    uri: Some(file.path.clone()),
                    content: None,
                };
                documents::insert(c, by, now, (collection, &new))?;
                c.last_insert_rowid()
            }
        };
        run(c, "UPDATE documents SET folder = ?2, stamp = ?3 WHERE number = ?1", (number, folder, file.stamp))?;
    }
    for (number, stamp) in known.into_values() {
        // What somebody deleted here, or is in the trash already, has no stamp.
        if stamp.is_some() {
            changes.removed += 1;
            documents::discard(c, number, now.millis())?;
        }
    }
    run(c, "UPDATE folders SET scanned_at = ?2, reason = NULL WHERE number = ?1", (folder, now.millis()))?;
    Ok(changes)
}

fn whole(c: &Connection, id: FolderId) -> Result<Folder> {
    let sql = format!("SELECT {COLUMNS} FROM folders f JOIN collections k ON k.number = f.collection WHERE f.id = ?1");
    first(c, &sql, [id.to_string()], read)?.ok_or_else(|| Error::not_found(format!("There is no folder '{id}'.")))
}

fn read(row: &Row<'_>) -> Result<Folder> {
    Ok(Folder {
        id: parsed(row, 0)?,
        path: row.get(1)?,
        collection: parsed(row, 2)?,
        watch: row.get(3)?,
        documents: row.get::<_, i64>(4)?.unsigned_abs(),
        scanned_at: optional_time(row, 5)?,
        reason: row.get(6)?,
        created_at: time(row, 7)?,
    })
}
