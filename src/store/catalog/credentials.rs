//! Secrets of systems: in the vault, each bound to the address it was given for.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Catalog, rows};
use crate::{
    people::Actor,
    sql::Tx,
    vault::{self, delete_in, names_in},
};
use satchel_model::{
    catalog::{
        auth::Auth,
        credentials::Credentials,
        system::{System, SystemId},
    },
    error::{Error, Result},
    secret::{MASK, Secret},
    time::Time,
};

impl Catalog {
    /// What a system is called with: the secrets that were given for the address it has now, and no others.
    pub async fn credentials(&self, system: &System) -> Result<Credentials> {
        if system.auth.secrets().is_empty() {
            return Ok(Credentials::new(&system.name, system.auth.clone(), BTreeMap::new()));
        }
        let (vault, owner, auth) = (self.vault.clone(), system.binding(), system.auth.clone());
        let secrets = self.db.read(move |tx| {
            let mut secrets = BTreeMap::new();
            for part in auth.secrets() {
                if let Some(secret) = vault.get_in(tx, (&owner, part.name))? {
                    secrets.insert(part.name.to_owned(), secret);
                }
            }
            Ok(secrets)
        });
        Ok(Credentials::new(&system.name, system.auth.clone(), secrets.await?))
    }

    /// The names of the secrets a system has.
    pub async fn secrets_set(&self, system: &System) -> Result<Vec<String>> {
        let owner = system.binding();
        self.db.read(move |tx| names_in(tx, &owner)).await
    }

    /// Stores secrets. `***` keeps what is stored, null deletes, as does the empty text where it is no value; an unknown
    /// name is refused and changes nothing.
    pub async fn set_credentials(&self, by: &Actor, id: SystemId, values: Map<String, Value>) -> Result<System> {
        let (vault, by) = (self.vault.clone(), by.clone());
        let work = move |tx: &Tx| {
            let system = rows::require_system(tx, id)?;
            let changes = changes(&system, values)?;
            let owner = system.binding();
            for (name, secret) in &changes {
                match secret {
                    Some(secret) => vault.put_in(tx, (&owner, name), secret, by.now)?,
                    None => delete_in(tx, (&owner, name)).map(drop)?,
                }
            }
            let names: Vec<&String> = changes.keys().collect();
            let base_url = system.base_url.as_ref();
            by.record(
                tx,
                "catalog.credentials",
                json!({"id": id, "name": system.name, "base_url": base_url, "secrets": names}),
            )?;
            Ok((id, system))
        };
        self.write(work).await
    }

    /// Keeps a secret the system itself has renewed, such as a refresh token, for the address it was fetched from.
    pub async fn renew_secret(&self, system: &System, name: &'static str, secret: Secret, now: Time) -> Result<()> {
        let (vault, binding, id) = (self.vault.clone(), system.binding(), system.id);
        self.db
            .write(move |tx| {
                let now_bound = rows::require_system(tx, id)?.binding();
                // Somebody has led it elsewhere meanwhile: that token is of no use there.
                if now_bound != binding {
                    return Ok(());
                }
                vault.put_in(tx, (&binding, name), &secret, now)
            })
            .await
    }
}

/// The changes that were asked for, `None` meaning: forget it.
fn changes(system: &System, values: Map<String, Value>) -> Result<BTreeMap<String, Option<Secret>>> {
    let parts = system.auth.secrets();
    let mut changes = BTreeMap::new();
    for (name, value) in values {
        let Some(part) = parts.iter().find(|part| part.name == name) else {
            let known: Vec<&str> = parts.iter().map(|part| part.name).collect();
            let shown: String = name.chars().take(64).collect();
            let told = match known.as_slice() {
                [] => "A system without authentication has no secrets: choose a kind first.".to_owned(),
                known => {
                    format!("'{shown}' is no secret of this kind of authentication. It knows: {}.", known.join(", "))
                }
            };
            return Err(Error::invalid(told).with_details(json!({"field": shown, "known": known})));
        };
        match value {
            Value::String(text) if text == MASK => {}
            Value::Null => drop(changes.insert(name, None)),
            Value::String(text) if text.trim().is_empty() && !part.may_be_empty => drop(changes.insert(name, None)),
            Value::String(text) => {
                let text = text.trim();
                if part.name == "username" {
                    Auth::Basic { username: text.to_owned() }.require_sound()?;
                }
                changes.insert(name, Some(Secret::new(text)));
            }
            _ => return Err(Error::invalid(format!("The value of '{name}' must be text or null."))),
        }
    }
    let setting = changes.values().any(Option::is_some);
    if setting && system.base_url.is_none() {
        return Err(Error::conflict("Set the system's base_url first: a secret is bound to the host it is given for."));
    }
    Ok(changes)
}

/// Deletes the secrets of a system that were given for another address or another kind of credential; says whether
/// there were any.
pub(super) fn tidy(tx: &Tx, system: &System) -> Result<bool> {
    let binding = system.binding();
    let known: Vec<&str> = system.auth.secrets().iter().map(|part| part.name).collect();
    let mut gone = false;
    for owner in owners(tx, system.id)? {
        for name in names_in(tx, &owner)? {
            if owner != binding || !known.contains(&name.as_str()) {
                gone |= vault::delete_in(tx, (&owner, &name))?;
            }
        }
    }
    Ok(gone)
}

/// Deletes all secrets of a system.
pub(super) fn forget(tx: &Tx, id: SystemId) -> Result<()> {
    for owner in owners(tx, id)? {
        for name in names_in(tx, &owner)? {
            vault::delete_in(tx, (&owner, &name))?;
        }
    }
    Ok(())
}

fn owners(tx: &Tx, id: SystemId) -> Result<Vec<String>> {
    let query = "SELECT DISTINCT owner FROM vault WHERE owner LIKE ?1";
    tx.all(query, [format!("system:{id} %")], |row| row.get("owner"))
}
