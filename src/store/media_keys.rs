//! Keys of endpoints for pictures and speech, in the vault.

use serde_json::json;

use super::{
    db::Db,
    people::Actor,
    vault::{self, Vault},
};
use satchel_model::{error::Result, secret::Secret};

/// Keeps a key at its place, or forgets it, with the row that says so.
pub async fn keep(db: &Db, vault: &Vault, by: &Actor, place: (&str, &str), key: Option<Secret>) -> Result<()> {
    let (vault, by, owner, name) = (vault.clone(), by.clone(), place.0.to_owned(), place.1.to_owned());
    db.write(move |tx| {
        match &key {
            Some(key) => vault.put_in(tx, (&owner, &name), key, by.now)?,
            None => vault::delete_in(tx, (&owner, &name)).map(drop)?,
        }
        by.record(tx, "media.key", json!({"of": owner, "kept": key.is_some()}))
    })
    .await
}
