//! The health of the server, for people and for machines.

use actix_web::{HttpResponse, web::Data};
use serde::Serialize;

use super::{
    json::Json,
    meters,
    route::{
        Guard::{Machine, Public},
        Route, route,
    },
    state::State,
};
use crate::http::error::HttpResult;
use satchel_host::sandbox::Level;
use satchel_model::settings::ExecMode;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(healthz, Public), route!(metrics, Machine)]
}

/// The server's health.
#[derive(Serialize, utoipa::ToSchema)]
struct Health {
    /// `ok`: it answers.
    status: &'static str,
    version: &'static str,
    /// The confinement of commands: `full`, `reduced`, or `off` where none runs.
    #[schema(value_type = String)]
    sandbox: Level,
    /// `true` if a model is connected.
    model: bool,
    /// `true` if tools run: the kill switch stops all of them.
    tools: bool,
}

/// Reports whether the server answers.
#[utoipa::path(get, path = "/healthz", tag = "platform", responses((status = 200, body = Health)))]
async fn healthz(state: Data<State>) -> HttpResult<Json<Health>> {
    let settings = state.app.settings.get();
    let sandbox = match settings.exec.mode {
        ExecMode::Off => Level::Off,
        ExecMode::Sandboxed => state.app.host.sandbox.capabilities().await.level,
    };
    let model = state.agent.providers().any().await?;
    Ok(Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION"), sandbox, model, tools: settings.tools_enabled }))
}

/// Counters in Prometheus' text format, for programs on this machine and for holders of `settings:manage`.
#[utoipa::path(get, path = "/metrics",
    tag = "platform", responses((status = 200, description = "Prometheus text", content_type = "text/plain", body = String)))]
async fn metrics(state: Data<State>) -> HttpResponse {
    let providers = state.agent.providers().list().await.unwrap_or_default();
    let asked = providers.iter().map(|provider| (provider, state.app.net.breakers.health(provider)));
    let text = format!("{}{}", state.meters.render(), meters::providers(asked));
    HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text)
}
