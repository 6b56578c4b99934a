//! The vault's key.

use actix_web::{
    post,
    web::{Data, Json},
};
use utoipa_actix_web::service_config::ServiceConfig;

use super::state::State;
use crate::{
    model::error::Result,
    store::{people::Actor, rotation::Rotated},
};

pub(super) fn services(config: &mut ServiceConfig<'_>) {
    config.service(rotate);
}

/// Seals every secret anew under a new key.
#[utoipa::path(tag = "settings", responses(
    (status = 200, body = Rotated),
    (status = 409, description = "The key is given from outside, or a rotation is under way.", body = super::error::Problem),
))]
#[post("/api/vault/rotate")]
async fn rotate(state: Data<State>, by: Actor) -> Result<Json<Rotated>> {
    state.app.vault.rotate(&by).await.map(Json)
}
