//! Backups: made, listed, verified, fetched, removed.

use std::path::PathBuf;

use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_DISPOSITION},
    web::{Data, Path},
};
use serde::{Deserialize, Serialize};

use super::{
    body::{Body, OptionalBody},
    download::{Download, disposition},
    gate::require_administrator,
    json::Json,
    route::{
        Guard::{Permission, PersonWith},
        Route, route,
    },
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{backup::Backup, caller::Credential, error::Error, secret::Secret, time::Time};
use satchel_services::backups::{keys::Given, service::Wish};
use satchel_store::{backup::log::By, people::Actor};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Permission("settings:manage")),
        route!(make, Permission("settings:manage")),
        route!(schedule, Permission("settings:manage")),
        route!(key, PersonWith("*")),
        route!(set_passphrase, PersonWith("*")),
        route!(one, Permission("settings:manage")),
        route!(remove, PersonWith("settings:manage")),
        route!(verify, Permission("settings:manage")),
        route!(file, PersonWith("*")),
    ]
}

/// The backups there are, the latest first, with what is under way and what failed since the start.
#[utoipa::path(get, path = "/api/backups", tag = "backups", responses((status = 200, body = Vec<Backup>)))]
async fn list(state: Data<State>) -> HttpResult<Json<Vec<Backup>>> {
    let backups = state.backups.clone();
    Ok(tokio::task::spawn_blocking(move || backups.list()).await.map_err(Error::internal)?.map(Json)?)
}

/// Wishes for a backup.
#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct NewBackup {
    /// `true` if the vault's key goes in; as the settings have it where this is not said.
    with_key: Option<bool>,
    /// An age recipient, `age1…`, to seal it to instead of what the settings say.
    recipient: Option<String>,
    /// A passphrase to seal it with instead of what the settings say.
    #[schema(value_type = Option<String>, format = Password)]
    passphrase: Option<Secret>,
    /// The file to make, an absolute path; only for the command line of the server's own machine.
    #[schema(value_type = Option<String>)]
    to: Option<PathBuf>,
}

/// Begins a backup. GET /api/backups/{id} says how far it is. Who says what is in it or who can open it needs the
/// permission `*`.
#[utoipa::path(post, path = "/api/backups", tag = "backups", request_body = Option<NewBackup>, responses(
    (status = 202, body = Backup),
    (status = 409, description = "Another one is under way.", body = super::error::Problem),
))]
async fn make(state: Data<State>, Who(by): Who<Actor>, body: OptionalBody<NewBackup>) -> HttpResult<HttpResponse> {
    let NewBackup { with_key, recipient, passphrase, to } = body.0;
    if to.is_some() && by.caller.credential != Credential::Local {
        return Err(Error::denied(
            "Only the command line of the server's machine names a file: leave out `to`. The folder is among the settings.",
        ).into());
    }
    if to.as_ref().is_some_and(|to| !to.is_absolute()) {
        return Err(Error::invalid("`to` must be an absolute path.").into());
    }
    // Who says who can open it, or what secrets are in it, could take everything out.
    if with_key.is_some() || recipient.is_some() || passphrase.is_some() {
        require_administrator(&by.caller)?;
    }
    let wish = Wish { to, recipient, passphrase, with_key };
    let (begun, _) = state.backups.make(By::Person(Box::new(by)), wish)?;
    Ok(HttpResponse::Accepted().json(begun))
}

/// The schedule, as it works out.
#[derive(Serialize, utoipa::ToSchema)]
struct BackupPlan {
    /// The time at which the next one is made by itself; `null` while the schedule is off.
    next_at: Option<Time>,
    /// `true` if a passphrase is kept that backups can be sealed with.
    has_passphrase: bool,
}

/// Returns when the next backup is made by itself, and what it can be sealed with.
#[utoipa::path(get, path = "/api/backups/own/plan", tag = "backups", responses((status = 200, body = BackupPlan)))]
async fn schedule(state: Data<State>) -> HttpResult<Json<BackupPlan>> {
    let has_passphrase = state.backups.has_passphrase().await?;
    Ok(Json(BackupPlan { next_at: state.backups.next(), has_passphrase }))
}

