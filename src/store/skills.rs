//! Skills: taken in, replaced, trusted, and followed by runs.

mod active;

use serde_json::json;

pub(super) use self::active::narrow;
use super::{
    db::Db,
    origin,
    people::Actor,
    sql::{Row, Tx, params},
    vectors,
};
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    index::ContentHash,
    llm::estimate_tokens,
    origin::Origin,
    skill::{Skill, SkillFile, SkillRead, WholeSkill, unknown},
};

/// Most skills there are.
const MOST: i64 = 500;
/// The permission that changes what others took in.
const MANAGE: &str = "settings:manage";

const SELECT: &str = "SELECT s.name, s.head, s.body, s.source, s.digest, s.owner, s.owner_name, s.trusted_by, s.origin,
    (SELECT count(*) FROM skill_files f WHERE f.skill = s.name) AS files_count, s.created_at, s.updated_at FROM skills s";

/// The skills of one database. Cheap to clone.
#[derive(Clone)]
pub struct Skills {
    db: Db,
}

/// A skill to be taken in.
#[derive(Debug, Clone)]
pub struct NewSkill {
    /// The skill as it was read.
    pub read: SkillRead,
    /// The bytes of its files, one after the other.
    pub bytes: Vec<u8>,
    /// The place it is from: `upload`, or an address.
    pub source: String,
    /// The digest of all of it.
    pub digest: String,
    /// Its origin: until somebody trusts it, its text is from outside.
    pub origin: Origin,
    /// `true` if it may take the place of one of its name.
    pub replace: bool,
}

/// The text by which a skill is found.
pub fn found_by(name: &str, description: &str) -> String {
    format!("{name}: {description}")
}

impl Skills {
    /// The skills of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// All of them, by name.
    pub async fn list(&self) -> Result<Vec<Skill>> {
        self.db.read(|tx| tx.all(&format!("{SELECT} ORDER BY s.name"), (), skill)).await
    }

    /// Those of these names that are there, in that order.
    pub async fn named(&self, names: Vec<String>) -> Result<Vec<Skill>> {
        let sql = format!("{SELECT} WHERE s.name = ?1");
        let read = move |tx: &Tx| {
            let found = names.iter().map(|name| tx.first(&sql, [name], skill));
            Ok(found.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
        };
        self.db.read(read).await
    }

    /// One, with its text and the list of its files.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub async fn get(&self, name: &str) -> Result<WholeSkill> {
        let name = name.to_owned();
        self.db.read(move |tx| whole(tx, &name)).await
    }

    /// The bytes of a file of one.
    ///
    /// # Errors
    ///
    /// If there is no such skill or file.
    pub async fn file(&self, name: &str, path: &str) -> Result<Vec<u8>> {
        let (name, path) = (name.to_owned(), path.to_owned());
        let read = move |tx: &Tx| {
            let sql = "SELECT content FROM skill_files WHERE skill = ?1 AND path = ?2";
            match tx.first(sql, (&name, &path), |row| row.get("content"))? {
                Some(content) => Ok(content),
                None => {
                    let files: Vec<String> = whole(tx, &name)?.files.into_iter().map(|file| file.path).collect();
                    let there = if files.is_empty() { "it has none".to_owned() } else { files.join(", ") };
                    Err(Error::not_found(format!("The skill '{name}' has no such file: {there}.")))
                }
            }
        };
        self.db.read(read).await
    }

    /// Takes one in.
    ///
    /// # Errors
    ///
    /// If there is one of its name and it is not to be replaced, or the actor may not replace it, or there are too many.
    pub async fn put(&self, by: &Actor, new: NewSkill) -> Result<WholeSkill> {
        let by = by.clone();
        self.db
            .write(move |tx| {
                let name = new.read.head.name.clone();
                let before = tx.first(&format!("{SELECT} WHERE s.name = ?1"), [&name], skill)?;
                match &before {
                    Some(_) if !new.replace => return Err(taken(&name)),
                    Some(before) => require_own(&by.caller, before)?,
                    None if tx.one::<i64>("SELECT count(*) FROM skills", ())? >= MOST => {
                        return Err(Error::conflict(format!("There are {MOST} skills: delete one first.")));
                    }
                    None => {}
                }
                let unchanged = before.as_ref().filter(|before| before.digest == new.digest);
                insert(tx, &by, &new, unchanged)?;
                if let Some(before) = &before {
                    vectors::release(tx, &hash(before))?;
                }
                let action = if before.is_some() { "skill.replace" } else { "skill.add" };
                by.record(tx, action, json!({"name": name, "source": new.source, "digest": new.digest}))?;
                whole(tx, &name)
            })
            .await
    }

    /// Says that a skill is trusted, or not any more: with the digest that was read.
    ///
    /// # Errors
    ///
    /// If there is none, or it is another by now.
    pub async fn trust(&self, by: &Actor, name: &str, (trusted, digest): (bool, String)) -> Result<WholeSkill> {
        let (by, name) = (by.clone(), name.to_owned());
        self.db
            .write(move |tx| {
                let Skill { source, digest: now, .. } = whole(tx, &name)?.skill;
                if now != digest {
                    return Err(Error::conflict(
                        "The skill has been replaced since you read it. Read it again before you trust it.",
                    ));
                }
                let origin = (!trusted).then(|| origin_of(&name, &source, &by));
                let sql = "UPDATE skills SET origin = ?2, trusted_by = ?3 WHERE name = ?1";
                let trusted_by = trusted.then(|| by.caller.username.clone());
                tx.run(sql, (&name, origin::text(&origin), trusted_by))?;
                let action = if trusted { "skill.trust" } else { "skill.distrust" };
                by.record(tx, action, json!({"name": name, "digest": digest}))?;
                whole(tx, &name)
            })
            .await
    }

