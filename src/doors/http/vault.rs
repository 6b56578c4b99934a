//! The vault's key.

use actix_web::web::Data;
use serde::Deserialize;

use super::{
    body::OptionalBody,
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::secret::Secret;
use satchel_store::{
    people::Actor,
    rotation::{KeyFacts, Rotated},
};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(key_facts, Permission("settings:manage")), route!(rotate, Permission("settings:manage"))]
}

/// Returns where the vault's key lies, and what a new one would mean.
#[utoipa::path(get, path = "/api/vault", tag = "settings", responses((status = 200, body = KeyFacts)))]
async fn key_facts(state: Data<State>) -> HttpResult<Json<KeyFacts>> {
    Ok(state.app.stores.vault.key_facts().await.map(Json)?)
}

/// The new key, where Satchel does not choose it.
#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct Rotation {
    /// 32 bytes as hex or base64, needed where the key comes from SATCHEL_VAULT_KEY; a new passphrase where it is made of
    /// SATCHEL_VAULT_PASSPHRASE; refused where it is Satchel's own.
    #[schema(value_type = Option<String>, format = Password)]
    new_key: Option<Secret>,
}

/// Seals every secret anew under a new key.
#[utoipa::path(post, path = "/api/vault/rotate", request_body = Option<Rotation>, tag = "settings", responses(
    (status = 200, body = Rotated),
    (status = 409, description = "The key is given from outside and no new one was named, or a rotation is under way.", body = super::error::Problem),
))]
async fn rotate(state: Data<State>, Who(by): Who<Actor>, body: OptionalBody<Rotation>) -> HttpResult<Json<Rotated>> {
    let rotated = match body.0.new_key {
        Some(key) => state.app.stores.vault.rotate_to(&by, &key).await,
        None => state.app.stores.vault.rotate(&by).await,
    };
    Ok(rotated.map(Json)?)
}
