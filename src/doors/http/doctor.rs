//! The doctor's report: everything that can be wrong with an installation, and how to mend it.

use actix_web::{get, web::Data};
use futures_util::future::join_all;
use serde::Serialize;

use super::{
    checks::{self, Check},
    json::Json,
    services::Services,
    state::State,
};

pub(super) fn services(config: &mut Services<'_>) {
    config.service(examine);
}

/// What was looked at.
#[derive(Serialize, utoipa::ToSchema)]
struct Report {
    checks: Vec<Check>,
}

/// Looks at everything that can be wrong; each finding says how to mend it. Asks each connected model whether it
/// answers, for 15 seconds at most.
#[utoipa::path(tag = "platform", responses((status = 200, body = Report)))]
#[get("/api/doctor")]
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
