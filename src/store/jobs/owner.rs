//! The owner of a job, as they are now: what they may do no longer, it does no longer.

use super::Jobs;
use crate::sql::{Row, Tx};
use satchel_model::{
    caller::{Caller, Credential, Door, Permissions},
    error::{Error, Result},
    id::Id,
    user::{ApiKey, UserId},
};

/// The permission to have jobs.
const PERMISSION: &str = "jobs:manage";

/// Whose job it is, and the key it was made with.
#[derive(Debug, Clone)]
pub struct Owner {
    /// The person.
    pub user: UserId,
    /// Their name when they made it.
    pub username: String,
    /// The key they made it with, if with one.
    pub key: Option<Id<ApiKey>>,
}

struct Now {
    username: String,
    disabled: bool,
    permissions: Permissions,
}

impl Jobs {
    /// The caller that a job of this owner runs as.
    ///
    /// # Errors
    ///
    /// Denied if the account is gone or disabled, may have no jobs any more, or the key was revoked: in a sentence.
    pub async fn owner_now(&self, owner: &Owner) -> Result<Caller> {
        let owner = owner.clone();
        self.db.read(move |tx| now(tx, &owner)).await
    }

    /// Returns whether an account is gone for good.
    pub async fn is_gone(&self, user: UserId) -> Result<bool> {
        self.db.read(move |tx| Ok(!tx.exists("SELECT 1 FROM users WHERE id = ?1", [user.to_string()])?)).await
    }
}

fn now(tx: &Tx, owner: &Owner) -> Result<Caller> {
    let name = &owner.username;
    let sql =
        "SELECT u.username, u.disabled, r.permissions FROM users u JOIN roles r ON r.name = u.role WHERE u.id = ?1";
    let read = |row: &Row<'_>| {
        let (username, disabled) = (row.get("username")?, row.get("disabled")?);
        Ok(Now { username, disabled, permissions: row.json("permissions")? })
    };
    let Some(Now { username, disabled, permissions }) = tx.first(sql, [owner.user.to_string()], read)? else {
        return Err(Error::denied(format!("The account of {name}, whose job this is, was deleted. Nothing ran.")));
    };
    if disabled {
        return Err(Error::denied(format!("The account of {username}, whose job this is, is disabled. Nothing ran.")));
    }
    let (permissions, credential, personal) = match owner.key {
        None => (permissions, Credential::Session, true),
        Some(key) => {
            let sql = "SELECT permissions, personal FROM api_keys WHERE id = ?1";
            let read = |row: &Row<'_>| Ok((row.json::<Permissions>("permissions")?, row.get("personal")?));
            let (own, personal) = tx.first(sql, [key.to_string()], read)?.ok_or_else(|| {
                Error::denied("The key that made this job was revoked. Nothing ran: make the job anew.")
            })?;
            (permissions.intersect(&own), Credential::Key(key), personal)
        }
    };
    if !permissions.grants(PERMISSION) {
        return Err(Error::denied(format!(
            "{username}, whose job this is, may have no jobs any more: that needs the permission '{PERMISSION}'. Nothing ran."
        )));
    }
    Ok(Caller { user: owner.user, username, permissions, door: Door::Job, credential, personal, agent: None })
}
