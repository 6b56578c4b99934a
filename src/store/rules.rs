//! Rules for arguments: made, listed, found by the tool they are for, counted, ended.

use std::{collections::HashSet, sync::Arc};

use parking_lot::RwLock;
use serde_json::json;

use super::{
    db::Db,
    people::Actor,
    sql::{Row, Tx, params},
};
use satchel_model::{
    error::{Error, Result},
    rule::{Rule, RuleId},
    time::Time,
    user::UserId,
};

/// Rules one person may have.
const PER_USER: i64 = 1_000;

const SELECT: &str =
    "SELECT r.id, r.person, u.username, r.everybody, r.tool, r.conditions, r.decision, r.agent, r.hosts,
  r.definition, r.expires_at, r.ticket, r.created_at, r.uses, r.last_used_at FROM rules r JOIN users u ON u.id = r.person";

/// The rules of one database. Cheap to clone.
#[derive(Clone)]
pub struct Rules {
    db: Db,
    /// Tools that there may be rules for: for calls of all others nothing is looked up.
    tools: Arc<RwLock<HashSet<String>>>,
}

impl Rules {
    /// Reads which tools there are rules for.
    pub async fn load(db: Db) -> Result<Self> {
        let tools: Vec<String> =
            db.read(|tx| tx.all("SELECT DISTINCT tool FROM rules", (), |row| row.get("tool"))).await?;
        Ok(Self { db, tools: Arc::new(RwLock::new(tools.into_iter().collect())) })
    }

    /// The rules for calls of a tool by this person: their own, and those that serve everybody.
    pub async fn for_call(&self, tool: &str, user: UserId) -> Result<Vec<Rule>> {
        if !self.tools.read().contains(tool) {
            return Ok(Vec::new());
        }
        let tool = tool.to_owned();
        let sql = format!("{SELECT} WHERE r.tool = ?1 AND (r.person = ?2 OR r.everybody) ORDER BY r.id");
        self.db.read(move |tx| tx.all(&sql, (tool, user.to_string()), read)).await
    }

    /// The rules this person sees, the newest first: their own, and those that serve everybody.
    pub async fn list(&self, user: UserId) -> Result<Vec<Rule>> {
        let sql = format!("{SELECT} WHERE r.person = ?1 OR r.everybody ORDER BY r.id DESC");
        self.db.read(move |tx| tx.all(&sql, [user.to_string()], read)).await
    }

    /// The rules of everybody.
    pub async fn all(&self) -> Result<Vec<Rule>> {
        let sql = format!("{SELECT} ORDER BY r.id");
        self.db.read(move |tx| tx.all(&sql, (), read)).await
    }

    /// Fails where a person has [`PER_USER`] already.
    pub async fn ensure_room(&self, user: UserId) -> Result<()> {
        self.db.read(move |tx| ensure_room(tx, user)).await
    }

    /// Keeps a rule.
    ///
    /// # Errors
    ///
    /// If its person has [`PER_USER`] already.
    pub async fn create(&self, by: &Actor, rule: Rule) -> Result<Rule> {
        // First: a rule that is found a little early is looked for in vain, one found late would not count.
        self.tools.write().insert(rule.tool.clone());
        let by = by.clone();
        self.db
            .write(move |tx| {
                ensure_room(tx, rule.user)?;
                insert(tx, &rule)?;
                let details = json!({
                    "rule": rule.id, "tool": rule.tool, "when": rule.when, "decision": rule.decision,
                    "everybody": rule.everybody, "agent": rule.agent, "ticket": rule.ticket,
                    "expires_at": rule.expires_at,
                });
                by.record(tx, "rule.create", details)?;
                Ok(rule)
            })
            .await
    }

    /// Ends a rule: one's own, or with `all` one that serves everybody.
    pub async fn end(&self, by: &Actor, id: RuleId, all: bool) -> Result<()> {
        let by = by.clone();
        self.db
            .write(move |tx| {
                let sql = format!("{SELECT} WHERE r.id = ?1");
                let found = tx.first(&sql, [id.to_string()], read)?;
                let seen = found.filter(|rule| rule.user == by.caller.user || rule.everybody);
                let rule = seen.ok_or_else(|| Error::not_found(format!("There is no rule '{id}'.")))?;
                if rule.user != by.caller.user && !all {
                    return Err(Error::denied("This rule serves everybody: only an administrator ends it."));
                }
                tx.run("DELETE FROM rules WHERE id = ?1", [id.to_string()])?;
                by.record(tx, "rule.end", json!({"rule": id, "tool": rule.tool, "uses": rule.uses}))
            })
            .await
    }

    /// Counts a call that a rule has decided.
    pub async fn used(&self, id: RuleId, now: Time) -> Result<()> {
        let sql = "UPDATE rules SET uses = uses + 1, last_used_at = ?2 WHERE id = ?1";
        self.db.write(move |tx| tx.run(sql, (id.to_string(), now.millis())).map(drop)).await
    }
}

fn ensure_room(tx: &Tx, user: UserId) -> Result<()> {
    let held: i64 = tx.one("SELECT count(*) FROM rules WHERE person = ?1", [user.to_string()])?;
    match held >= PER_USER {
        true => Err(Error::conflict(format!("You have {held} rules: end some first."))),
        false => Ok(()),
    }
}

fn insert(tx: &Tx, rule: &Rule) -> Result<()> {
    let text = |value: serde_json::Result<String>| value.map_err(Error::internal);
    tx.run(
        "INSERT INTO rules (id, person, everybody, tool, conditions, decision, agent, hosts, definition, expires_at, ticket,
                            created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            rule.id.to_string(),
            rule.user.to_string(),
            rule.everybody,
            rule.tool,
            text(serde_json::to_string(&rule.when))?,
            rule.decision.as_str(),
            rule.agent,
            text(serde_json::to_string(&rule.hosts))?,
            rule.definition,
            rule.expires_at.map(Time::millis),
            rule.ticket.map(|id| id.to_string()),
            rule.created_at.millis(),
        ],
    )?;
    Ok(())
}

fn read(row: &Row<'_>) -> Result<Rule> {
    let decision = serde_json::Value::String(row.get::<String>("decision")?);
    let time = |name: &str| Ok::<_, Error>(row.get::<Option<i64>>(name)?.map(Time::from_millis));
    Ok(Rule {
        id: row.parsed("id")?,
        user: row.parsed("person")?,
        username: row.get("username")?,
        everybody: row.get("everybody")?,
        tool: row.get("tool")?,
        when: row.json("conditions")?,
        decision: serde_json::from_value(decision).map_err(Error::internal)?,
        agent: row.get("agent")?,
        hosts: row.json("hosts")?,
        definition: row.get("definition")?,
        expires_at: time("expires_at")?,
        ticket: row.get::<Option<String>>("ticket")?.map(|id| id.parse()).transpose()?,
        created_at: row.time("created_at")?,
        uses: row.get("uses")?,
        last_used_at: time("last_used_at")?,
    })
}
