//! Tokens a person spent on a day (UTC).

use rusqlite::Connection;

use super::{
    db::Db,
    rows::{first, run},
};
use crate::model::{error::Result, llm::Usage, time::Time, user::UserId};

/// What this person spent on the day of `now`.
pub async fn spent(db: &Db, user: UserId, now: Time) -> Result<Usage> {
    let sql = "SELECT input_tokens, output_tokens FROM usage WHERE user = ?1 AND day = ?2";
    let read = db.read(move |c| {
        first(c, sql, (user.to_string(), now.day()), |row| {
            let number = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
            Ok(Usage { input_tokens: number(0)?, output_tokens: number(1)? })
        })
    });
    Ok(read.await?.unwrap_or_default())
}

/// Notes what a model call outside a turn cost this person.
pub async fn spend(db: &Db, user: UserId, now: Time, cost: Usage) -> Result<()> {
    db.write(move |c| add(c, user, now, cost)).await
}

/// Adds to what he spent on the day of `now`.
pub(super) fn add(c: &Connection, user: UserId, now: Time, cost: Usage) -> Result<()> {
    run(
        c,
        "INSERT INTO usage (user, day, input_tokens, output_tokens) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (user, day) DO UPDATE SET input_tokens = input_tokens + excluded.input_tokens,
           output_tokens = output_tokens + excluded.output_tokens",
        (user.to_string(), now.day(), cost.input_tokens.cast_signed(), cost.output_tokens.cast_signed()),
    )?;
    Ok(())
}