    /// Deletes one. Runs that follow it go on with what they have of it.
    ///
    /// # Errors
    ///
    /// If there is none, or the actor may not.
    pub async fn delete(&self, by: &Actor, name: &str) -> Result<()> {
        let (by, name) = (by.clone(), name.to_owned());
        self.db
            .write(move |tx| {
                let before = whole(tx, &name)?.skill;
                require_own(&by.caller, &before)?;
                tx.run("DELETE FROM skills WHERE name = ?1", [&name])?;
                vectors::release(tx, &hash(&before))?;
                by.record(tx, "skill.delete", json!({"name": name, "digest": before.digest}))
            })
            .await
    }
}

/// The origin of a skill that nobody trusts.
pub fn origin_of(name: &str, source: &str, by: &Actor) -> Origin {
    let from = if source == "upload" { String::new() } else { format!(" from {source}") };
    Origin::new(format!("skill: {name}{from}"), by.now)
}

fn taken(name: &str) -> Error {
    Error::conflict(format!("There is a skill '{name}' already: send `replace` to put this one in its place."))
}

fn require_own(caller: &Caller, skill: &Skill) -> Result<()> {
    if skill.owner == Some(caller.user) || caller.permissions.grants(MANAGE) {
        return Ok(());
    }
    let (name, owner) = (&skill.head.name, &skill.owner_name);
    Err(Error::denied(format!("The skill '{name}' is {owner}'s: only they and administrators change it.")))
}

fn hash(skill: &Skill) -> ContentHash {
    vectors::hash(&found_by(&skill.head.name, &skill.head.description))
}

/// Puts it in the place of whatever has its name. The very same again stays trusted.
fn insert(tx: &Tx, by: &Actor, new: &NewSkill, unchanged: Option<&Skill>) -> Result<()> {
    let NewSkill { read, bytes, source, digest, origin, .. } = new;
    let (name, caller) = (&read.head.name, &by.caller);
    let trusted_by = unchanged.and_then(|skill| skill.trusted_by.clone());
    let origin = trusted_by.is_none().then(|| origin.clone());
    tx.run(
        "INSERT INTO skills (name, head, body, source, digest, hash, owner, owner_name, origin, trusted_by, created_at,
                             updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11)
         ON CONFLICT (name) DO UPDATE SET head = excluded.head, body = excluded.body, source = excluded.source,
           digest = excluded.digest, hash = excluded.hash, owner = excluded.owner, owner_name = excluded.owner_name,
           origin = excluded.origin, trusted_by = excluded.trusted_by, updated_at = excluded.updated_at",
        params![
            name,
            serde_json::to_string(&read.head).map_err(Error::internal)?,
            read.body,
            source,
            digest,
            vectors::hash(&found_by(name, &read.head.description)),
            caller.user.to_string(),
            caller.username,
            origin::text(&origin),
            trusted_by,
            by.now.millis(),
        ],
    )?;
    tx.run("DELETE FROM skill_files WHERE skill = ?1", [name])?;
    let mut rest = bytes.as_slice();
    for file in &read.files {
        let length = usize::try_from(file.bytes).map_err(Error::internal)?;
        let (content, after) =
            rest.split_at_checked(length).ok_or_else(|| Error::internal("a skill's file is cut short"))?;
        rest = after;
        let sql = "INSERT INTO skill_files (skill, path, content) VALUES (?1, ?2, ?3)";
        tx.run(sql, (name, &file.path, content))?;
    }
    Ok(())
}

fn whole(tx: &Tx, name: &str) -> Result<WholeSkill> {
    let sql = format!("{SELECT} WHERE s.name = ?1");
    let found = tx.first(&sql, [name], |row| Ok((skill(row)?, row.get::<String>("body")?)))?;
    let (skill, body) = found.ok_or_else(|| unknown(name))?;
    let sql = "SELECT path, octet_length(content) AS bytes FROM skill_files WHERE skill = ?1 ORDER BY path";
    let file = |row: &Row<'_>| Ok(SkillFile { path: row.get("path")?, bytes: row.get::<i64>("bytes")?.unsigned_abs() });
    Ok(WholeSkill { skill, body, files: tx.all(sql, [name], file)? })
}

fn skill(row: &Row<'_>) -> Result<Skill> {
    Ok(Skill {
        head: row.json("head")?,
        tokens: estimate_tokens(row.get("body")?),
        source: row.get("source")?,
        digest: row.get("digest")?,
        owner: row.get::<Option<String>>("owner")?.map(|id| id.parse()).transpose()?,
        owner_name: row.get("owner_name")?,
        trusted_by: row.get("trusted_by")?,
        origin: origin::read(row)?,
        files_count: row.get("files_count")?,
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
    })
}
