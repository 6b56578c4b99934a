//! `/api/tools`: the library, calls, and each tool's configuration.

use std::sync::Arc;

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    body::Body,
    client::HangUp,
    json::Json,
    route::{
        Guard::{Permission, SignedIn},
        Route, route,
    },
    state::State,
    tickets::MustConfirm,
    tool_view::{Facts, ToolView},
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_engine::{authorise, cut::Recipient, run::Stops, tool::Tool};
use satchel_model::{
    audit::Entry,
    call::{Call, Outcome, TicketId},
    caller::Caller,
    conversation::ConversationId,
    error::{Error, Kind, Result},
    policy::Situation,
};
use satchel_services::{
    answer::InvokeAnswer,
    find::{finder::Asker, hit::Hit},
};
use satchel_store::{
    audit::{Filter, MAX_BYTES},
    outcomes::Outcomes,
    people::Actor,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, SignedIn),
        route!(one, SignedIn),
        route!(find, SignedIn),
        route!(invoke, SignedIn).calls_others(),
        route!(history, SignedIn).personal(),
        route!(enable, Permission("settings:manage")),
    ]
}

/// The tools this caller may use.
#[utoipa::path(get, path = "/api/tools", tag = "tools", responses((status = 200, body = Vec<ToolView>)))]
async fn list(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<Json<Vec<ToolView>>> {
    let facts = Facts::read(&state).await?;
    let (registry, policy) = (state.invoker.registry(), state.invoker.policy(&Situation::default()));
    let seen = registry.tools().iter().filter(|tool| authorise::may_use(tool, &caller, &policy));
    Ok(Json(seen.map(|tool| ToolView::new(tool, &facts)).collect()))
}

/// One tool, by id, name or alias.
#[utoipa::path(get, path = "/api/tools/{name}", tag = "tools", responses((status = 200, body = ToolView)))]
async fn one(state: Data<State>, Who(caller): Who<Caller>, name: Path<String>) -> HttpResult<Json<ToolView>> {
    let tool = visible(&state, &caller, &name)?;
    let mut view = ToolView::new(&tool, &Facts::read(&state).await?);
    let timing = Outcomes::new(&state.app.db).timing(&view.id).await?;
    view.stats.median_ms = timing.map(|t| t.median_ms);
    view.stats.p95_ms = timing.map(|t| t.p95_ms);
    Ok(Json(view))
}

/// A need in plain words.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Need {
    /// A description of what you want to do.
    #[schema(min_length = 1, pattern = r"\S")]
    query: String,
    /// The number of tools to return; 5 if left out, 50 at most.
    limit: Option<usize>,
}

/// The tools that fit a need.
#[derive(Serialize, ToSchema)]
pub(super) struct FoundTools {
    /// The best first.
    results: Vec<Hit>,
    /// A caution to take them with, for instance that there is no embedding model and only words were compared.
    note: Option<&'static str>,
    /// The duration of the search in milliseconds.
    took_ms: f64,
}

/// Finds the tools that fit a need, among those this caller may call.
#[utoipa::path(post, path = "/api/tools/find",
    request_body = Need, tag = "tools", responses((status = 200, body = FoundTools)))]
async fn find(state: Data<State>, Who(caller): Who<Caller>, Body(need): Body<Need>) -> HttpResult<Json<FoundTools>> {
    let started = std::time::Instant::now();
    let limit = need.limit.unwrap_or(5).min(50);
    let (registry, settings) = (state.invoker.registry(), state.app.settings.get());
    let policy = state.invoker.policy(&Situation::default());
    let asker = Asker { registry: &registry, caller: &caller, settings: &settings, policy: &policy };
    let found = state.finder.find(asker, &need.query, limit).await?;
    Ok(Json(FoundTools { results: found.hits, note: found.note, took_ms: started.elapsed().as_secs_f64() * 1_000.0 }))
}

