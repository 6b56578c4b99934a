//! `/api/agents`: who answers in conversations. One that is not shared with the caller is not found.

use actix_web::{
    HttpResponse,
    web::{Data, Path, Query},
};
use serde::{Deserialize, Serialize};

use super::{
    body::{Body, id},
    json::Json,
    route::{
        Guard::{Permission, SignedIn},
        Route, route,
    },
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    agent::{Agent, AgentAt, AgentId, AgentVersion, draft::AgentDraft},
    caller::Caller,
    error::Result,
    policy::{GROUPS, PROFILES},
};
use satchel_services::agents as parts;
use satchel_store::{agents::Agents, people::Actor};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, SignedIn),
        route!(create, Permission("agents:run")).personal(),
        route!(choices, SignedIn),
        route!(one, SignedIn),
        // Whoever may change the built-in one need not hold `agents:run`: what the caller may change is looked up.
        route!(change, SignedIn).personal(),
        route!(remove, SignedIn).personal(),
        route!(versions, SignedIn),
        route!(version, SignedIn),
    ]
}

fn store(state: &State) -> Agents {
    Agents::new(&state.app.db)
}

/// The agents the caller may use: the built-in one, then by name.
#[utoipa::path(get, path = "/api/agents", tag = "agents", responses((status = 200, body = Vec<Agent>)))]
async fn list(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<HttpResponse> {
    let store = store(&state);
    Ok(state.delivery.load(caller.user, store.bytes(&caller).await?, store.list(&caller)).await?)
}

/// Makes an agent. It is its author's alone unless it is shared, which needs `settings:manage`.
#[utoipa::path(post, path = "/api/agents", request_body = AgentDraft, tag = "agents", responses(
    (status = 201, body = Agent),
    (status = 409, description = "The name could be taken for another agent's, or there are as many as there may be.", body = super::error::Problem),
))]
async fn create(state: Data<State>, Who(by): Who<Actor>, body: Body<AgentDraft>) -> HttpResult<HttpResponse> {
    let draft = parts::checked(&state.app, &state.invoker.registry(), &by.caller, body.0).await?;
    Ok(HttpResponse::Created().json(store(&state).create(&by, draft).await?))
}

/// Choices for the parts of an agent.
#[derive(Serialize, utoipa::ToSchema)]
struct AgentChoices {
    /// Models that are connected, as `provider:model`.
    models: Vec<String>,
    /// Profiles of tools.
    profiles: Vec<&'static str>,
    /// Groups of tools, each used as `group:<name>`.
    groups: Vec<&'static str>,
}

/// The models, profiles and groups that an agent can name.
#[utoipa::path(get, path = "/api/agents/choices", tag = "agents", responses((status = 200, body = AgentChoices)))]
async fn choices(state: Data<State>) -> HttpResult<Json<AgentChoices>> {
    let models = state.agent.providers().list().await?.iter().map(parts::model_name).collect();
    Ok(Json(AgentChoices {
        models,
        profiles: PROFILES.iter().map(|(name, _)| *name).collect(),
        groups: GROUPS.iter().map(|(name, _)| *name).collect(),
    }))
}

/// One agent.
#[utoipa::path(get, path = "/api/agents/{id}",
    tag = "agents", params(("id" = String, Path,)), responses((status = 200, body = Agent)))]
async fn one(state: Data<State>, Who(caller): Who<Caller>, path: Path<String>) -> HttpResult<Json<Agent>> {
    Ok(store(&state).get(&caller, id(&path)?).await.map(Json)?)
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct ChangeQuery {
    /// The version that was read: where it is another by now, nothing is changed.
    version: Option<u32>,
}

/// Makes a new version of an agent: it counts from the next message on.
#[utoipa::path(put, path = "/api/agents/{id}",
    request_body = AgentDraft, tag = "agents", params(("id" = String, Path,), ChangeQuery), responses(
    (status = 200, body = Agent),
    (status = 409, description = "It was changed meanwhile, or its name could be taken for another's.", body = super::error::Problem),
))]
async fn change(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    query: Query<ChangeQuery>,
    body: Body<AgentDraft>,
) -> HttpResult<Json<Agent>> {
    let id: AgentId = id(&path)?;
    // Whoever does not see it is told nothing of what is wrong with theirs.
    store(&state).get(&by.caller, id.clone()).await?;
    let draft = parts::checked(&state.app, &state.invoker.registry(), &by.caller, body.0).await?;
    Ok(store(&state).change(&by, id, (query.version, draft)).await.map(Json)?)
}

/// Deletes an agent. What it said stays.
#[utoipa::path(delete, path = "/api/agents/{id}", tag = "agents", params(("id" = String, Path,)), responses(
    (status = 204, description = "Deleted."),
    (status = 409, description = "It is the built-in one.", body = super::error::Problem),
))]
async fn remove(state: Data<State>, Who(by): Who<Actor>, path: Path<String>) -> HttpResult<HttpResponse> {
    store(&state).delete(&by, id(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// The versions of an agent, the newest first.
#[utoipa::path(get, path = "/api/agents/{id}/versions",
    tag = "agents", params(("id" = String, Path,)), responses((status = 200, body = Vec<AgentVersion>)))]
async fn versions(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<String>,
) -> HttpResult<Json<Vec<AgentVersion>>> {
    Ok(store(&state).versions(&caller, id(&path)?).await.map(Json)?)
}

/// An agent as one of its versions has it. `PUT` it to go back to that.
#[utoipa::path(get, path = "/api/agents/{id}/versions/{number}",
    tag = "agents", params(("id" = String, Path,), ("number" = u32, Path, minimum = 1)),
    responses((status = 200, body = AgentDraft)))]
async fn version(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<(String, u32)>,
) -> HttpResult<Json<AgentDraft>> {
    let (agent, number) = path.into_inner();
    let AgentAt { content, .. } = store(&state).version(&caller, id(&agent)?, number).await?;
    Ok(Json(content))
}

/// The id of the agent that a conversation is to have, of which its person says the id or the name.
pub(super) async fn chosen(state: &State, caller: &Caller, text: Option<&str>) -> Result<Option<AgentId>> {
    let Some(text) = text else { return Ok(None) };
    store(state).meant(caller, text.trim()).await.map(|agent| Some(agent.id))
}
