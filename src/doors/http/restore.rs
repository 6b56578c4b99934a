//! Restoring a backup in place of making the first owner.

use std::{
    collections::HashMap,
    mem,
    path::{Path, PathBuf},
};

use actix_multipart::{Field, Multipart};
use actix_web::{
    HttpRequest,
    web::{Data, Payload},
};
use serde::Serialize;
use tokio::{
    fs::{File, OpenOptions},
    io::AsyncWriteExt,
};

use super::{
    json::Json,
    route::{Guard::Public, Route, route},
    state::State,
    upload,
};
use crate::http::error::HttpResult;
use satchel_model::{
    error::{Error, Kind, Result},
    secret::Secret,
    time::Time,
};
use satchel_store::backup::{
    exchange::Received,
    restore::{VaultChoice, require_room},
    seal::Opener,
};

/// The field that lets the others in: nobody is read to the end who has not got the link.
const TOKEN: &str = "token";
/// The field of the backup.
const FILE: &str = "file";
/// All the others.
const OTHERS: [&str; 4] = ["identity", "passphrase", "vault_key", "forget_secrets"];
/// Room that must stay on the disk, whatever is sent.
const SPARE: u64 = 16 << 20;
/// Bytes between two looks at it.
const LOOK: u64 = 16 << 20;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(restore, Public)]
}

/// A backup and what opens it.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the form for the document")]
struct RestoreForm {
    /// From the set-up link. Comes first.
    token: String,
    /// The text of the key file that opens the backup.
    #[schema(format = Password)]
    identity: Option<String>,
    /// Or the passphrase.
    #[schema(format = Password)]
    passphrase: Option<String>,
    /// The vault's key, the text of secret.key, where it is not in the backup.
    #[schema(format = Password)]
    vault_key: Option<String>,
    /// `true` where that key is lost: the vault's secrets are forgotten.
    forget_secrets: Option<String>,
    /// The backup. Comes last.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// The data directory that was restored.
#[derive(Serialize, utoipa::ToSchema)]
struct RestoredBackup {
    /// The time at which the backup was made.
    created_at: Time,
    /// The version that made it.
    version: String,
    /// Files in it.
    files: u64,
    /// API keys that are good again, also those that were revoked since. All sessions have ended.
    keys: usize,
    /// Rows of each table.
    rows: std::collections::BTreeMap<String, i64>,
}

/// Restores a backup in place of making the first owner. Once it answers, Satchel starts on what was restored.
#[utoipa::path(post, path = "/api/setup/restore",
    tag = "setup", request_body(content((RestoreForm = "multipart/form-data"))), responses(
    (status = 200, body = RestoredBackup),
    (status = 403, description = "Not the link of this start, or it has lapsed.", body = super::error::Problem),
    (status = 409, description = "There is an owner already.", body = super::error::Problem),
))]
async fn restore(request: HttpRequest, state: Data<State>, payload: Payload) -> HttpResult<Json<RestoredBackup>> {
    state.app.stores.people.require_no_owner().await?;
    if !upload::is_multipart(request.headers()) {
        return Err(
            Error::invalid("Send the backup as multipart/form-data: `token`, what opens it, then `file`.").into()
        );
    }
    let (form, incoming) = read(&state, Multipart::new(request.headers(), payload)).await?;
    let (opener, vault) = (opener(&form)?, vault(&form));
    let restored = state.backups.restore(Received { file: incoming.hand_over(), opener, vault }).await?;
    let manifest = restored.manifest;
    Ok(Json(RestoredBackup {
        created_at: manifest.created_at,
        version: manifest.version,
        files: manifest.files,
        keys: restored.keys,
        rows: manifest.rows,
    }))
}

/// The file into which a backup is received; it goes with this.
struct Incoming(PathBuf);

impl Incoming {
    async fn new(folder: PathBuf) -> Result<Self> {
        tokio::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).await.map_err(|e| fault(&e))?;
        Ok(Self(folder.join(uuid::Uuid::now_v7().to_string())))
    }

    /// The file, which goes with somebody else from here on.
    fn hand_over(mut self) -> PathBuf {
        mem::take(&mut self.0)
    }
}

impl Drop for Incoming {
    #[expect(clippy::disallowed_methods, reason = "removes what was received")]
    fn drop(&mut self) {
        // What cannot go now goes at the next start.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Fields of the form, by name.
type Form = HashMap<String, Secret>;

async fn read(state: &State, mut parts: Multipart) -> Result<(Form, Incoming)> {
    let mut form = Form::new();
    while let Some(mut part) = upload::next(&mut parts).await? {
        let name = part.name().unwrap_or_default().to_owned();
        if form.is_empty() {
            require_link(state, &name, &mut part).await?;
            form.insert(name, Secret::new(""));
        } else if name == FILE {
            let incoming = Incoming::new(state.backups.incoming()).await?;
            receive(&mut part, &incoming.0).await?;
            return Ok((form, incoming));
        } else if !OTHERS.contains(&name.as_str()) || form.contains_key(&name) {
            return Err(Error::invalid(format!(
                "Send `token`, then each of {} at most once, and `file` last.",
                OTHERS.map(|name| format!("`{name}`")).join(", ")
            )));
        } else {
            let text = upload::text(&mut part, &name).await?;
            form.insert(name, Secret::new(text));
        }
    }
    Err(Error::invalid("There is no backup: send one in the field `file`, after the others."))
}

/// Checks that the first field is the token of the set-up link.
///
/// # Errors
///
/// If it is not.
async fn require_link(state: &State, name: &str, part: &mut Field) -> Result<()> {
    if name != TOKEN {
        return Err(Error::denied("Send `token` as the first field: it is in the set-up link."));
    }
    let token = Secret::new(upload::text(part, name).await?);
    state.app.stores.people.require_setting_up(token.expose(), state.app.clock.now()).await
}

async fn receive(part: &mut Field, path: &Path) -> Result<()> {
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).await;
    let mut file: File = opened.map_err(|e| fault(&e))?;
    let (mut received, mut looked) = (0_u64, None);
    while let Some(piece) = upload::piece(part).await? {
        received += piece.len() as u64;
        if looked.is_none_or(|at| received - at > LOOK) {
            looked = Some(received);
            require_room(path.parent().unwrap_or(path), SPARE)?;
        }
        file.write_all(&piece).await.map_err(|e| fault(&e))?;
    }
    file.flush().await.map_err(|e| fault(&e))
}

fn opener(form: &Form) -> Result<Opener> {
    let given = |name: &str| form.get(name).filter(|text| !text.expose().trim().is_empty());
    match (given("identity"), given("passphrase")) {
        (Some(identity), None) => Opener::identities(identity.expose()),
        (None, Some(passphrase)) => Ok(Opener::Passphrase(passphrase.clone())),
        (Some(_), Some(_)) => Err(Error::invalid("Give a key or a passphrase, not both.")),
        (None, None) => Ok(Opener::Keys(Vec::new())),
    }
}

fn vault(form: &Form) -> VaultChoice {
    let key = form.get("vault_key").filter(|text| !text.expose().trim().is_empty()).cloned();
    VaultChoice { key, forget: form.get("forget_secrets").is_some_and(|text| text.expose() == "true") }
}

fn fault(error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::StorageFull => Error::new(
            Kind::DiskFull,
            "The disk is full: the backup was not received, and nothing of it is left. Free some space and try again.",
        ),
        _ => Error::conflict(format!("The backup cannot be received: {error}.")),
    }
}
