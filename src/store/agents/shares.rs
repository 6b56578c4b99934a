//! Shares of a run in what the runs above it may spend: a run's tokens are its own and those of all that it began.

use crate::{db::Db, sql::Tx, turns::GONE};
use satchel_model::{agent::draft::AgentDraft, error::Result, run::RunId};

/// The limit of a run's tokens, and what it and all below it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The run.
    pub run: RunId,
    /// The name of its agent.
    pub agent: String,
    /// Most tokens.
    pub most: u64,
    /// Tokens taken.
    pub used: u64,
}

/// The limits that hold for a run: its own, and those of the runs above it.
pub async fn shares(db: &Db, run: RunId) -> Result<Vec<Share>> {
    db.read(move |tx| {
        let sql = format!(
            "WITH RECURSIVE up (id, parent) AS (
               SELECT id, parent FROM turns WHERE id = ?1
               UNION SELECT t.id, t.parent FROM turns t JOIN up u ON t.id = u.parent
             )
             SELECT t.id, coalesce(t.agent_draft, v.content, {GONE}) AS content
             FROM up JOIN turns t ON t.id = up.id
               LEFT JOIN agent_versions v ON v.agent = t.agent AND v.version = t.agent_version
             ORDER BY t.id DESC"
        );
        let above = tx.all(&sql, [run.to_string()], |row| Ok((row.parsed::<RunId>("id")?, row.json("content")?)))?;
        let mut shares = Vec::new();
        for (run, content) in above {
            let AgentDraft { name: agent, budget, .. } = content;
            if let Some(most) = budget.tokens_per_run {
                shares.push(Share { run, agent, most, used: used(tx, run)? });
            }
        }
        Ok(shares)
    })
    .await
}

/// Tokens that a run and all below it took.
fn used(tx: &Tx, run: RunId) -> Result<u64> {
    let sql = "WITH RECURSIVE below (id) AS (
                 SELECT id FROM turns WHERE id = ?1
                 UNION SELECT t.id FROM turns t JOIN below b ON t.parent = b.id
               )
               SELECT CAST(coalesce(sum(t.input_tokens + t.output_tokens), 0) AS BIGINT)
               FROM turns t JOIN below b ON b.id = t.id";
    tx.one::<i64>(sql, [run.to_string()]).map(i64::unsigned_abs)
}
