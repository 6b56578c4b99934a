//! Past calls, page by page: as much of their rows as judging them anew takes.

use std::{collections::HashSet, sync::Arc};

use serde_json::Value;

use super::Audit;
use crate::sql::Row;
use satchel_model::{
    error::{Error, Result},
    policy::Situation,
    time::Time,
    user::UserId,
};

/// A call that was made.
#[derive(Debug, Clone)]
pub struct PastCall {
    /// Its row's number.
    pub seq: i64,
    /// The caller.
    pub user_id: Option<UserId>,
    /// The caller's name then.
    pub user: String,
    /// Canonical id of the tool.
    pub tool: String,
    /// The way it came in.
    pub door: String,
    /// Its risk.
    pub risk: Option<String>,
    /// Its outcome.
    pub outcome: String,
    /// The reason it did not work.
    pub error: Option<String>,
    /// Whoever let it through, if somebody was asked or a rule did.
    pub approved_by: Option<String>,
    /// The circumstances by which policies judged it; `None` in rows from before they were kept.
    pub situation: Option<Situation>,
    /// Its arguments as the audit keeps them, where they were wanted.
    pub arguments: Option<Value>,
}

/// The calls that are looked at, and of which the arguments are.
#[derive(Debug, Clone, Default)]
pub struct Past {
    /// Not before.
    pub from: Option<Time>,
    /// Before.
    pub to: Option<Time>,
    /// Calls of this person alone.
    pub user: Option<UserId>,
    /// Tools whose arguments are wanted.
    pub arguments_of: Arc<HashSet<String>>,
}

/// Calls that were read at once.
#[derive(Debug, Default)]
pub struct PastPage {
    /// The calls, the oldest first.
    pub calls: Vec<PastCall>,
    /// The row to go on after; `None` at the end.
    pub next: Option<i64>,
}

impl Audit {
    /// Calls after a row, from at most so many rows.
    pub async fn past_calls(&self, past: Past, after: i64, rows: i64) -> Result<PastPage> {
        self.db
            .read(move |tx| {
                let sql = "SELECT seq, time, event_type, user_id, person, tool, door, action, arguments, risk, outcome,
                             error, approved_by, format, situation FROM audit WHERE seq > ?1 AND seq <= ?2 ORDER BY seq";
                let last = after.saturating_add(rows);
                let (mut calls, mut seen) = (Vec::new(), false);
                tx.find(sql, (after, last), |row| {
                    seen = true;
                    let (seq, time) = (row.get::<i64>("seq")?, row.time("time")?);
                    let is_within = past.from.is_none_or(|from| time >= from) && past.to.is_none_or(|to| time < to);
                    if !is_within || row.get::<&str>("event_type")? != "tool_invocation" {
                        return Ok(None::<()>);
                    }
                    let user_id: Option<UserId> = row.get::<Option<&str>>("user_id")?.map(str::parse).transpose()?;
                    if past.user.is_some_and(|user| user_id != Some(user)) {
                        return Ok(None);
                    }
                    let user = row.get("person")?;
                    let Some(tool) = row.get::<Option<String>>("tool")? else { return Ok(None) };
                    let door = row.get("door")?;
                    if row.get::<&str>("action")? != "invoke" {
                        return Ok(None);
                    }
                    let arguments = match past.arguments_of.contains(&tool) {
                        true => Some(serde_json::from_str(row.get("arguments")?).map_err(Error::internal)?),
                        false => None,
                    };
                    let (risk, outcome) = (row.get("risk")?, row.get("outcome")?);
                    let (error, approved_by) = (row.get("error")?, row.get("approved_by")?);
                    let situation = situation(row)?;
                    calls.push(PastCall {
                        seq,
                        user_id,
                        user,
                        tool,
                        door,
                        risk,
                        outcome,
                        error,
                        approved_by,
                        situation,
                        arguments,
                    });
                    Ok(None)
                })?;
                let more = seen || tx.exists("SELECT 1 FROM audit WHERE seq > ?1", [last])?;
                Ok(PastPage { calls, next: more.then_some(last) })
            })
            .await
    }
}

/// The circumstances of a call in its row, which keeps none where there were none.
fn situation(row: &Row<'_>) -> Result<Option<Situation>> {
    let kept: Option<&str> = row.get("situation")?;
    match kept {
        // One that cannot be read was changed, which `verify` tells: the others can be judged all the same.
        Some(kept) => Ok(serde_json::from_str(kept).ok()),
        None => Ok((row.get::<i64>("format")? >= 3).then(Situation::default)),
    }
}
