//! Agents and their versions: each is seen by its owner, by those it is shared with, and by whoever may do everything.

mod rows;
pub mod sessions;
mod shares;
mod spent;

use serde_json::json;

use self::rows::{SELECT, SHARED_WITH, agent, at, put_shares, require_free, require_shares, require_visible, version};
pub(super) use self::spent::spend;
pub use self::{
    shares::{Share, shares},
    spent::{spend_for, spent},
};
use super::{
    db::Db,
    jobs, origin,
    people::Actor,
    sql::{Tx, params},
};
use satchel_model::{
    agent::{ActingAgent, Agent, AgentAt, AgentId, AgentVersion, draft::AgentDraft, unknown},
    caller::Caller,
    error::{Error, Kind, Result},
    origin::Origin,
};

/// Most agents of one person.
const MOST: i64 = 200;
/// Most agents of a list.
const LISTED: i64 = 1_000;
/// Versions of an agent that are kept, the newest, besides the first.
const VERSIONS: u32 = 200;

/// The agents of one database. Cheap to clone.
#[derive(Clone)]
pub struct Agents {
    db: Db,
}

impl Agents {
    /// The agents of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Those this caller sees: the built-in one, then by name.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<Agent>> {
        let sql = format!(
            "{SELECT} WHERE a.deleted_at IS NULL AND {SHARED_WITH}
             ORDER BY CASE WHEN a.id = 'assistant' THEN 0 ELSE 1 END, a.name_key, a.id LIMIT ?2"
        );
        let caller = caller.clone();
        let read =
            move |tx: &Tx| tx.all(&sql, (caller.reader().person().to_string(), LISTED), |row| agent(row, &caller));
        self.db.read(read).await
    }

    /// Bytes of what this caller is listed, about.
    pub async fn bytes(&self, caller: &Caller) -> Result<usize> {
        let sql = format!(
            "SELECT CAST(coalesce(sum(octet_length(CAST(v.content AS TEXT))), 0) AS BIGINT) FROM agents a
             JOIN agent_versions v ON v.agent = a.id AND v.version = a.version WHERE a.deleted_at IS NULL AND {SHARED_WITH}"
        );
        let reader = caller.reader().person().to_string();
        let bytes: i64 = self.db.read(move |tx| tx.one(&sql, [reader])).await?;
        usize::try_from(bytes).map_err(Error::internal)
    }

    /// One that this caller sees.
    ///
    /// # Errors
    ///
    /// If there is none, or they do not see it: both are answered alike.
    pub async fn get(&self, caller: &Caller, id: AgentId) -> Result<Agent> {
        let caller = caller.clone();
        self.db.read(move |tx| require_visible(tx, &caller, &id)).await
    }

    /// The one of this name that this caller sees, their own before others'. `None` if they see none.
    pub async fn named(&self, caller: &Caller, name: &str) -> Result<Option<Agent>> {
        let (caller, key) = (caller.clone(), name.to_lowercase());
        // Whoever may do everything means their own and what is shared, not what others keep for themselves.
        let sql = format!(
            "{SELECT} WHERE a.deleted_at IS NULL AND a.name_key = ?2 AND {SHARED_WITH}
             ORDER BY CASE WHEN a.owner = ?1 THEN 0 ELSE 1 END, a.created_at, a.id LIMIT 1"
        );
        let read = move |tx: &Tx| tx.first(&sql, (caller.user.to_string(), key), |row| agent(row, &caller));
        self.db.read(read).await
    }

    /// The one that this caller means by its id or its name.
    ///
    /// # Errors
    ///
    /// As [`Self::get`] has them.
    pub async fn meant(&self, caller: &Caller, text: &str) -> Result<Agent> {
        if let Ok(id) = text.parse::<AgentId>() {
            return self.get(caller, id).await;
        }
        self.named(caller, text).await?.ok_or_else(|| unknown(text))
    }

    /// Those that are this caller's own or shared with them: the built-in one, then by name. What others keep for themselves
    /// is not offered to whoever may do everything.
    pub async fn offered(&self, caller: &Caller) -> Result<Vec<Agent>> {
        let caller = caller.clone();
        self.db.read(move |tx| offered(tx, &caller, None)).await
    }

    /// The one of [`Self::offered`] that this caller means by its id or its name.
    ///
    /// # Errors
    ///
    /// As [`Self::get`] has them.
    pub async fn offered_as(&self, caller: &Caller, text: &str) -> Result<Agent> {
        let (caller, text) = (caller.clone(), text.to_owned());
        let read = move |tx: &Tx| offered(tx, &caller, Some(&text))?.into_iter().next().ok_or_else(|| unknown(&text));
        self.db.read(read).await
    }

    /// The version that counts now, of one that this caller sees.
    ///
    /// # Errors
    ///
    /// As [`Self::get`] has them.
    pub async fn current(&self, caller: &Caller, id: AgentId) -> Result<AgentAt> {
        Ok(self.get(caller, id).await?.at())
    }

    /// Keeps a new one.
    ///
    /// # Errors
    ///
    /// If its author has as many as one person may, sees another of such a name, or may not share it.
    pub async fn create(&self, by: &Actor, draft: AgentDraft) -> Result<Agent> {
        let (by, id) = (by.clone(), AgentId::new());
        self.db
            .write(move |tx| {
                let own = "SELECT count(*) FROM agents WHERE owner = ?1 AND deleted_at IS NULL";
                if tx.one::<i64>(own, [by.caller.user.to_string()])? >= MOST {
                    return Err(Error::conflict(format!(
                        "A person may have {MOST} agents, and you have as many: delete one first. Nothing was kept."
                    )));
                }
                require_shares(tx, &by.caller, &draft.shared_with)?;
                require_free(tx, &by.caller, &id, &draft)?;
                tx.run(
                    "INSERT INTO agents (id, owner, name_key, version, created_at, updated_at)
                     VALUES (?1, ?2, ?3, 1, ?4, ?4)",
                    (id.to_string(), by.caller.user.to_string(), draft.key(), by.now.millis()),
                )?;
                put(tx, &by, &id, (1, &draft))?;
                by.record(tx, "agent.create", described(&id, 1, &draft))?;
                require_visible(tx, &by.caller, &id)
            })
            .await
    }

    /// Makes a new version of one. `read` is the version that the change began from, where that is to be made sure of.
    ///
    /// # Errors
    ///
    /// If the actor may not change it or share it so, or it has another version by now.
    pub async fn change(&self, by: &Actor, id: AgentId, (read, draft): (Option<u32>, AgentDraft)) -> Result<Agent> {
        let by = by.clone();
        self.db
            .write(move |tx| {
                let old = require_own(tx, &by, &id)?;
                if read.is_some_and(|read| read != old.version) {
                    return Err(Error::conflict(format!(
                        "Somebody has changed the agent {} since you read it: it has version {} now. Read it again, then \
                         change it.",
                        old.content.name, old.version
                    )));
                }
                if old.built_in && draft.key() != old.content.key() {
                    return Err(Error::conflict("The built-in agent keeps its name. Nothing was changed."));
                }
                let draft = if old.built_in { AgentDraft { shared_with: vec!["*".to_owned()], ..draft } } else { draft };
                require_shares(tx, &by.caller, &draft.shared_with)?;
                require_free(tx, &by.caller, &id, &draft)?;
                let next = old.version.saturating_add(1);
                put(tx, &by, &id, (next, &draft))?;
                by.record(tx, "agent.change", described(&id, next, &draft))?;
                require_visible(tx, &by.caller, &id)
            })
            .await
    }

    /// Deletes one. What it said stays; turns that are under way go on, and jobs that it does or wrote down are paused.
    ///
    /// # Errors
    ///
    /// If the actor may not change it, or it is the built-in one.
    pub async fn delete(&self, by: &Actor, id: AgentId) -> Result<()> {
        let by = by.clone();
        self.db
            .write(move |tx| {
                let old = require_own(tx, &by, &id)?;
                if old.built_in {
                    return Err(Error::conflict(
                        "The built-in agent stays. Its first version is what it was: save that to put it back.",
                    ));
                }
                tx.run("UPDATE agents SET deleted_at = ?2 WHERE id = ?1", (id.to_string(), by.now.millis()))?;
                tx.run("DELETE FROM agent_shares WHERE agent = ?1", [id.to_string()])?;
                let paused = jobs::pause_of_agent(tx, &id, &old.content.name, by.now)?;
                let told = json!({"id": id, "name": old.content.name, "paused_jobs": paused});
                by.record(tx, "agent.delete", told)
            })
            .await
    }

    /// The versions of one that this caller sees, the newest first.
    ///
    /// # Errors
    ///
    /// As [`Self::get`] has them.
    pub async fn versions(&self, caller: &Caller, id: AgentId) -> Result<Vec<AgentVersion>> {
        let caller = caller.clone();
        let sql = "SELECT v.version, v.author, v.key_id, v.at, v.version = a.version AS current
                   FROM agent_versions v JOIN agents a ON a.id = v.agent WHERE v.agent = ?1 ORDER BY v.version DESC";
        let read = move |tx: &Tx| {
            require_visible(tx, &caller, &id)?;
            tx.all(sql, [id.to_string()], version)
        };
        self.db.read(read).await
    }

    /// One version of an agent that this caller sees.
    ///
    /// # Errors
    ///
    /// As [`Self::get`] has them, and if there is no such version.
    pub async fn version(&self, caller: &Caller, id: AgentId, number: u32) -> Result<AgentAt> {
        let caller = caller.clone();
        self.db
            .read(move |tx| {
                require_visible(tx, &caller, &id)?;
                at(tx, &id, number)?.ok_or_else(|| {
                    let first = "GET /api/agents/{id}/versions lists those that are kept";
                    Error::not_found(format!("This agent has no version {number}. {first}."))
                })
            })
            .await
    }
}