/// A call.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Invocation {
    /// The arguments.
    #[serde(default)]
    params: Value,
    /// The conversation it belongs to.
    #[schema(value_type = Option<String>, format = "uuid")]
    topic: Option<ConversationId>,
    /// A ticket, to get the result of a call that had to be confirmed.
    #[schema(value_type = Option<String>, format = "uuid")]
    ticket: Option<TicketId>,
    /// Check everything, run nothing.
    #[serde(default)]
    dry_run: bool,
}

/// Runs a tool. A tool's own failure is an answer with `success: false`.
#[utoipa::path(post, path = "/api/tools/{name}/invoke", request_body = Invocation, tag = "tools", responses(
    (status = 200, body = InvokeAnswer),
    (status = 400, description = "The arguments are wrong; the detail says what and where."),
    (status = 409, body = MustConfirm, description = "A person must confirm it first: repeat the call with the ticket. Without `ticket`: the one that was given is no longer good for this call."),
))]
async fn invoke(
    state: Data<State>,
    Who(caller): Who<Caller>,
    name: Path<String>,
    HangUp(unheard): HangUp,
    Body(body): Body<Invocation>,
) -> HttpResult<HttpResponse> {
    let Invocation { params, topic, ticket, dry_run } = body;
    let user = caller.user;
    let call = Call { topic, ticket, dry_run, ..Call::new(caller, name.into_inner(), params) };
    let (id, first) = (call.id, ticket.is_none());
    match state.invoker.invoke(call, Stops { unheard, ..Stops::default() }).await {
        Ok(Outcome::Done(done)) => Ok(state.delivery.done(Recipient { app: &state.app, user, topic }, *done).await?),
        Ok(Outcome::Confirm(ticket)) => Ok(super::tickets::must_confirm(&state.delivery, *ticket).await?),
        // 409 is for what a person must confirm: a tool that is not ready fails like any other.
        Err(error) if error.is_tools_own() || (first && is_not_ready(&error)) => {
            Ok(state.delivery.failed(user, id, error).await?)
        }
        Err(error) => Err(error.into()),
    }
}

fn is_not_ready(error: &Error) -> bool {
    matches!(error.kind(), Kind::Unconfigured | Kind::Conflict)
}

/// The last calls of a tool: one's own, or everybody's for who may read the audit.
#[utoipa::path(get, path = "/api/tools/{name}/history", tag = "tools", responses((status = 200, body = Vec<Entry>)))]
async fn history(state: Data<State>, Who(caller): Who<Caller>, name: Path<String>) -> HttpResult<HttpResponse> {
    let tool = visible(&state, &caller, &name)?;
    let own = (!caller.permissions.grants("audit:read")).then(|| caller.user.to_string());
    let filter = Filter { tool: Some(tool.spec().id()), user_id: own, ..Filter::default() };
    Ok(state.delivery.load(caller.user, 2 * MAX_BYTES, state.app.stores.audit.find(filter, 20)).await?)
}

/// On or off.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Switch {
    /// `true` if it can be called.
    enabled: bool,
}

/// Switches a tool on or off for everybody.
#[utoipa::path(put, path = "/api/tools/{name}/enabled",
    request_body = Switch, tag = "tools", responses((status = 200, body = ToolView)))]
async fn enable(
    state: Data<State>,
    Who(by): Who<Actor>,
    name: Path<String>,
    Body(switch): Body<Switch>,
) -> HttpResult<Json<ToolView>> {
    let tool = visible(&state, &by.caller, &name)?;
    let named = (tool.spec().name.clone(), tool.spec().id());
    state.app.settings.switch_tool(&by, named, switch.enabled).await?;
    Ok(Json(ToolView::new(&tool, &Facts::read(&state).await?)))
}

/// A tool this caller may use; what they may not use does not exist for them here.
pub(super) fn visible(state: &State, caller: &Caller, name: &str) -> Result<Arc<Tool>> {
    Ok(state.invoker.registry().as_seen_by(caller).find(name)?.tool)
}
