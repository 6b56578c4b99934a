//! Requests that may be repeated: each is known by a name that its program gave it, and answered once.

use std::time::Duration;

use sha2::{Digest, Sha256};

use super::{
    db::Db,
    nodes::ABANDONED,
    sql::{Row, Tx, params},
};
use satchel_model::{
    caller::Caller,
    conversation::ConversationId,
    error::{Error, Kind, Result},
    run::RunId,
    time::Time,
    user::UserId,
};

/// The time a name is known.
const KEPT: Duration = Duration::from_secs(24 * 3_600);
/// Most names of one person, and most bytes of the answers that are kept for them.
const MOST: (i64, i64) = (10_000, 64 << 20);

/// A request by its name, as one caller knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestName {
    user: UserId,
    credential: String,
    name: String,
}

/// A request that was sent before, as far as it is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// A run answers it.
    Run(ConversationId, RunId),
    /// It was answered so.
    Answer(String),
}

impl RequestName {
    /// The name that this caller gave a request.
    pub fn new(caller: &Caller, name: String) -> Self {
        let credential = caller.credential.key().map(|key| key.to_string()).unwrap_or_default();
        Self { user: caller.user, credential, name }
    }

    fn bound(&self) -> (String, String, String) {
        (self.user.to_string(), self.credential.clone(), self.name.clone())
    }
}

/// Takes a name for a request of this path and body. Returns what is known of it, if it was sent before.
///
/// # Errors
///
/// If another request has that name, or it is being answered.
pub async fn take(db: &Db, name: RequestName, (path, body): (&str, &[u8]), now: Time) -> Result<Option<Known>> {
    let digest = Sha256::new().chain_update(path).chain_update([0]).chain_update(body).finalize().to_vec();
    let node = db.node();
    db.write(move |tx| {
        tx.run("DELETE FROM repeatable_requests WHERE created_at < ?1", [now.before(KEPT).millis()])?;
        let sql = format!(
            "SELECT digest, conversation, run, answer, {ABANDONED} AS abandoned FROM repeatable_requests
             WHERE person = ?1 AND credential = ?2 AND name = ?3"
        );
        let before = tx.first(&sql, name.bound(), |row| {
            Ok((row.get::<Vec<u8>>("digest")?, known(row)?, row.get::<bool>("abandoned")?))
        })?;
        match before {
            Some((other, ..)) if other != digest => Err(Error::invalid(
                "Another request was sent with this Idempotency-Key: give each request a key of its own.",
            )),
            Some((_, Some(known), _)) => Ok(Some(known)),
            Some((_, None, false)) => Err(under_way()),
            before => {
                ensure_few(tx, name.user)?;
                // Whoever was at it is gone, and a model has answered nobody.
                if before.is_some() {
                    drop_name(tx, &name)?;
                }
                insert(tx, &name, (digest, node.to_string()), now).map(|()| None)
            }
        }
    })
    .await
}

fn under_way() -> Error {
    let told = "This request is being answered: send it again a little later, with the same Idempotency-Key.";
    Error::conflict(told).with_details(serde_json::json!({"retry_after": 1}))
}

fn ensure_few(tx: &Tx, user: UserId) -> Result<()> {
    let sql = "SELECT count(*) AS held, CAST(coalesce(sum(octet_length(answer)), 0) AS BIGINT) AS bytes
               FROM repeatable_requests WHERE person = ?1";
    let (held, bytes) = tx
        .first(sql, [user.to_string()], |row| Ok((row.get::<i64>("held")?, row.get::<i64>("bytes")?)))?
        .unwrap_or_default();
    if held < MOST.0 && bytes < MOST.1 {
        return Ok(());
    }
    Err(Error::new(
        Kind::Exhausted,
        format!(
            "{} requests of a day can have an Idempotency-Key, and {} MB of answers are kept for them.",
            MOST.0,
            MOST.1 >> 20
        ),
    ))
}

fn insert(tx: &Tx, name: &RequestName, (digest, node): (Vec<u8>, String), now: Time) -> Result<()> {
    let (person, credential, named) = name.bound();
    tx.run(
        "INSERT INTO repeatable_requests (person, credential, name, digest, node, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![person, credential, named, digest, node, now.millis()],
    )
    .map(drop)
}

fn drop_name(tx: &Tx, name: &RequestName) -> Result<()> {
    let sql = "DELETE FROM repeatable_requests WHERE person = ?1 AND credential = ?2 AND name = ?3
                 AND run IS NULL AND answer IS NULL";
    tx.run(sql, name.bound()).map(drop)
}

/// Lets the name of a request go that was refused, or that nobody waits for: it can be sent again. Nothing happens where
/// something has answered it.
pub async fn let_go(db: &Db, name: RequestName) -> Result<()> {
    db.write(move |tx| drop_name(tx, &name)).await
}

/// Keeps the answer to a request.
pub async fn answer(db: &Db, name: RequestName, text: String) -> Result<()> {
    let sql = "UPDATE repeatable_requests SET answer = ?4 WHERE person = ?1 AND credential = ?2 AND name = ?3";
    let (person, credential, named) = name.bound();
    db.write(move |tx| tx.run(sql, (person, credential, named, text)).map(drop)).await
}

/// Keeps the run that answers a request, in the transaction that begins it.
pub(super) fn bind(tx: &Tx, name: &RequestName, (conversation, run): (ConversationId, RunId)) -> Result<()> {
    let sql = "UPDATE repeatable_requests SET conversation = ?4, run = ?5
               WHERE person = ?1 AND credential = ?2 AND name = ?3 AND run IS NULL";
    let (person, credential, named) = name.bound();
    match tx.run(sql, params![person, credential, named, conversation.to_string(), run.to_string()])? {
        0 => Err(under_way()),
        _ => Ok(()),
    }
}

fn known(row: &Row<'_>) -> Result<Option<Known>> {
    if let Some(answer) = row.get::<Option<String>>("answer")? {
        return Ok(Some(Known::Answer(answer)));
    }
    let run: Option<String> = row.get("run")?;
    let Some(run) = run else { return Ok(None) };
    Ok(Some(Known::Run(row.parsed("conversation")?, run.parse()?)))
}
