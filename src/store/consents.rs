//! Consents: which texts of scripts of others a person lets use what belongs to them.

use rusqlite::params;

use super::{
    db::Db,
    rows::{first, run},
};
use crate::model::{error::Result, time::Time, user::UserId};

/// Whether this person has agreed to this text of a script: its name, and its digest.
pub async fn has(db: &Db, user: UserId, (script, digest): (String, String)) -> Result<bool> {
    let sql = "SELECT 1 FROM script_consents WHERE user = ?1 AND script = ?2 AND digest = ?3";
    let found = db.read(move |c| first(c, sql, (user.to_string(), script, digest), |_| Ok(()))).await?;
    Ok(found.is_some())
}

/// Keeps that this person agrees to these texts.
pub async fn give(db: &Db, user: UserId, texts: Vec<(String, String)>, now: Time) -> Result<()> {
    db.write(move |c| {
        for (script, digest) in &texts {
            let sql = "INSERT OR IGNORE INTO script_consents (user, script, digest, given_at) VALUES (?1, ?2, ?3, ?4)";
            run(c, sql, params![user.to_string(), script, digest, now.millis()])?;
        }
        Ok(())
    })
    .await
}
