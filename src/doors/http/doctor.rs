//! The doctor's report.

use actix_web::{
    get,
    web::{Data, Json},
};
use serde::Serialize;
use utoipa_actix_web::service_config::ServiceConfig;

use super::state::State;
use crate::doors::doctor::{self, Check};

pub(super) fn services(config: &mut ServiceConfig<'_>) {
    config.service(examine);
}

/// What was looked at.
#[derive(Serialize, utoipa::ToSchema)]
struct Report {
    checks: Vec<Check>,
}

/// Looks at everything that can be wrong; each finding says how to mend it.
#[utoipa::path(tag = "platform", responses((status = 200, body = Report)))]
#[get("/api/doctor")]
async fn examine(state: Data<State>) -> Json<Report> {
    Json(Report { checks: doctor::examine(&state.app, &state.agent).await })
}
