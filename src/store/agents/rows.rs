//! The rows of agents: who sees them, and what names they may have.

use crate::{
    origin,
    sql::{Row, Tx},
};
use satchel_model::{
    agent::{
        Agent, AgentAt, AgentId, AgentVersion,
        draft::{AgentDraft, wrong},
        unknown,
    },
    caller::{Caller, Permissions},
    error::{Error, Result},
    id::shorten,
    origin::Origin,
    user::look_alike,
};

/// The agents `a`, each with the version that counts and its owner.
pub(super) const SELECT: &str = "SELECT a.id, a.version, a.created_at, a.updated_at, a.owner, v.content, v.author,
     v.author_id, v.at, v.origin, (SELECT username FROM users o WHERE o.id = a.owner) AS owner_name,
     (SELECT r.permissions FROM users w JOIN roles r ON r.name = w.role WHERE w.id = v.author_id) AS author_may
   FROM agents a JOIN agent_versions v ON v.agent = a.id AND v.version = a.version";

/// The condition that the reader `?1` sees the agent `a`.
pub(super) const SHARED_WITH: &str = "(?1 = '*' OR a.owner = ?1 OR EXISTS (
   SELECT 1 FROM agent_shares s WHERE s.agent = a.id AND (s.name = '*' OR EXISTS (
     SELECT 1 FROM users u WHERE u.id = ?1 AND (s.name = u.role OR s.name = u.username_key)))))";

/// One that a caller sees.
pub(super) fn require_visible(tx: &Tx, caller: &Caller, id: &AgentId) -> Result<Agent> {
    let sql = format!("{SELECT} WHERE a.deleted_at IS NULL AND {SHARED_WITH} AND a.id = ?2");
    let found = tx.first(&sql, (caller.reader().person().to_string(), id.to_string()), |row| agent(row, caller))?;
    found.ok_or_else(|| unknown(id.as_str()))
}

/// An agent at one of its versions, whoever asks.
pub(super) fn at(tx: &Tx, id: &AgentId, version: u32) -> Result<Option<AgentAt>> {
    let sql = "SELECT content FROM agent_versions WHERE agent = ?1 AND version = ?2";
    let content = tx.first(sql, (id.to_string(), version), |row| row.json("content"))?;
    Ok(content.map(|content| AgentAt { id: id.clone(), version, content, origin: None }))
}

pub(super) fn agent(row: &Row<'_>, caller: &Caller) -> Result<Agent> {
    let (id, owner): (AgentId, Option<String>) = (row.parsed("id")?, row.get("owner")?);
    let is_own = caller.personal && owner.is_some_and(|owner| owner == caller.user.to_string());
    let built_in = id.is_assistant();
    let may_change = match built_in {
        true => caller.permissions.grants("settings:manage"),
        false => caller.permissions.is_all() || is_own && caller.permissions.grants("agents:run"),
    };
    let (content, version): (AgentDraft, u32) = (row.json("content")?, row.get("version")?);
    let origin = match origin::read(row)? {
        Some(origin) => Some(origin),
        None if built_in && version == 1 => None,
        None => of_another(row, caller, &content.name)?,
    };
    Ok(Agent {
        id,
        content,
        version,
        built_in,
        owner: row.get("owner_name")?,
        may_change,
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
        origin: origin.filter(|origin| origin.is_outside_for(caller)),
    })
}

/// The origin of a text that somebody else than the caller wrote, and no administrator did.
fn of_another(row: &Row<'_>, caller: &Caller, name: &str) -> Result<Option<Origin>> {
    let author = row.get::<Option<String>>("author_id")?;
    let may: Option<Permissions> = row.optional_json("author_may")?;
    if author.is_some_and(|author| author == caller.user.to_string()) || may.is_some_and(|may| may.is_all()) {
        return Ok(None);
    }
    let by: String = row.get("author")?;
    Ok(Some(Origin::new(format!("agent {name}: written by {by}"), row.time("at")?)))
}

pub(super) fn version(row: &Row<'_>) -> Result<AgentVersion> {
    Ok(AgentVersion {
        version: row.get("version")?,
        author: row.get("author")?,
        key: row.get("key_id")?,
        at: row.time("at")?,
        current: row.get("current")?,
    })
}

/// Checks that whoever writes an agent may share it so, and that there are such roles and people.
pub(super) fn require_shares(tx: &Tx, caller: &Caller, shares: &[String]) -> Result<()> {
    if !shares.is_empty() {
        caller.require("settings:manage").map_err(|_| {
            Error::denied(
                "Sharing an agent puts its instructions into other people's conversations: it needs the permission \
                 'settings:manage'. Leave 'shared_with' empty to keep it to yourself.",
            )
        })?;
    }
    for name in shares.iter().filter(|name| *name != "*") {
        let known = "SELECT 1 FROM roles WHERE name = ?1 UNION ALL SELECT 1 FROM users WHERE username_key = ?1";
        if !tx.exists(known, [name.to_lowercase()])? {
            let told = format!("There is no role and no user '{}' to share it with.", shorten(name));
            return Err(wrong("shared_with", told));
        }
    }
    Ok(())
}

/// Checks that nobody who writes `@name` could mean another: among the agents its author sees and, where it is shared, among
/// all that are.
pub(super) fn require_free(tx: &Tx, caller: &Caller, id: &AgentId, draft: &AgentDraft) -> Result<()> {
    let sql = format!(
        "SELECT a.name_key FROM agents a WHERE a.deleted_at IS NULL AND a.id <> ?2 AND ({SHARED_WITH}
           OR (?3 = 1 AND EXISTS (SELECT 1 FROM agent_shares o WHERE o.agent = a.id)))"
    );
    let is_shared = i64::from(!draft.shared_with.is_empty());
    let names: Vec<String> =
        tx.all(&sql, (caller.user.to_string(), id.to_string(), is_shared), |row| row.get("name_key"))?;
    match names.into_iter().find(|name| look_alike(&draft.name, name)) {
        Some(other) => Err(Error::conflict(format!(
            "There is an agent '{other}' already, for which people could take '{}'. Choose another name.",
            draft.name
        ))),
        None => Ok(()),
    }
}

/// Keeps whom an agent is shared with, in place of those before.
pub(super) fn put_shares(tx: &Tx, id: &AgentId, shares: &[String]) -> Result<()> {
    tx.run("DELETE FROM agent_shares WHERE agent = ?1", [id.to_string()])?;
    let sql = "INSERT INTO agent_shares (agent, name) VALUES (?1, ?2) ON CONFLICT (agent, name) DO NOTHING";
    tx.many(sql, shares.iter().map(|name| (id.to_string(), name.to_lowercase()))).map(drop)
}
