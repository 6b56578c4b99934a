//! `/api/catalog/import`: what a document says a system can do, shown with its cost before anything is added.

use actix_web::web::Data;
use serde::{Deserialize, Serialize};

use super::{
    body::Body,
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    catalog::{
        auth::Auth,
        directory::Registered,
        draft::SystemDraft,
        endpoint::{Endpoint, EndpointId},
        proposal::Proposal,
        system::{System, SystemId},
    },
    egress::{Origin, Part},
    error::Result,
};
use satchel_services::catalog::{
    change::Changing,
    import::{
        difference::{self, Compared, ImportChange, ImportChoice},
        kept,
        source::{self, ImportSource},
    },
    offer,
};
use satchel_store::{catalog::lets_through, people::Actor};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(preview, Permission("catalog:write")).calls_others(), route!(apply, Permission("catalog:write"))]
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct ImportAsk {
    /// The document.
    source: ImportSource,
    /// The system it is about; left out, it is about one that is not known yet.
    #[schema(value_type = Option<String>, format = "uuid")]
    system_id: Option<SystemId>,
}

/// One operation of a document.
#[derive(Serialize, utoipa::ToSchema)]
struct ImportRow {
    /// The operation; it is sent back where it is chosen.
    operation: Proposal,
    /// The difference to what is known.
    change: ImportChange,
    /// The endpoint it is, where it is known.
    #[schema(value_type = Option<String>, format = "uuid")]
    endpoint_id: Option<EndpointId>,
    /// The fields in which the document differs from the last import.
    differs: Vec<String>,
    /// The fields people changed by hand, which stay.
    kept: Vec<String>,
    /// The cost in a model's context.
    tokens: u64,
}

/// An endpoint the document no longer has.
#[derive(Serialize, utoipa::ToSchema)]
struct ImportGone {
    #[schema(value_type = String, format = "uuid")]
    id: EndpointId,
    name: String,
    method: String,
    path: String,
}

/// A document, read and compared. Nothing was added.
#[derive(Serialize, utoipa::ToSchema)]
struct ImportPreview {
    /// The kind of document.
    format: String,
    title: String,
    description: String,
    base_url: Option<String>,
    auth: Auth,
    warnings: Vec<String>,
    operations: Vec<ImportRow>,
    /// Endpoints that came from a document and are not in this one.
    removed: Vec<ImportGone>,
    /// The cost of all operations in a model's context, all at once.
    tokens: u64,
}

/// Reads a document and compares it with what is known. Nothing is added.
#[utoipa::path(post, path = "/api/catalog/import/preview",
    request_body = ImportAsk, tag = "catalog", responses((status = 200, body = ImportPreview)))]
async fn preview(state: Data<State>, Who(by): Who<Actor>, body: Body<ImportAsk>) -> HttpResult<Json<ImportPreview>> {
    let app = &state.app;
    let directory = app.stores.catalog.get();
    let known = body.0.system_id.map(|id| directory.get(id)).transpose()?;
    let http = app.outbound(Origin::part(Part::Catalog, Some(by.caller.user)))?;
    // The system's credential is for those who may use it without asking anybody.
    let own = known.filter(|_| lets_through(&by)).map(|known| &known.system);
    let read = source::read(app, &http, body.0.source, own).await?;
    let system = known.map_or_else(|| blank(&read.title, &by), |known| Ok(known.system.clone()))?;
    let endpoints = known.map_or_else(Vec::new, |known| known.endpoints.clone());
    let kept = known.map_or_else(Vec::new, |known| kept::kept(&known.system, &read));
    let (id, now, operations) = (system.id, by.now, read.operations);
    let compare = move || {
        let compared = difference::compare((id, &endpoints), operations, now, |one| row(&system, one))?;
        let gone: Vec<ImportGone> = compared.gone.iter().filter_map(|id| gone_row(&endpoints, *id)).collect();
        Ok((compared.operations, gone, compared.unusable))
    };
    let (operations, removed, unusable) = app.host.work.run(Some(by.caller.user), compare).await?;
    Ok(Json(ImportPreview {
        tokens: operations.iter().map(|row| row.tokens).sum(),
        format: read.format,
        title: read.title,
        description: read.description,
        base_url: read.base_url,
        auth: read.auth,
        warnings: kept.into_iter().chain(read.warnings).chain(unusable).collect(),
        operations,
        removed,
    }))
}