/// Those that are offered to a caller, or the ones of these with this id or name.
fn offered(tx: &Tx, caller: &Caller, meant: Option<&str>) -> Result<Vec<Agent>> {
    let sql = format!(
        "{SELECT} WHERE a.deleted_at IS NULL AND {SHARED_WITH} AND (CAST(?3 AS TEXT) IS NULL OR a.id = ?3 OR a.name_key = ?3)
         ORDER BY CASE WHEN a.id = ?3 THEN 0 WHEN a.owner = ?1 THEN 1 ELSE 2 END,
           CASE WHEN a.id = 'assistant' THEN 0 ELSE 1 END, a.name_key, a.id LIMIT ?2"
    );
    // A key that does not stand for its person has no role.
    let reader = if caller.personal { caller.user.to_string() } else { String::new() };
    tx.all(&sql, (reader, LISTED, meant.map(str::to_lowercase)), |row| agent(row, caller))
}

/// The bounds, as they are now, of an agent that wrote something down for this caller.
///
/// # Errors
///
/// Denied, if they do not see it any more.
pub(super) fn acting(tx: &Tx, caller: &Caller, id: &AgentId) -> Result<ActingAgent> {
    match require_visible(tx, caller, id) {
        Ok(found) => Ok(found.at().acting()),
        Err(error) if error.kind() == Kind::NotFound => Err(Error::denied(
            "The agent that wrote this job down is gone, or not shared with its owner any more. Nothing ran: save the job \
             in the console to have it run as yourself.",
        )),
        Err(error) => Err(error),
    }
}