/// The key that opens backups which are sealed to Satchel's own, as an age identity file: to be kept apart from them.
#[utoipa::path(get, path = "/api/backups/own/key", tag = "backups", responses(
    (status = 200, description = "The key", content_type = "text/plain", body = String),
))]
async fn key(state: Data<State>, Who(by): Who<Actor>) -> HttpResult<HttpResponse> {
    let text = state.backups.own_key(&by).await?;
    Ok(HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, disposition("backup.key")))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(text.expose().to_owned()))
}

/// A passphrase.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct NewPassphrase {
    /// 12 characters at least.
    #[schema(value_type = String, format = Password, min_length = 12)]
    passphrase: Secret,
}

/// Keeps the passphrase backups are sealed with where the settings say so. It stays in the vault.
#[utoipa::path(put, path = "/api/backups/own/passphrase",
    tag = "backups", request_body = NewPassphrase, responses((status = 204)))]
async fn set_passphrase(
    state: Data<State>,
    Who(by): Who<Actor>,
    body: Body<NewPassphrase>,
) -> HttpResult<HttpResponse> {
    state.backups.set_passphrase(&by, body.0.passphrase).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// One backup, and how far it or its verification is.
#[utoipa::path(get, path = "/api/backups/{id}",
    tag = "backups", params(("id" = String, Path,)), responses((status = 200, body = Backup)))]
async fn one(state: Data<State>, at: Path<String>) -> HttpResult<Json<Backup>> {
    Ok(state.backups.get(&at).map(Json)?)
}

/// Removes a backup and its file.
#[utoipa::path(delete, path = "/api/backups/{id}",
    tag = "backups", params(("id" = String, Path,)), responses((status = 204)))]
async fn remove(state: Data<State>, Who(by): Who<Actor>, at: Path<String>) -> HttpResult<HttpResponse> {
    state.backups.remove(&by, &at).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// The key or passphrase that opens a backup, where the server has not got it.
#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct BackupOpener {
    /// The text of a key file, with a line `AGE-SECRET-KEY-1…`.
    #[schema(value_type = Option<String>, format = Password)]
    identity: Option<Secret>,
    /// A passphrase.
    #[schema(value_type = Option<String>, format = Password)]
    passphrase: Option<Secret>,
}

/// Begins to verify a backup: it is restored beside, compared, asked questions, and thrown away. GET /api/backups/{id}
/// says how far it is and, in `verified`, what was found.
#[utoipa::path(post, path = "/api/backups/{id}/verify",
    tag = "backups", params(("id" = String, Path,)), request_body = Option<BackupOpener>, responses(
    (status = 202, body = Backup),
    (status = 409, description = "Another one is under way.", body = super::error::Problem),
))]
async fn verify(
    state: Data<State>,
    Who(by): Who<Actor>,
    at: Path<String>,
    body: OptionalBody<BackupOpener>,
) -> HttpResult<HttpResponse> {
    let BackupOpener { identity, passphrase } = body.0;
    let (begun, _) = state.backups.verify(By::Person(Box::new(by)), &at, Given { identity, passphrase }).await?;
    Ok(HttpResponse::Accepted().json(begun))
}

/// The file.
#[utoipa::path(get, path = "/api/backups/{id}/file", tag = "backups", params(("id" = String, Path,)), responses(
    (status = 200, description = "The age file", content_type = "application/octet-stream", body = Vec<u8>),
))]
async fn file(state: Data<State>, Who(by): Who<Actor>, at: Path<String>) -> HttpResult<HttpResponse> {
    let file = tokio::fs::File::from_std(state.backups.fetch(&by, &at).await?);
    let name = format!("{at}.age");
    let bytes = file.metadata().await.map_err(Error::internal)?.len();
    Ok(Download { file, name: &name, bytes }.send(&state.delivery, by.caller.user).await)
}
