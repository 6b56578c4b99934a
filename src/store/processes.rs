//! Business processes. Each change names the revision it was made on: nobody overwrites what they have not read.

use serde_json::{Value, json};

use super::{
    db::Db,
    origin,
    people::Actor,
    sql::{Row, Tx, params},
    vectors,
};
use satchel_model::{
    business_process::{
        Process, ProcessId, ProcessSource, ProcessStatus,
        draft::{ProcessDraft, key, require_no_circle},
    },
    error::{Error, Result},
    figure,
    id::shorten,
    index::ContentHash,
    origin::Origin,
};

/// Most processes.
pub const MAX_PROCESSES: usize = 1_000;
/// Most bytes of all processes together.
pub const MAX_BYTES: usize = 16 << 20;

const COLUMNS: &str = "SELECT id, content, source, status, origin, revision, created_at, updated_at FROM processes";

/// The business processes. Cheap to clone.
#[derive(Clone)]
pub struct Processes {
    db: Db,
}

/// A process of an import, and what it takes the place of.
#[derive(Debug, Clone)]
pub struct Import {
    /// As it shall be.
    pub draft: ProcessDraft,
    /// The revision that was looked at; none where there was no such process. Left out, whatever is there is replaced.
    pub read: Option<Option<u32>>,
}

impl Processes {
    /// The processes of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// All, by name.
    pub async fn all(&self) -> Result<Vec<Process>> {
        self.db.read(all).await
    }

    /// Bytes of all, about.
    pub async fn bytes(&self) -> Result<usize> {
        self.db.read(bytes).await
    }

    /// One; fails where there is none.
    pub async fn get(&self, id: ProcessId) -> Result<Process> {
        self.db.read(move |tx| require(tx, id)).await
    }

    /// Keeps what a person wrote. It counts at once.
    pub async fn create(&self, by: &Actor, draft: ProcessDraft) -> Result<Process> {
        let (by, draft) = (by.clone(), draft.checked()?);
        let work = move |tx: &Tx| {
            let process = draft.into_new(ProcessSource::Written, None, by.now);
            put(tx, &process)?;
            require_sound(tx)?;
            by.record(tx, "process.create", described(&process))?;
            Ok(process)
        };
        self.db.write(work).await
    }

    /// Changes one that is still as it was read. Processes that depend on it follow to its new name.
    pub async fn change(&self, by: &Actor, id: ProcessId, (read, draft): (u32, ProcessDraft)) -> Result<Process> {
        let (by, draft) = (by.clone(), draft.checked()?);
        let work = move |tx: &Tx| {
            let old = require(tx, id)?;
            require_read(&old, read)?;
            let before = old.content.name.clone();
            let process = changed(old, draft, &by);
            put(tx, &process)?;
            rename(tx, (&before, &process.content.name), &by)?;
            require_sound(tx)?;
            by.record(tx, "process.change", described(&process))?;
            Ok(process)
        };
        self.db.write(work).await
    }

    /// Makes a proposal count that is still as it was read. Whoever does has read it: it is from nowhere else then.
    pub async fn publish(&self, by: &Actor, id: ProcessId, read: u32) -> Result<Process> {
        let by = by.clone();
        let work = move |tx: &Tx| {
            let old = require(tx, id)?;
            require_read(&old, read)?;
            if old.is_published() {
                return Err(Error::conflict(format!(
                    "The process '{}' is published already.",
                    shorten(&old.content.name)
                )));
            }
            let (content, from) = (old.content.clone(), old.origin.clone());
            let process = Process { status: ProcessStatus::Published, origin: None, ..changed(old, content, &by) };
            put(tx, &process)?;
            let told = json!({"process": described(&process), "origin": from});
            by.record(tx, "process.publish", told)?;
            Ok(process)
        };
        self.db.write(work).await
    }

    /// Forgets one.
    pub async fn delete(&self, by: &Actor, id: ProcessId) -> Result<()> {
        let by = by.clone();
        let work = move |tx: &Tx| {
            let process = require(tx, id)?;
            let hash = hash_of(tx, id)?;
            tx.run("DELETE FROM processes WHERE id = ?1", [id.to_string()])?;
            if let Some(hash) = hash {
                vectors::release(tx, &hash)?;
            }
            by.record(tx, "process.delete", described(&process))
        };
        self.db.write(work).await
    }

    /// Takes these in, all or none: one whose name is known changes that one.
    pub async fn import(&self, by: &Actor, imports: Vec<Import>) -> Result<Vec<Process>> {
        let by = by.clone();
        // Whoever read them: what they may hold is held here.
        let check = |import: Import| Ok(Import { draft: import.draft.checked()?, ..import });
        let imports = imports.into_iter().map(check).collect::<Result<Vec<_>>>()?;
        let work = move |tx: &Tx| {
            let mut kept = Vec::with_capacity(imports.len());
            for Import { draft, read } in imports {
                let known = named(tx, &draft.key())?;
                if read.is_some_and(|read| read != known.as_ref().map(|known| known.revision)) {
                    return Err(changed_since(&draft.name));
                }
                let process = match known {
                    None => draft.into_new(ProcessSource::Imported, None, by.now),
                    Some(old) if !old.is_published() && !by.caller.is_person() => {
                        return Err(Error::denied(format!(
                            "'{}' is a proposal of a model: sign in to the console and publish it there, not with a key.",
                            shorten(&old.content.name)
                        )));
                    }
                    // Nothing stays of what was there.
                    Some(old) => Process { status: ProcessStatus::Published, origin: None, ..changed(old, draft, &by) },
                };
                put(tx, &process)?;
                kept.push(process);
            }
            require_sound(tx)?;
            let names: Vec<&str> = kept.iter().map(|process| process.content.name.as_str()).take(50).collect();
            by.record(tx, "process.import", json!({"count": kept.len(), "names": names}))?;
            Ok(kept)
        };
        self.db.write(work).await
    }

