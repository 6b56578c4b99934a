//! Folders of this machine whose files are documents.

use std::collections::HashMap;

use serde_json::json;

use super::{
    collections,
    db::Db,
    documents::{self, NewDocument},
    people::Actor,
    purge,
    sql::{Row, Tx, params},
};
use satchel_model::{
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

const COLUMNS: &str = "f.id, f.path, k.id AS collection, f.watch,
   (SELECT count(*) FROM documents d WHERE d.folder = f.number AND d.deleted_at IS NULL) AS documents,
   f.scanned_at, f.reason, f.created_at";

impl Folders {
    /// The folders of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// All, by path.
    pub async fn list(&self) -> Result<Vec<Folder>> {
        let sql =
            format!("SELECT {COLUMNS} FROM folders f JOIN collections k ON k.number = f.collection ORDER BY f.path");
        self.db.read(move |tx| tx.all(&sql, (), read)).await
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
            .write(move |tx| {
                let collection = collections::number(tx, by.caller.reader(), collection)?;
                if tx.exists("SELECT 1 FROM folders WHERE path = ?1", [&path])? {
                    return Err(Error::conflict(format!("The folder '{path}' is there already.")));
                }
                let id = FolderId::new();
                tx.run(
                    "INSERT INTO folders (id, path, collection, watch, added_by, created_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![id.to_string(), path, collection, watch, by.caller.user.to_string(), by.now.millis()],
                )?;
                by.record(tx, "folder.add", json!({"id": id, "path": path, "watch": watch}))?;
                whole(tx, id)
            })
            .await
    }

    /// Removes one with its documents, for good. Gives the hashes of files that may no longer be needed.
    pub(super) async fn delete(&self, by: &Actor, id: FolderId) -> Result<Vec<String>> {
        let by = by.clone();
        self.db
            .purge(move |tx| {
                let folder = whole(tx, id)?;
                let of_folder = "folder = (SELECT number FROM folders WHERE id = ?1)";
                let documents = purge::documents(tx, of_folder, [id.to_string()])?;
                tx.run("DELETE FROM folders WHERE id = ?1", [id.to_string()])?;
                by.record(tx, "folder.delete", json!({"id": id, "path": folder.path}))?;
                Ok(documents)
            })
            .await
    }

    /// Makes the folder's documents what lies in it now.
    pub async fn scanned(&self, id: FolderId, seen: Vec<Seen>, now: Time) -> Result<Changes> {
        self.db.write(move |tx| scanned(tx, id, &seen, now)).await
    }

    /// Writes down why a folder could not be looked through.
    pub async fn unreadable(&self, id: FolderId, reason: String, now: Time) -> Result<()> {
        let sql = "UPDATE folders SET reason = ?2, scanned_at = ?3 WHERE id = ?1";
        self.db.write(move |tx| tx.run(sql, (id.to_string(), reason, now.millis())).map(drop)).await
    }
}

fn scanned(tx: &Tx, id: FolderId, seen: &[Seen], now: Time) -> Result<Changes> {
    let sql = "SELECT number, collection, added_by FROM folders WHERE id = ?1";
    let found = tx.first(sql, [id.to_string()], |row| {
        let by: Option<String> = row.get("added_by")?;
        Ok((row.get::<i64>("number")?, row.get("collection")?, by.map(|user| user.parse()).transpose()?))
    })?;
    let Some((folder, collection, by)) = found else { return Ok(Changes::default()) };
    let sql = "SELECT uri, number, stamp FROM documents WHERE folder = ?1 AND uri IS NOT NULL";
    let known = tx.all(sql, [folder], |row| Ok((row.get("uri")?, (row.get("number")?, row.get("stamp")?))))?;
    let mut known: HashMap<String, (i64, Option<i64>)> = known.into_iter().collect();
    let mut changes = Changes::default();
    for file in seen {
        let number = match known.remove(&file.path) {
            Some((_, Some(stamp))) if stamp == file.stamp => continue,
            Some((number, _)) => {
                changes.changed += 1;
                tx.run("UPDATE documents SET file = NULL WHERE number = ?1", [number])?;
                documents::requeue(tx, number, now.millis())?;
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
                documents::insert(tx, by, now, (collection, &new))?.0
            }
        };
        tx.run("UPDATE documents SET folder = ?2, stamp = ?3 WHERE number = ?1", (number, folder, file.stamp))?;
    }
    for (number, stamp) in known.into_values() {
        // What somebody deleted here, or is in the trash already, has no stamp.
        if stamp.is_some() {
            changes.removed += 1;
            documents::discard(tx, number, now.millis())?;
        }
    }
    tx.run("UPDATE folders SET scanned_at = ?2, reason = NULL WHERE number = ?1", (folder, now.millis()))?;
    Ok(changes)
}

fn whole(tx: &Tx, id: FolderId) -> Result<Folder> {
    let sql = format!("SELECT {COLUMNS} FROM folders f JOIN collections k ON k.number = f.collection WHERE f.id = ?1");
    tx.first(&sql, [id.to_string()], read)?.ok_or_else(|| Error::not_found(format!("There is no folder '{id}'.")))
}

fn read(row: &Row<'_>) -> Result<Folder> {
    Ok(Folder {
        id: row.parsed("id")?,
        path: row.get("path")?,
        collection: row.parsed("collection")?,
        watch: row.get("watch")?,
        documents: row.get::<i64>("documents")?.unsigned_abs(),
        scanned_at: row.optional_time("scanned_at")?,
        reason: row.get("reason")?,
        created_at: row.time("created_at")?,
    })
}
