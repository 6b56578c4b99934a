//! Tokens that an agent took for a person on a day (UTC).

use crate::{db::Db, sql::Tx, turns, usage};
use satchel_model::{
    agent::{AgentAt, AgentId},
    conversation::TurnId,
    error::Result,
    llm::Usage,
    price::Spent,
    time::Time,
    user::UserId,
};

/// Tokens that an agent took for this person on the day of `now`.
pub async fn spent(db: &Db, agent: &AgentId, user: UserId, now: Time) -> Result<u64> {
    let place = (agent.to_string(), user.to_string(), now.day());
    let sql = "SELECT tokens FROM agent_usage WHERE agent = ?1 AND person = ?2 AND day = ?3";
    let tokens: Option<i64> = db.read(move |tx| tx.first(sql, place, |row| row.get("tokens"))).await?;
    Ok(tokens.unwrap_or_default().unsigned_abs())
}

/// Notes what an answer of an agent cost a person outside a turn of its own, and the turn that asked for it.
pub async fn spend_for(
    db: &Db,
    agent: &AgentAt,
    (user, turn): (UserId, Option<TurnId>),
    (now, spent): (Time, Spent),
) -> Result<()> {
    let agent = agent.clone();
    db.write_after_effect(move |tx| {
        let billed = usage::add(tx, (user, agent.id.as_str()), now, &spent)?;
        spend(tx, &agent, user, (now, spent.usage))?;
        let Some(turn) = turn else { return Ok(()) };
        turns::charge(tx, turn, spent.usage, billed)
    })
    .await
}

/// Adds to what an agent took for a person on the day of `now`. A draft that is tried has no budget of a day.
pub(crate) fn spend(tx: &Tx, agent: &AgentAt, user: UserId, (now, cost): (Time, Usage)) -> Result<()> {
    if agent.version == 0 {
        return Ok(());
    }
    tx.run(
        "INSERT INTO agent_usage (agent, person, day, tokens) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (agent, person, day) DO UPDATE SET tokens = agent_usage.tokens + excluded.tokens",
        (agent.id.to_string(), user.to_string(), now.day(), cost.total().cast_signed()),
    )
    .map(drop)
}
