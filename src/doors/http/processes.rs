//! `/api/processes`: business processes, written, brought in as YAML, and proposed by a model. Proposals are for those who
//! may decide about them.

use actix_web::{
    HttpResponse,
    http::{StatusCode, header::CONTENT_DISPOSITION},
    web::{Data, Path, Query},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    body::{Body, OptionalBody, id},
    error::Problem,
    json::Json,
    route::{
        Guard::{Permission, PersonWith},
        Route, route,
    },
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_formats::processes as yaml;
use satchel_model::{
    business_process::{Process, ProcessId, draft::ProcessDraft},
    caller::Caller,
    error::{Error, Result},
};
use satchel_services::{
    processes::{
        import::{self, Choice, Difference},
        propose::{self as proposing, Refused},
        search::{self, Found, MatchedBy},
        view::{self, Link},
    },
    reading::Reader,
};
use satchel_share::behalf;
use satchel_store::{people::Actor, processes::Processes};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Permission("processes:read")),
        route!(create, Permission("processes:write")),
        route!(export, Permission("processes:read")),
        route!(preview, Permission("processes:write")),
        route!(apply, Permission("processes:write")),
        route!(propose, Permission("processes:write")).calls_others(),
        route!(get_one, Permission("processes:read")),
        route!(change, Permission("processes:write")),
        route!(remove, Permission("processes:write")),
        route!(publish, PersonWith("processes:write")),
    ]
}

/// A process with what hangs on it.
#[derive(Serialize, ToSchema)]
struct ProcessView {
    #[serde(flatten)]
    process: Process,
    /// Ids of its steps, in an order in which they can be done.
    order: Vec<String>,
    /// The processes to be done before it.
    dependencies: Vec<Link>,
    /// The processes that wait for it.
    needed_by: Vec<Link>,
}

/// A process in the list.
#[derive(Serialize, ToSchema)]
struct ProcessRow {
    #[serde(flatten)]
    process: Process,
    /// The part that matched, where something was looked for.
    matched_by: Option<MatchedBy>,
}

fn store(state: &State) -> Processes {
    Processes::new(&state.app.db)
}

/// The processes this caller may see.
async fn seen(state: &State, caller: &Caller) -> Result<Vec<Process>> {
    let all = store(state).all().await?;
    let decides = caller.permissions.grants("processes:write");
    Ok(all.into_iter().filter(|one| decides || one.is_published()).collect())
}

async fn view(state: &State, caller: &Caller, id: ProcessId) -> Result<ProcessView> {
    let all = seen(state, caller).await?;
    let found = all.iter().find(|one| one.id == id).cloned();
    let process = found.ok_or_else(|| Error::not_found(format!("There is no process '{id}'.")))?;
    Ok(ProcessView {
        order: view::steps(&process).into_iter().map(|step| step.id.clone()).collect(),
        dependencies: view::dependencies(&process, &all),
        needed_by: view::dependents(&process, &all),
        process,
    })
}

/// One process as an answer.
async fn shown(state: &State, caller: &Caller, id: ProcessId) -> Result<HttpResponse> {
    let bytes = store(state).bytes().await?;
    state.delivery.load(caller.user, bytes, view(state, caller, id)).await
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// The text to look for; left out, all come by name.
    q: Option<String>,
}

/// Business processes: all by name, or those that fit, the best first.
#[utoipa::path(get, path = "/api/processes",
    tag = "processes", params(ListQuery), responses((status = 200, body = Vec<ProcessRow>)))]
async fn list(state: Data<State>, Who(caller): Who<Caller>, query: Query<ListQuery>) -> HttpResult<HttpResponse> {
    let q = query.into_inner().q.filter(|text| !text.trim().is_empty());
    let rows = async {
        let all = seen(&state, &caller).await?;
        let Some(q) = q else {
            return Ok(all.into_iter().map(|process| ProcessRow { process, matched_by: None }).collect());
        };
        let found = search::search(&state.app, &q, all).await?.found;
        let row = |one: Found| ProcessRow { process: one.process, matched_by: Some(one.by) };
        Ok(found.into_iter().map(row).collect::<Vec<_>>())
    };
    Ok(state.delivery.load(caller.user, store(&state).bytes().await?, rows).await?)
}

/// Keeps a process. It counts at once.
#[utoipa::path(post, path = "/api/processes",
    request_body = ProcessDraft, tag = "processes", responses((status = 201, body = ProcessView)))]
async fn create(state: Data<State>, Who(by): Who<Actor>, body: Body<ProcessDraft>) -> HttpResult<HttpResponse> {
    let process = store(&state).create(&by, body.0).await?;
    let mut answer = shown(&state, &by.caller, process.id).await?;
    *answer.status_mut() = StatusCode::CREATED;
    Ok(answer)
}

/// The published processes as YAML, which the import reads again.
#[utoipa::path(get, path = "/api/processes/export",
    tag = "processes", responses((status = 200, description = "YAML", content_type = "application/yaml")))]
async fn export(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<HttpResponse> {
    let (store, name) = (store(&state), (CONTENT_DISPOSITION, "attachment; filename=\"processes.yaml\""));
    let written = |all: Vec<Process>| {
        let drafts: Vec<ProcessDraft> = all.into_iter().filter(Process::is_published).map(|one| one.content).collect();
        yaml::write(&drafts)
    };
    let text = state.delivery.page(caller.user, store.all(), written).await?;
    Ok(HttpResponse::Ok().content_type("application/yaml").insert_header(name).body(text))
}

/// One process.
#[utoipa::path(get, path = "/api/processes/{id}",
    tag = "processes", params(("id" = String, Path,)), responses((status = 200, body = ProcessView)))]
