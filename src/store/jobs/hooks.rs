//! Webhooks: from an address to its job, and a message is taken once.

use base64::{Engine, engine::general_purpose::STANDARD};

use super::{
    Jobs, SECRET,
    due::{NewFiring, insert},
};
use crate::sql::Row;
use satchel_model::{
    error::{Error, Kind, Result},
    job::{Cause, FiringId, JobId},
    run::RunState,
    secret::Secret,
    time::Time,
};

/// The time for which the id of a message is remembered: longer than a message is accepted.
const REMEMBERED: std::time::Duration = std::time::Duration::from_secs(3_600);
/// Most runs of one webhook that wait for their turn.
const QUEUED: i64 = 100;
/// Bytes of a secret.
const BYTES: usize = 24;

/// A job whose address was called.
#[derive(Debug)]
pub struct HookCall {
    /// The job.
    pub job: JobId,
    /// `false` while it is paused.
    pub enabled: bool,
    /// The secret that the message has to be signed with.
    pub secret: Secret,
}

/// The outcome for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// A run was made of it.
    Run(FiringId),
    /// It was taken before.
    Before,
}

/// The owner in the vault of a job's secret.
pub(super) fn vault_owner(id: JobId) -> String {
    format!("job:{id}")
}

/// A secret as Standard Webhooks writes it.
pub(super) fn new_secret() -> Secret {
    let bytes: [u8; BYTES] = rand::random();
    Secret::new(format!("whsec_{}", STANDARD.encode(bytes)))
}

impl Jobs {
    /// The job behind an address; `None` if there is none.
    pub async fn by_hook(&self, token: &str) -> Result<Option<HookCall>> {
        let (token, vault) = (token.to_owned(), self.vault.clone());
        self.db
            .read(move |tx| {
                let read = |row: &Row<'_>| Ok((row.parsed::<JobId>("id")?, row.get("enabled")?));
                let Some((job, enabled)) = tx.first("SELECT id, enabled FROM jobs WHERE hook = ?1", [token], read)?
                else {
                    return Ok(None);
                };
                let secret = vault.get_in(tx, (&vault_owner(job), SECRET))?;
                let secret = secret.ok_or_else(|| Error::internal("a webhook has no secret"))?;
                Ok(Some(HookCall { job, enabled, secret }))
            })
            .await
    }

    /// Takes a message that was found genuine.
    ///
    /// # Errors
    ///
    /// If too many wait for their turn.
    pub async fn take_message(&self, job: JobId, message: String, body: String, now: Time) -> Result<Taken> {
        let taken = self
            .db
            .write(move |tx| {
                let id = job.to_string();
                let old = now.before(REMEMBERED).millis();
                tx.run("DELETE FROM hook_messages WHERE job = ?1 AND taken_at < ?2", (&id, old))?;
                let sql =
                    "INSERT INTO hook_messages (job, message, taken_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
                if tx.run(sql, (&id, message, now.millis()))? == 0 {
                    return Ok(Taken::Before);
                }
                let queued: i64 = tx.one("SELECT count(*) FROM firings WHERE job = ?1 AND state = 'queued'", [&id])?;
                if queued >= QUEUED {
                    let told = format!("{QUEUED} messages wait for their turn already. Send it again later.");
                    return Err(Error::new(Kind::Exhausted, told));
                }
                let (cause, state) = (Cause::Webhook, RunState::Queued);
                let run = insert(tx, NewFiring { input: Some(body), ..NewFiring::new(job, cause, state, now) }, now)?;
                Ok(Taken::Run(run))
            })
            .await;
        self.ring();
        taken
    }
}
