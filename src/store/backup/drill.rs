//! The drill: a backup is restored beside, looked through as a start would, and thrown away.

use std::{
    fs::DirBuilder,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use super::{
    fault,
    names::{DATABASE, VAULT_KEY},
    restore::{Restored, VaultChoice, fill},
    seal::Opener,
    survey,
    watch::Watch,
    write::Scrap,
};
use crate::{
    audit,
    db::{Commit, Db},
    dir::{self, DataDir},
    key_file::KeyFile,
    sql::{Connection, Depth, Tx},
    vault_key,
};
use satchel_model::{
    error::{Error, Result},
    id::shorten,
    time::Time,
};

/// Documents that are looked at for something to ask.
const CANDIDATES: u32 = 20;

/// A copy that is thrown away when this is dropped.
pub struct Copy {
    path: PathBuf,
    restored: Restored,
    _scrap: Scrap,
}

/// Removes what a drill beside the data left that was killed. One that is still going on stays.
pub fn sweep(data: &Path) {
    let place = place_beside(data);
    if place.is_dir()
        && let Ok(_held) = DataDir::hold(&place)
    {
        drop(Scrap(place));
    }
}

/// Where a drill without a server makes its copy, beside the data.
pub fn place_beside(data: &Path) -> PathBuf {
    data.join("drill")
}

/// The first chunk of a document, to which its own words must lead back.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The chunk.
    pub chunk: i64,
    /// Its text.
    pub text: String,
    /// Its document's title.
    pub title: String,
}

impl Copy {
    /// Unpacks a backup into a new directory and compares its digests. Blocks.
    pub fn open(file: &Path, opener: &Opener, into: PathBuf, watch: &Watch) -> Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(&into).map_err(|e| fault::unwritable(&into, e))?;
        let scrap = Scrap(into.clone());
        let restored = fill(file, opener, &into, &VaultChoice::default(), watch)?;
        Ok(Self { path: into, restored, _scrap: scrap })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Looks the copy through, a sentence for each step. Blocks.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn look_through(&self, now: Time) -> Result<Vec<String>> {
        let manifest = &self.restored.manifest;
        let mut steps =
            vec![format!("{} files, {} MB: every digest is right.", manifest.files, manifest.bytes.div_ceil(1 << 20))];
        if let Some(one) = self.restored.rotten.first() {
            return Err(Error::conflict(format!(
                "{} contents of documents had been damaged before the backup was made, {} among them: add those documents again.",
                self.restored.rotten.len(),
                shorten(one)
            )));
        }
        let c = Connection::open(&self.path.join(DATABASE))?;
        integrity(&c)?;
        steps.push("The database is whole: pages, indexes and references.".to_owned());
        let counts = survey::row_counts(&c)?;
        if counts != manifest.rows {
            return Err(Error::conflict("The rows of the copy are not those that were backed up."));
        }
        steps.push(format!(
            "{} rows in {} tables, as many as were backed up.",
            counts.values().sum::<i64>(),
            counts.len()
        ));
        steps.push(self.audit(&c, now)?);
        steps.push(self.vault(&c)?);
        if !manifest.missing.is_empty() {
            steps.push(format!("{} files were gone when the backup was made.", manifest.missing.len()));
        }
        steps.extend(manifest.left_out.message());
        Ok(steps)
    }

    fn audit(&self, tx: &Tx, now: Time) -> Result<String> {
        let anchors = audit::parse_anchors(&dir::anchors(&self.path, None)?)?;
        let head = survey::audit_head(tx)?;
        let found = audit::verify(tx, &anchors, now)?;
        match found.problem {
            Some(problem) => Err(Error::conflict(format!("The audit of the copy is broken. {problem}"))),
            None if head != self.restored.manifest.audit => {
                Err(Error::conflict("The audit of the copy ends elsewhere."))
            }
            None => Ok(format!("The audit stands: {} entries, {} anchors met.", found.entries, anchors.len())),
        }
    }

    fn vault(&self, tx: &Tx) -> Result<String> {
        let secrets = survey::secrets(tx)?;
        if !self.path.join(VAULT_KEY).exists() {
            let id = self.restored.manifest.vault_key_id.as_deref().unwrap_or("none");
            return Ok(format!("The vault has {secrets} secrets; their key {id} is not in the backup: keep it apart."));
        }
        let kek = KeyFile::in_dir(&self.path).read()?.ok_or_else(|| Error::conflict("The vault's key is empty."))?;
        vault_key::State::read(tx)?.require(&kek)?;
        Ok(format!("The vault's key is in the backup and opens its {secrets} secrets."))
    }

    /// Opens the copy as a start does, which brings an older schema up to date.
    pub fn start(&self) -> Result<Db> {
        Db::open(&self.path.join(DATABASE), Commit::Grouped)
    }
}

/// Reads every page, index and reference.
fn integrity(tx: &Tx) -> Result<()> {
    if let Some(problem) = tx.damage(Depth::Indexes)? {
        return Err(Error::conflict(format!("The database of the copy is damaged: {problem}.")));
    }
    tx.orphan()?.map_or(Ok(()), |table| {
        Err(Error::conflict(format!("The database of the copy is damaged: a row of {table} belongs to nothing.")))
    })
}

/// The first chunks of the latest documents that are ready.
pub async fn candidates(db: &Db) -> Result<Vec<Candidate>> {
    let sql =
        "SELECT n.id, n.text, d.title FROM documents d JOIN chunks n ON n.document = d.number AND n.version = d.version
               WHERE d.status = 'ready' AND d.deleted_at IS NULL AND n.ordinal = 0 ORDER BY d.number DESC LIMIT ?1";
    db.read(move |tx| {
        tx.all(sql, [CANDIDATES], |row| {
            Ok(Candidate { chunk: row.get("id")?, text: row.get("text")?, title: row.get("title")? })
        })
    })
    .await
}
