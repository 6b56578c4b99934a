//! Consents: the texts of scripts of others that a person lets use what belongs to them.

use serde::{Deserialize, Serialize};

use super::db::Db;
use satchel_model::{error::Result, time::Time, user::UserId};

/// A text of a script that a person may agree to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptText {
    /// The script's name.
    pub script: String,
    /// The digest of its text, and of what it uses of its callers'.
    pub digest: String,
}

/// Whether this person has agreed to this text.
pub async fn has(db: &Db, user: UserId, text: ScriptText) -> Result<bool> {
    let sql = "SELECT 1 FROM script_consents WHERE person = ?1 AND script = ?2 AND digest = ?3";
    db.read(move |tx| tx.exists(sql, (user.to_string(), text.script, text.digest))).await
}

/// Stores that this person agrees to these texts.
pub async fn give(db: &Db, user: UserId, texts: Vec<ScriptText>, now: Time) -> Result<()> {
    db.write(move |tx| {
        let sql = "INSERT INTO script_consents (person, script, digest, given_at) VALUES (?1, ?2, ?3, ?4)
                   ON CONFLICT (person, script, digest) DO NOTHING";
        let given = texts.iter().map(|text| (user.to_string(), &text.script, &text.digest, now));
        tx.many(sql, given).map(drop)
    })
    .await
}
