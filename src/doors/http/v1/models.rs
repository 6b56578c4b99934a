//! `/v1/models`: the agents and the models that a caller may ask.

use actix_web::{
    HttpRequest,
    web::{Data, Path},
};
use serde_json::{Value, json};

use super::{
    dialect::{Dialect, Speaks},
    target::{AGENTS, EMBEDDING, unknown},
};
use crate::http::{
    caller::Who,
    error::HttpResult,
    json::Json,
    route::{Guard::SignedIn, Route, route},
    state::State,
};
use satchel_model::{caller::Caller, error::Result, time::Time};
use satchel_services::agents::model_name;
use satchel_store::agents::Agents;

pub(in crate::http) fn routes() -> Vec<Route> {
    let speaking = |route: Route| route.speaking(Speaks::Either);
    vec![speaking(route!(list, SignedIn)), speaking(route!(one, SignedIn)), speaking(route!(scoped, SignedIn))]
}

/// A model, in no dialect.
struct Model {
    id: String,
    title: String,
    owner: String,
    at: Time,
}

async fn all(state: &State, caller: &Caller) -> Result<Vec<Model>> {
    let mut models = Vec::new();
    // What agents do stands in conversations, which belong to the person.
    if caller.ensure_personal().is_ok() {
        let mut agents = Agents::new(&state.app.db).offered(caller).await?;
        // Clients that are told nothing take the first.
        agents.sort_by_key(|agent| !agent.built_in);
        for agent in agents {
            let (name, owner) = (agent.content.name, agent.owner.unwrap_or_else(|| "satchel".to_owned()));
            let id = if agent.built_in { agent.id.to_string() } else { name.clone() };
            models.push(Model { id: format!("{AGENTS}{id}"), title: name, owner, at: agent.created_at });
        }
    }
    for provider in state.agent.providers().chain(None).await? {
        let at = Time::from_millis(0);
        models.push(Model { id: model_name(&provider), title: provider.model, owner: provider.name, at });
    }
    let embedder = state.app.search.embedder.steady();
    if let Some(name) = embedder.name() {
        models.push(Model {
            id: EMBEDDING.to_owned(),
            title: name,
            owner: "satchel".to_owned(),
            at: Time::from_millis(0),
        });
    }
    Ok(models)
}

fn told(model: &Model, dialect: Dialect) -> Value {
    let Model { id, title, owner, at } = model;
    match dialect {
        Dialect::Openai => json!({"id": id, "object": "model", "created": at.millis() / 1_000, "owned_by": owner}),
        Dialect::Anthropic => json!({"type": "model", "id": id, "display_name": title, "created_at": at}),
    }
}

/// The models that a client can name: `satchel/<agent>` is an agent with its tools, `<provider>:<model>` one that is connected,
/// `satchel/embedding` makes vectors. With the header `anthropic-version`, in Anthropic's form.
#[utoipa::path(get, path = "/v1/models", tag = "v1", operation_id = "v1_models",
    responses((status = 200, body = Value)))]
async fn list(state: Data<State>, Who(caller): Who<Caller>, request: HttpRequest) -> HttpResult<Json<Value>> {
    let dialect = Speaks::Either.of(&request);
    let models: Vec<Value> = all(&state, &caller).await?.iter().map(|model| told(model, dialect)).collect();
    Ok(Json(match dialect {
        Dialect::Openai => json!({"object": "list", "data": models}),
        Dialect::Anthropic => {
            let id = |model: Option<&Value>| model.and_then(|model| model.get("id")).cloned();
            let (first, last) = (id(models.first()), id(models.last()));
            json!({"data": models, "has_more": false, "first_id": first, "last_id": last})
        }
    }))
}

/// One of these models.
#[utoipa::path(get, path = "/v1/models/{name}", tag = "v1", operation_id = "v1_model",
    params(("name" = String, Path,)), responses((status = 200, body = Value)))]
async fn one(
    state: Data<State>,
    Who(caller): Who<Caller>,
    name: Path<String>,
    request: HttpRequest,
) -> HttpResult<Json<Value>> {
    Ok(found(&state, &caller, (&name, &request)).await.map(Json)?)
}

/// One of these models, by a name with a slash in it.
#[utoipa::path(get, path = "/v1/models/{scope}/{name}", tag = "v1", operation_id = "v1_scoped_model",
    params(("scope" = String, Path,), ("name" = String, Path,)), responses((status = 200, body = Value)))]
async fn scoped(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<(String, String)>,
    request: HttpRequest,
) -> HttpResult<Json<Value>> {
    let (scope, name) = path.into_inner();
    Ok(found(&state, &caller, (&format!("{scope}/{name}"), &request)).await.map(Json)?)
}

async fn found(state: &State, caller: &Caller, (name, request): (&str, &HttpRequest)) -> Result<Value> {
    let models = all(state, caller).await?;
    let found = models.iter().find(|model| model.id == name).ok_or_else(|| unknown(name))?;
    Ok(told(found, Speaks::Either.of(request)))
}
