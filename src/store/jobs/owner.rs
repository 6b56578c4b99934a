//! The owner of a job, as they are now: what they may do no longer, it does no longer.

use std::sync::Arc;

use super::Jobs;
use crate::{
    agents,
    sql::{Row, Tx},
};
use satchel_model::{
    caller::{Caller, Credential, Door, Permissions},
    error::{Error, Result},
    id::Id,
    job::Authority,
    user::{ApiKey, UserId},
};

/// The permission to have jobs.
const PERMISSION: &str = "jobs:manage";

/// Whose job it is, and who wrote it down.
#[derive(Debug, Clone)]
pub struct Owner {
    /// The person.
    pub user: UserId,
    /// Their name when they made it.
    pub username: String,
    /// Whoever wrote the job down beside them, or asked for this run.
    pub authority: Authority,
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
    /// Denied if the account is gone or disabled, may have no jobs any more, a key was revoked, or an agent is gone: in a
    /// sentence.
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
    let mut caller = Caller {
        user: owner.user,
        username,
        permissions,
        door: Door::Job,
        credential: Credential::Session,
        personal: true,
        agent: None,
    };
    for key in &owner.authority.keys {
        caller = within_key(tx, caller, *key)?;
    }
    if !caller.permissions.grants(PERMISSION) {
        return Err(Error::denied(format!(
            "{}, whose job this is, may have no jobs any more: that needs the permission '{PERMISSION}'. Nothing ran.",
            caller.username
        )));
    }
    let mut acting = None;
    for agent in owner.authority.agents.iter().rev() {
        acting = Some(Arc::new(agents::acting(tx, &caller, agent)?.within(acting)));
    }
    Ok(Caller { agent: acting, ..caller })
}

/// The caller, as far as a key of theirs may as well.
fn within_key(tx: &Tx, caller: Caller, key: Id<ApiKey>) -> Result<Caller> {
    let sql = "SELECT permissions, personal FROM api_keys WHERE id = ?1";
    let read = |row: &Row<'_>| Ok((row.json::<Permissions>("permissions")?, row.get("personal")?));
    let found: Option<(Permissions, bool)> = tx.first(sql, [key.to_string()], read)?;
    let (own, personal) = found.ok_or_else(|| {
        Error::denied(
            "The key that this job was written with, or that asked for this run, was revoked. Nothing ran: save the job \
             in the console to have it run as yourself.",
        )
    })?;
    let (permissions, personal) = (caller.permissions.intersect(&own), caller.personal && personal);
    Ok(Caller { permissions, personal, credential: Credential::Key(key), ..caller })
}
