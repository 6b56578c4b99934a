//! Whether the server works, for people and for machines.

use actix_web::{
    HttpResponse, get,
    web::{Data, Json},
};
use serde::Serialize;

use super::{services::Services, state::State};
use crate::{
    host::sandbox::Level,
    model::{error::Result, settings::ExecMode},
};

pub(super) fn services(config: &mut Services<'_>) {
    config.service(healthz).service(metrics);
}

/// The server's health.
#[derive(Serialize, utoipa::ToSchema)]
struct Health {
    /// `ok`: it answers.
    status: &'static str,
    version: &'static str,
    /// How commands are confined: `full`, `reduced`, or `off` where none runs.
    #[schema(value_type = String)]
    sandbox: Level,
    /// Whether a model is connected.
    model: bool,
}

/// Whether the server answers.
#[utoipa::path(tag = "platform", responses((status = 200, body = Health)))]
#[get("/healthz")]
async fn healthz(state: Data<State>) -> Result<Json<Health>> {
    let sandbox = match state.app.settings.get().exec.mode {
        ExecMode::Off => Level::Off,
        ExecMode::Sandboxed => state.app.sandbox.capabilities().await.level,
    };
    let model = state.agent.providers().any().await?;
    Ok(Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION"), sandbox, model }))
}

/// Counters in Prometheus' text format, for programs on this machine and for holders of `settings:manage`.
#[utoipa::path(tag = "platform", responses((status = 200, description = "Prometheus text", content_type = "text/plain", body = String)))]
#[get("/metrics")]
async fn metrics(state: Data<State>) -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(state.meters.render())
}