/// A system that is not there yet: its tools are costed as if it were.
fn blank(title: &str, by: &Actor) -> Result<System> {
    let name: String = title.chars().filter(|c| !c.is_control()).take(100).collect();
    let name = if name.trim().is_empty() { "New system".to_owned() } else { name };
    SystemDraft { name: Some(name), ..SystemDraft::default() }.into_new(&Default::default(), by.now)
}

fn row(system: &System, one: Compared) -> ImportRow {
    let words = |fields: Vec<&'static str>| fields.into_iter().map(str::to_owned).collect();
    ImportRow {
        tokens: offer::spec(system, &one.becomes).tokens(),
        operation: one.proposal,
        change: one.change,
        endpoint_id: one.known,
        differs: words(one.differs),
        kept: words(one.kept),
    }
}

fn gone_row(endpoints: &[Endpoint], id: EndpointId) -> Option<ImportGone> {
    let gone = endpoints.iter().find(|endpoint| endpoint.id == id)?;
    Some(ImportGone { id, name: gone.name.clone(), method: gone.method.clone(), path: gone.path.clone() })
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct ImportOrder {
    /// The system it goes into; left out, `system` is registered first.
    #[schema(value_type = Option<String>, format = "uuid")]
    system_id: Option<SystemId>,
    /// The system to be registered, or what is to be changed of the one there is.
    system: Option<SystemDraft>,
    /// The operations that were chosen.
    operations: Vec<ImportChoice>,
    /// Endpoints to be forgotten.
    #[serde(default)]
    #[schema(value_type = Vec<String>, format = "uuid")]
    remove: Vec<EndpointId>,
    /// The kind of document, for the audit.
    #[serde(default)]
    format: String,
}

/// The result of an import.
#[derive(Serialize, utoipa::ToSchema)]
struct ImportResult {
    #[schema(value_type = String, format = "uuid")]
    system_id: SystemId,
    /// Endpoints added or changed.
    written: usize,
    /// Endpoints forgotten.
    removed: usize,
}

/// Adds what was chosen of a document; what people changed by hand stays. A new system is a draft.
#[utoipa::path(post, path = "/api/catalog/import/apply",
    request_body = ImportOrder, tag = "catalog", responses((status = 200, body = ImportResult)))]
async fn apply(state: Data<State>, Who(by): Who<Actor>, body: Body<ImportOrder>) -> HttpResult<Json<ImportResult>> {
    let ImportOrder { system_id, system, operations, remove, format } = body.0;
    let (now, trusted, user) = (by.now, lets_through(&by), by.caller.user);
    let changing = Changing::new(&state.invoker, by);
    let known: Option<std::sync::Arc<Registered>> = match system_id {
        Some(id) => Some(std::sync::Arc::clone(state.app.stores.catalog.get().get(id)?)),
        None => None,
    };
    // Everything that can be wrong with the choice is found before a system is registered for it.
    let of = known.clone();
    let plan = move || {
        let endpoints = of.as_ref().map_or(&[][..], |known| &known.endpoints);
        let plan = difference::plan(system_id.unwrap_or_default(), endpoints, operations, remove, now)?;
        plan.put.iter().try_for_each(offer::require_sound)?;
        Ok(plan)
    };
    let mut plan = state.app.host.work.run(Some(user), plan).await?;
    let endpoints = known.as_ref().map_or(&[][..], |known| &known.endpoints);
    let id = match (system_id, system) {
        (Some(id), None) => id,
        (Some(id), Some(draft)) => changing.change(id, draft).await?.system.id,
        (None, draft) => changing.create(draft.unwrap_or_default()).await?.id,
    };
    for endpoint in &mut plan.put {
        endpoint.system_id = id;
        let old = endpoints.iter().find(|old| old.id == endpoint.id);
        let as_before = |old: &Endpoint| {
            old.reviewed && old.risk == endpoint.risk && old.method == endpoint.method && old.path == endpoint.path
        };
        endpoint.reviewed = trusted || old.is_some_and(as_before);
    }
    plan.format = format.chars().take(40).collect();
    let (written, removed) = (plan.put.len(), plan.remove.len());
    changing.import(id, plan).await?;
    Ok(Json(ImportResult { system_id: id, written, removed }))
}