/// One that the actor may change.
fn require_own(tx: &Tx, by: &Actor, id: &AgentId) -> Result<Agent> {
    let found = require_visible(tx, &by.caller, id)?;
    if found.may_change {
        return Ok(found);
    }
    Err(Error::denied(match (found.built_in, found.owner) {
        (true, _) => "The built-in agent is changed by whoever has the permission 'settings:manage'.".to_owned(),
        (false, owner) => format!(
            "This agent belongs to {}: only they and administrators change it. Make one of your own from it.",
            owner.as_deref().unwrap_or("somebody who is gone")
        ),
    }))
}

/// Writes a version, and what is looked up by.
fn put(tx: &Tx, by: &Actor, id: &AgentId, (version, draft): (u32, &AgentDraft)) -> Result<()> {
    let content = serde_json::to_string(draft).map_err(Error::internal)?;
    let (author, now) = (&by.caller, by.now.millis());
    let key = author.credential.key().map(|key| key.to_string());
    let origin = Origin::of_program(author, "agents", by.now);
    tx.run(
        "INSERT INTO agent_versions (agent, version, content, author, author_id, key_id, origin, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            id.to_string(),
            version,
            content,
            author.username,
            author.user.to_string(),
            key,
            origin::text(&origin),
            now
        ],
    )?;
    tx.run(
        "UPDATE agents SET name_key = ?2, version = ?3, updated_at = ?4 WHERE id = ?1",
        (id.to_string(), draft.key(), version, now),
    )?;
    // Those that turns under way are held to stay, too.
    tx.run(
        "DELETE FROM agent_versions WHERE agent = ?1 AND version > 1 AND version <= ?2
           AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.state IN ('running', 'waiting')
                             AND t.agent = agent_versions.agent AND t.agent_version = agent_versions.version)",
        (id.to_string(), version.saturating_sub(VERSIONS)),
    )?;
    put_shares(tx, id, &draft.shared_with)
}

fn described(id: &AgentId, version: u32, draft: &AgentDraft) -> serde_json::Value {
    json!({"id": id, "name": draft.name, "version": version, "shared_with": draft.shared_with, "tools": draft.tools})
}

/// Takes away the agents that only somebody who goes saw, and what was shared with them by name.
pub(super) fn depart(tx: &Tx, user: &str, username_key: &str) -> Result<()> {
    tx.run(
        "DELETE FROM agents WHERE owner = ?1 AND NOT EXISTS (SELECT 1 FROM agent_shares s WHERE s.agent = agents.id)",
        [user],
    )?;
    let sql = "DELETE FROM agent_shares WHERE name = ?1 AND NOT EXISTS (SELECT 1 FROM roles r WHERE r.name = ?1)";
    tx.run(sql, [username_key]).map(drop)
}

/// The refusal where a conversation's agent cannot be asked any more.
pub fn gone(id: &AgentId) -> Error {
    Error::conflict(
        "The agent of this conversation is gone, or not shared with you any more. Choose another one for it.",
    )
    .with_details(json!({"agent": id, "reason": unknown(id.as_str()).message()}))
}