async fn get_one(state: Data<State>, Who(caller): Who<Caller>, path: Path<String>) -> HttpResult<HttpResponse> {
    Ok(shown(&state, &caller, id(&path)?).await?)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ProcessUpdate {
    /// The revision that was read: where it is another by now, nothing is changed.
    revision: u32,
    /// As it shall be, whole.
    process: ProcessDraft,
}

/// Changes a process that is still as it was read.
#[utoipa::path(put, path = "/api/processes/{id}",
    request_body = ProcessUpdate, tag = "processes", params(("id" = String, Path,)), responses((status = 200, body = ProcessView)))]
async fn change(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<ProcessUpdate>,
) -> HttpResult<HttpResponse> {
    let ProcessUpdate { revision, process } = body.0;
    let process = store(&state).change(&by, id(&path)?, (revision, process)).await?;
    Ok(shown(&state, &by.caller, process.id).await?)
}

/// Forgets a process, or discards a proposal.
#[utoipa::path(delete, path = "/api/processes/{id}",
    tag = "processes", params(("id" = String, Path,)), responses((status = 204, description = "Forgotten.")))]
async fn remove(state: Data<State>, Who(by): Who<Actor>, path: Path<String>) -> HttpResult<HttpResponse> {
    store(&state).delete(&by, id(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ProcessPublish {
    /// The revision that was read: nobody publishes what they have not read.
    revision: u32,
}

/// Makes a proposal count.
#[utoipa::path(post, path = "/api/processes/{id}/publish",
    request_body = ProcessPublish, tag = "processes", params(("id" = String, Path,)), responses((status = 200, body = ProcessView)))]
async fn publish(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<ProcessPublish>,
) -> HttpResult<HttpResponse> {
    let process = store(&state).publish(&by, id(&path)?, body.0.revision).await?;
    Ok(shown(&state, &by.caller, process.id).await?)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ProcessText {
    /// Processes as YAML: one document, several, or a list in one.
    text: String,
}

/// Reads YAML and says what it would change. Nothing is kept.
#[utoipa::path(post, path = "/api/processes/import/preview",
    request_body = ProcessText, tag = "processes", responses((status = 200, body = Vec<Difference>)))]
async fn preview(state: Data<State>, Who(caller): Who<Caller>, body: Body<ProcessText>) -> HttpResult<HttpResponse> {
    let (store, text) = (store(&state), body.0.text);
    let (known, bytes) = (store.all().await?, text.len().saturating_add(store.bytes().await?));
    let (reader, long) = (Reader::new(&state.app.host.readers), text.len() as u64);
    let compare = move || import::compare(&reader.processes(&text)?, &known);
    let compared = state.app.host.work.run_on(Some(caller.user), long, compare).await?;
    Ok(state.delivery.json(caller.user, bytes, move || compared).await?)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ProcessImport {
    /// The same text.
    text: String,
    /// The chosen processes, as they were compared; all of them where left out.
    choices: Option<Vec<Choice>>,
}

/// Keeps processes of a YAML text, all or none of those chosen. One whose name is known changes that one; what says
/// nothing new is left alone. Gives those that changed.
#[utoipa::path(post, path = "/api/processes/import/apply",
    request_body = ProcessImport, tag = "processes", responses((status = 200, body = Vec<Process>)))]
async fn apply(state: Data<State>, Who(by): Who<Actor>, body: Body<ProcessImport>) -> HttpResult<HttpResponse> {
    let store = store(&state);
    let known = store.all().await?;
    let ProcessImport { text, choices } = body.0;
    let (user, bytes) = (by.caller.user, text.len());
    let reader = Reader::new(&state.app.host.readers);
    let plan = move || import::plan(reader.processes(&text)?, &known, choices);
    let imports = state.app.host.work.run_on(Some(user), bytes as u64, plan).await?;
    let kept = if imports.is_empty() { Vec::new() } else { store.import(&by, imports).await? };
    Ok(state.delivery.json(user, bytes, move || kept).await?)
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ProcessWish {
    /// The subject of the processes; left out, whatever the material speaks of.
    #[serde(default)]
    about: String,
}

/// The processes a model proposed.
#[derive(Serialize, ToSchema)]
struct ProcessProposals {
    /// Proposals that wait for a decision.
    kept: Vec<Process>,
    /// The processes that could not be kept, with the reasons.
    refused: Vec<Refused>,
    /// The model that was asked.
    model: String,
    /// Tokens it took.
    tokens: u64,
}

/// Has the connected model propose processes from the catalog and the documents the caller may see. Nothing it says
/// counts before a person publishes it.
#[utoipa::path(post, path = "/api/processes/propose", request_body = Option<ProcessWish>, tag = "processes", responses(
    (status = 200, body = ProcessProposals),
    (status = 409, body = Problem, description = "No model is connected, or there is nothing to go by."),
))]
async fn propose(
    state: Data<State>,
    Who(by): Who<Actor>,
    body: OptionalBody<ProcessWish>,
) -> HttpResult<Json<ProcessProposals>> {
    let (app, user) = (std::sync::Arc::clone(&state.app), Some(by.caller.user));
    // Goes on where the asker goes away: what it costs is spent, and what comes of it is kept.
    let work = behalf::run_as(user, async move { proposing::propose(&app, &by, &body.0.about).await });
    let made = state.app.lifecycle.runtime.spawn(work).await.map_err(Error::internal)??;
    Ok(Json(ProcessProposals { kept: made.kept, refused: made.refused, model: made.model, tokens: made.cost.total() }))
}
