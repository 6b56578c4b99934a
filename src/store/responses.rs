//! Answers of `/v1/responses` that are kept, each by its person. Another person's is not found.

use super::{
    conversations,
    db::Db,
    sql::{Row, Tx, params},
};
use satchel_model::{
    error::{Error, Result},
    response::{ResponseId, StoredResponse},
    run::RunId,
    user::UserId,
};

/// Keeps one.
///
/// # Errors
///
/// If this person has no such conversation.
pub async fn keep(db: &Db, user: UserId, new: StoredResponse) -> Result<()> {
    db.write(move |tx| {
        conversations::get(tx, user, new.conversation)?;
        let text = |value: serde_json::Result<String>| value.map_err(Error::internal);
        tx.run(
            "INSERT INTO responses (id, person, conversation, run, decided, request, input, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                new.id.to_string(),
                user.to_string(),
                new.conversation.to_string(),
                new.run.to_string(),
                text(serde_json::to_string(&new.decided))?,
                text(serde_json::to_string(&new.request))?,
                text(serde_json::to_string(&new.input))?,
                new.created_at.millis(),
            ],
        )
        .map(drop)
    })
    .await
}

/// One of this person's, whose conversation is there.
///
/// # Errors
///
/// If they have none such.
pub async fn get(db: &Db, user: UserId, id: ResponseId) -> Result<StoredResponse> {
    db.read(move |tx| find(tx, user, id)).await
}

/// The one of this person's that a run answered first. `None` if none was kept.
pub async fn of_run(db: &Db, user: UserId, run: RunId) -> Result<Option<StoredResponse>> {
    let sql = "SELECT id FROM responses WHERE run = ?1 AND person = ?2 ORDER BY id LIMIT 1";
    db.read(move |tx| {
        let found = tx.first(sql, (run.to_string(), user.to_string()), |row| row.parsed("id"))?;
        found.map(|id| find(tx, user, id)).transpose()
    })
    .await
}

/// Forgets one. Returns it, and whether no other one is of its conversation.
///
/// # Errors
///
/// As [`get`] has them.
pub async fn forget(db: &Db, user: UserId, id: ResponseId) -> Result<(StoredResponse, bool)> {
    db.write(move |tx| {
        let found = find(tx, user, id)?;
        tx.run("DELETE FROM responses WHERE id = ?1", [id.to_string()])?;
        let others = "SELECT 1 FROM responses WHERE conversation = ?1";
        let is_last = !tx.exists(others, [found.conversation.to_string()])?;
        Ok((found, is_last))
    })
    .await
}

fn find(tx: &Tx, user: UserId, id: ResponseId) -> Result<StoredResponse> {
    let sql = "SELECT r.id, r.conversation, r.run, r.decided, r.request, r.input, r.created_at
               FROM responses r JOIN conversations c ON c.id = r.conversation
               WHERE r.id = ?1 AND r.person = ?2 AND c.person = ?2";
    let found = tx.first(sql, (id.to_string(), user.to_string()), read)?;
    found.ok_or_else(|| Error::not_found(format!("There is no response 'resp_{}'.", id.simple())))
}

fn read(row: &Row<'_>) -> Result<StoredResponse> {
    Ok(StoredResponse {
        id: row.parsed("id")?,
        conversation: row.parsed("conversation")?,
        run: row.parsed("run")?,
        decided: row.json("decided")?,
        request: row.json("request")?,
        input: row.json("input")?,
        created_at: row.time("created_at")?,
    })
}
