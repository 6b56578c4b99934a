//! Tokens a person spent on a day (UTC).

use super::{db::Db, sql::Tx};
use satchel_model::{error::Result, llm::Usage, time::Time, user::UserId};

/// What this person spent on the day of `now`.
pub async fn spent(db: &Db, user: UserId, now: Time) -> Result<Usage> {
    let sql = "SELECT input_tokens, output_tokens FROM usage WHERE person = ?1 AND day = ?2";
    let read = db.read(move |tx| {
        tx.first(sql, (user.to_string(), now.day()), |row| {
            let number = |column| row.get::<i64>(column).map(i64::unsigned_abs);
            Ok(Usage { input_tokens: number("input_tokens")?, output_tokens: number("output_tokens")? })
        })
    });
    Ok(read.await?.unwrap_or_default())
}

/// Notes what a model call outside a turn cost this person.
pub async fn spend(db: &Db, user: UserId, now: Time, cost: Usage) -> Result<()> {
    db.write(move |tx| add(tx, user, now, cost)).await
}

/// Adds to what a person spent on the day of `now`.
pub(super) fn add(tx: &Tx, user: UserId, now: Time, cost: Usage) -> Result<()> {
    tx.run(
        "INSERT INTO usage (person, day, input_tokens, output_tokens) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (person, day) DO UPDATE SET input_tokens = usage.input_tokens + excluded.input_tokens,
           output_tokens = usage.output_tokens + excluded.output_tokens",
        (user.to_string(), now.day(), cost.input_tokens.cast_signed(), cost.output_tokens.cast_signed()),
    )?;
    Ok(())
}
