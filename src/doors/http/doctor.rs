//! The doctor's report: everything that can be wrong with an installation, and how to mend it.

use actix_web::web::Data;
use futures_util::future::join_all;
use serde::Serialize;

use super::{
    checks::{self, Check},
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(examine, Permission("settings:manage"))]
}

/// The result of looking at everything.
#[derive(Serialize, utoipa::ToSchema)]
struct Report {
    checks: Vec<Check>,
}

/// Looks at everything that can be wrong; each finding says how to mend it. Asks each connected model whether it
/// answers, for 15 seconds at most.
#[utoipa::path(get, path = "/api/doctor", tag = "platform", responses((status = 200, body = Report)))]
async fn examine(state: Data<State>) -> Json<Report> {
    let (app, agent) = (&state.app, &state.agent);
    let mut checks = vec![
        checks::directory(&app.config.data),
        checks::disk(&app.config.data),
        checks::database(&app.db).await,
        checks::vault(app).await,
        checks::backups(&state.backups).await,
        checks::owner(app).await,
        checks::model(agent).await,
        checks::embedding(app),
        checks::scripts(&app.host.workers).await,
    ];
    let asked = agent.providers().chain(None).await.unwrap_or_default();
    let models = agent.models(None);
    checks.extend(join_all(asked.iter().map(|provider| checks::provider(&models, provider))).await);
    checks.push(checks::sandbox(&app.host.sandbox).await);
    Json(Report { checks })
}
