//! The skills that runs follow.

use std::sync::Arc;

use super::Skills;
use crate::{
    sql::{Row, Tx},
    turns::OpenTurn,
};
use satchel_model::{
    conversation::{ConversationId, TurnId},
    error::{Error, Result},
    skill::{ActiveSkill, WholeSkill},
};

impl Skills {
    /// Has the run that is under way in a conversation follow a skill, to its end. Returns `false` where none is: then it is
    /// only read.
    pub async fn follow(&self, conversation: ConversationId, skill: &WholeSkill) -> Result<bool> {
        let allowed = serde_json::to_string(&skill.skill.head.tool_names()).map_err(Error::internal)?;
        let (name, body) = (skill.skill.head.name.clone(), skill.body.clone());
        let sql = "INSERT INTO active_skills (turn, skill, allowed, body)
                   SELECT t.id, CAST(?2 AS TEXT), CAST(?3 AS TEXT), CAST(?4 AS TEXT) FROM turns t WHERE t.conversation = ?1 AND t.state IN ('running', 'waiting')
                   ON CONFLICT (turn, skill) DO UPDATE SET body = excluded.body, allowed = excluded.allowed";
        let write = move |tx: &Tx| Ok(tx.run(sql, (conversation.to_string(), name, allowed, body))? > 0);
        self.db.write_after_effect(write).await
    }

    /// The skills that a run follows, by name.
    pub async fn followed(&self, turn: TurnId) -> Result<Vec<ActiveSkill>> {
        self.db.read(move |tx| followed(tx, turn)).await
    }
}

fn followed(tx: &Tx, turn: TurnId) -> Result<Vec<ActiveSkill>> {
    let sql = "SELECT skill, allowed, body FROM active_skills WHERE turn = ?1 ORDER BY skill";
    let active = |row: &Row<'_>| {
        Ok(ActiveSkill { name: row.get("skill")?, allowed: row.json("allowed")?, body: row.get("body")? })
    };
    tx.all(sql, [turn.to_string()], active)
}

/// The turn, whose agent acts within the bounds of the skills it follows.
pub(crate) fn narrow(tx: &Tx, mut turn: OpenTurn) -> Result<OpenTurn> {
    let bounds: Vec<(String, Vec<String>)> = followed(tx, turn.id)?
        .into_iter()
        .filter(|skill| !skill.allowed.is_empty())
        .map(|skill| (skill.name, skill.allowed))
        .collect();
    if let Some(agent) = turn.caller.agent.as_ref().filter(|_| !bounds.is_empty()) {
        let narrowed = agent.as_ref().clone().following(bounds);
        turn.caller.agent = Some(Arc::new(narrowed));
    }
    Ok(turn)
}
