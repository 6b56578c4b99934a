//! `/api/scripts`: the library of scripts, and the road of each from a text to a tool.

mod bench;
mod reference;
mod transfer;
mod trial;
mod versions;
mod view;

use actix_web::{
    HttpResponse,
    web::{Data, Path, Query},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use self::{
    bench::{bench, shown},
    view::{ScriptSummary, ScriptView},
};
use super::{
    body::Body,
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{caller::Caller, error::Error, figure, json::Counter};
use satchel_script::limits::{MAX_CALLS, MAX_SOURCE};
use satchel_services::scripts::{self, CallMade};
use satchel_store::people::Actor;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Permission("scripts:write")),
        route!(reference::reference, Permission("scripts:write")),
        route!(trial::check, Permission("scripts:write")),
        route!(from_calls, Permission("scripts:write")),
        route!(transfer::export, Permission("scripts:write")),
        route!(transfer::import, Permission("scripts:write")),
        route!(one, Permission("scripts:write")),
        route!(save, Permission("scripts:write")),
        route!(remove, Permission("scripts:write")),
        route!(discard, Permission("scripts:write")),
        route!(trial::test, Permission("scripts:write")).calls_others(),
        route!(trial::run, Permission("scripts:write")).calls_others(),
        route!(versions::publish, Permission("scripts:write")),
        route!(versions::roll_back, Permission("scripts:write")),
        route!(versions::version, Permission("scripts:write")),
        route!(grant, Permission("settings:manage")),
    ]
}

/// Every script.
#[utoipa::path(get, path = "/api/scripts", tag = "scripts", responses((status = 200, body = Vec<ScriptSummary>)))]
async fn list(state: Data<State>) -> HttpResult<Json<Vec<ScriptSummary>>> {
    let all = state.scripts.all();
    Ok(Json(all.iter().map(|shown| ScriptSummary::new(&state.scripts, shown)).collect()))
}

/// Calls that were made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct CallsMade {
    /// The name to give the script.
    name: Option<String>,
    /// The calls, in order.
    #[schema(min_items = 1)]
    calls: Vec<CallMade>,
}

/// A text to go on from.
#[derive(Serialize, ToSchema)]
struct ScriptDraft {
    /// The script's name.
    name: String,
    /// Its text.
    source: String,
}

/// Makes a script of calls that were made. Nothing is kept.
#[utoipa::path(post, path = "/api/scripts/from-calls",
    request_body = CallsMade, tag = "scripts", responses((status = 200, body = ScriptDraft)))]
async fn from_calls(
    state: Data<State>,
    Who(caller): Who<Caller>,
    Body(made): Body<CallsMade>,
) -> HttpResult<Json<ScriptDraft>> {
    if made.calls.is_empty() {
        return Err(Error::invalid("Name at least one call: [{tool, params}].").into());
    }
    let mut room = Counter::new(MAX_SOURCE);
    if made.calls.len() > MAX_CALLS || !made.calls.iter().all(|call| room.takes(&call.params)) {
        let most = figure::bytes(MAX_SOURCE as u64);
        return Err(
            Error::invalid(format!("A script makes {MAX_CALLS} calls at most, with {most} of arguments.")).into()
        );
    }
    let registry = state.invoker.registry();
    let draft = move || {
        let name = made.name.unwrap_or_else(|| "my_tool".to_owned());
        let source = scripts::of_calls(&registry, &name, &made.calls);
        Ok(ScriptDraft { name, source })
    };
    Ok(Json(state.app.host.work.run(Some(caller.user), draft).await?))
}

/// One script.
#[utoipa::path(get, path = "/api/scripts/{name}",
    tag = "scripts", params(("name" = String, Path,)), responses((status = 200, body = ScriptView)))]
async fn one(state: Data<State>, name: Path<String>) -> HttpResult<Json<ScriptView>> {
    Ok(shown(&state.scripts, &name).await?)
}

/// A text that is to be the draft.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ScriptEdit {
    /// The script.
    source: String,
    /// The digest of the text it began from, empty where there was none: refused where another is there by now.
    base: Option<String>,
}

/// Keeps a text as the script's draft; makes the script where there is none.
#[utoipa::path(put, path = "/api/scripts/{name}",
    request_body = ScriptEdit, tag = "scripts", params(("name" = String, Path,)),
    responses((status = 200, body = ScriptView), (status = 409)))]
async fn save(
    state: Data<State>,
    Who(by): Who<Actor>,
    name: Path<String>,
    Body(text): Body<ScriptEdit>,
) -> HttpResult<Json<ScriptView>> {
    bench(&state).save(&by, &name, text.source, text.base).await?;
    Ok(shown(&state.scripts, &name).await?)
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct Meant {
    /// The digest of the script that is meant: refused where it has another by now.
    base: Option<String>,
}

/// Removes a script of the console with its versions, its configuration and what it keeps.
#[utoipa::path(delete, path = "/api/scripts/{name}",
    tag = "scripts", params(("name" = String, Path,), Meant), responses((status = 204), (status = 409)))]
async fn remove(
    state: Data<State>,
    Who(by): Who<Actor>,
    name: Path<String>,
    meant: Query<Meant>,
) -> HttpResult<HttpResponse> {
    bench(&state).delete(&by, &name, meant.into_inner().base).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Throws a draft away.
#[utoipa::path(delete, path = "/api/scripts/{name}/draft",
    tag = "scripts", params(("name" = String, Path,), Meant), responses((status = 204), (status = 409)))]
async fn discard(
    state: Data<State>,
    Who(by): Who<Actor>,
    name: Path<String>,
    meant: Query<Meant>,
) -> HttpResult<HttpResponse> {
    bench(&state).discard(&by, &name, meant.into_inner().base).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Hosts.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Grants {
    /// Those of the header that the script may call; the others it may not.
    hosts: Vec<String>,
}

/// Grants a script hosts that its header names.
#[utoipa::path(put, path = "/api/scripts/{name}/grants",
    request_body = Grants, tag = "scripts", params(("name" = String, Path,)),
    responses((status = 200, body = ScriptView)))]
async fn grant(
    state: Data<State>,
    Who(by): Who<Actor>,
    name: Path<String>,
    Body(given): Body<Grants>,
) -> HttpResult<Json<ScriptView>> {
    bench(&state).grant(&by, &name, given.hosts).await?;
    Ok(shown(&state.scripts, &name).await?)
}