    /// Keeps what a model proposed, as proposals; what has the name of another is left out.
    pub async fn propose(&self, by: &Actor, drafts: Vec<ProcessDraft>, origin: Option<Origin>) -> Result<Vec<Process>> {
        let by = by.clone();
        let work = move |tx: &Tx| {
            let mut kept: Vec<Process> = Vec::new();
            for draft in drafts {
                if named(tx, &draft.key())?.is_some() {
                    continue;
                }
                let process = draft.into_new(ProcessSource::Proposed, origin.clone(), by.now);
                put(tx, &process)?;
                kept.push(process);
            }
            require_sound(tx)?;
            let names: Vec<&str> = kept.iter().map(|process| process.content.name.as_str()).collect();
            by.record(tx, "process.propose", json!({"names": names, "origin": origin}))?;
            Ok(kept)
        };
        self.db.write(work).await
    }
}

fn changed(old: Process, content: ProcessDraft, by: &Actor) -> Process {
    Process { content, revision: old.revision.saturating_add(1), updated_at: by.now, ..old }
}

fn all(tx: &Tx) -> Result<Vec<Process>> {
    tx.all(&format!("{COLUMNS} ORDER BY name_key"), (), read)
}

/// Bytes of what all of them say: looks at no text.
fn bytes(tx: &Tx) -> Result<usize> {
    let sql = "SELECT coalesce(sum(octet_length(content)), 0) FROM processes";
    let bytes: i64 = tx.one(sql, ())?;
    usize::try_from(bytes).map_err(Error::internal)
}

fn require(tx: &Tx, id: ProcessId) -> Result<Process> {
    let found = tx.first(&format!("{COLUMNS} WHERE id = ?1"), [id.to_string()], read)?;
    found.ok_or_else(|| Error::not_found(format!("There is no process '{id}'.")))
}

fn named(tx: &Tx, key: &str) -> Result<Option<Process>> {
    tx.first(&format!("{COLUMNS} WHERE name_key = ?1"), [key], read)
}

fn require_read(old: &Process, read: u32) -> Result<()> {
    if old.revision == read { Ok(()) } else { Err(changed_since(&old.content.name)) }
}

fn changed_since(name: &str) -> Error {
    let name = shorten(name);
    Error::conflict(format!(
        "Somebody has changed the process '{name}' since you read it: read it again, then change it."
    ))
}

/// No more than there may be, and none that waits for itself.
fn require_sound(tx: &Tx) -> Result<()> {
    if bytes(tx)? > MAX_BYTES {
        let most = figure::bytes(MAX_BYTES as u64);
        return Err(Error::conflict(format!(
            "All processes together may have {most}: delete some first, or say less."
        )));
    }
    let all = all(tx)?;
    if all.len() > MAX_PROCESSES {
        return Err(Error::conflict(format!("There can be {MAX_PROCESSES} processes: delete some first.")));
    }
    require_no_circle(all.iter().map(|process| &process.content))
}

fn rename(tx: &Tx, (before, after): (&str, &str), by: &Actor) -> Result<()> {
    if before == after {
        return Ok(());
    }
    let old = key(before);
    for process in all(tx)? {
        if process.content.depends_on.iter().any(|name| key(name) == old) {
            let mut content = process.content.clone();
            for name in content.depends_on.iter_mut().filter(|name| key(name) == old) {
                after.clone_into(name);
            }
            put(tx, &changed(process, content, by))?;
        }
    }
    Ok(())
}

fn hash_of(tx: &Tx, id: ProcessId) -> Result<Option<ContentHash>> {
    tx.first("SELECT hash FROM processes WHERE id = ?1", [id.to_string()], |row| row.get("hash"))
}

fn put(tx: &Tx, process: &Process) -> Result<()> {
    let (id, name) = (process.id, &process.content.name);
    if let Some(other) = named(tx, &process.content.key())?.filter(|other| other.id != id) {
        let kind = if other.is_published() { "process" } else { "proposal" };
        let name = shorten(name);
        return Err(Error::conflict(format!(
            "There is a {kind} '{name}' already: change that one, or choose another name."
        )));
    }
    let (before, hash) = (hash_of(tx, id)?, vectors::hash(&process.content.text()));
    let sql = "INSERT INTO processes (id, name_key, content, source, status, origin, revision, hash, created_at, updated_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) \
         ON CONFLICT (id) DO UPDATE SET name_key = excluded.name_key, content = excluded.content, \
           status = excluded.status, origin = excluded.origin, revision = excluded.revision, hash = excluded.hash, updated_at = excluded.updated_at";
    let content = serde_json::to_string(&process.content).map_err(Error::internal)?;
    let values = params![
        id.to_string(),
        process.content.key(),
        content,
        process.source.as_str(),
        process.status.as_str(),
        origin::text(&process.origin),
        process.revision,
        hash,
        process.created_at.millis(),
        process.updated_at.millis(),
    ];
    tx.run(sql, values)?;
    match before {
        Some(before) if before != hash => vectors::release(tx, &before),
        _ => Ok(()),
    }
}

fn read(row: &Row<'_>) -> Result<Process> {
    Ok(Process {
        id: row.parsed("id")?,
        content: row.json("content")?,
        source: row.parsed("source")?,
        status: row.parsed("status")?,
        origin: origin::read(row)?,
        revision: row.get("revision")?,
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
    })
}

fn described(process: &Process) -> Value {
    json!({
        "id": process.id, "name": process.content.name, "steps": process.content.steps.len(),
        "status": process.status, "source": process.source, "revision": process.revision,
    })
}
