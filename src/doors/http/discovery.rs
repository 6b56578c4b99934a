//! The discovery of tools, and what showing them costs: `/api/tools/costs`, `/api/tools/collisions`, `/api/eval/tools`.

use std::{collections::BTreeMap, sync::Arc};

use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    json::Json,
    route::{
        Guard::{Permission, SignedIn},
        Route, route,
    },
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_engine::{authorise, tool::Tool};
use satchel_model::{caller::Caller, policy::Situation, spec::Source};
use satchel_services::find::{
    collisions::{self, Collision},
    finder::{Asker, Trial},
};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(costs, SignedIn), route!(confused, SignedIn), route!(try_out, Permission("settings:manage")).personal()]
}

/// The cost of what a model is told of a tool, in tokens.
#[derive(Serialize, ToSchema)]
struct Cost {
    /// The tool's id.
    id: String,
    /// The source it comes from.
    source: Source,
    /// About how many tokens.
    tokens: u64,
    /// `true` if it is in front of the model always.
    innate: bool,
}

/// The cost of the tools of one source.
#[derive(Serialize, ToSchema)]
struct SourceCost {
    /// The source.
    source: Source,
    /// The number of its tools.
    tools: usize,
    /// About how many tokens all of them are.
    tokens: u64,
}

/// The cost of showing the caller's tools to a model.
#[derive(Serialize, ToSchema)]
struct Costs {
    /// All of them, in tokens.
    total: u64,
    /// Those that are shown always.
    innate: u64,
    /// The tokens that tools may take before they are found by need instead.
    budget: u32,
    /// By source.
    sources: Vec<SourceCost>,
    /// Each tool, the dearest first.
    tools: Vec<Cost>,
}

/// Returns what the tools the caller may call cost in a model's context, by tool and by source.
#[utoipa::path(get, path = "/api/tools/costs", tag = "tools", responses((status = 200, body = Costs)))]
async fn costs(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<Json<Costs>> {
    let (registry, settings) = (state.invoker.registry(), state.app.settings.get());
    let policy = state.invoker.policy(&Situation::default());
    let callable = registry.tools().iter().filter(|tool| authorise::may_call(tool, &caller, &settings, &policy));
    let cost = |tool: &Arc<Tool>| {
        let spec = tool.spec();
        Cost { id: spec.id(), source: spec.source, tokens: tool.tokens(), innate: spec.innate }
    };
    let mut tools: Vec<Cost> = callable.map(cost).collect();
    tools.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.id.cmp(&b.id)));
    let mut by_source: BTreeMap<Source, (usize, u64)> = BTreeMap::new();
    for tool in &tools {
        let (count, tokens) = by_source.entry(tool.source).or_default();
        *count += 1;
        *tokens += tool.tokens;
    }
    let sources = by_source.into_iter().map(|(source, (tools, tokens))| SourceCost { source, tools, tokens }).collect();
    Ok(Json(Costs {
        total: tools.iter().map(|tool| tool.tokens).sum(),
        innate: tools.iter().filter(|tool| tool.innate).map(|tool| tool.tokens).sum(),
        budget: settings.chat.tool_token_budget,
        sources,
        tools,
    }))
}

/// Pairs of tools that are mistaken for each other: needs that one tool names as its own and another answers better.
/// Pairs of two built-in tools are left out: nobody here can mend them.
#[utoipa::path(get, path = "/api/tools/collisions", tag = "tools", responses((status = 200, body = Vec<Collision>)))]
async fn confused(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<Json<Vec<Collision>>> {
    let (registry, settings) = (state.invoker.registry(), state.app.settings.get());
    let policy = state.invoker.policy(&Situation::default());
    let may = |tool| authorise::may_call(tool, &caller, &settings, &policy);
    let among: Vec<bool> = registry.tools().iter().map(|tool| may(tool)).collect();
    Ok(Json(collisions::find(&state.finder, &registry, &among).await?))
}

/// Tries the tools out on the caller's own past requests: whether those that helped are found again without what was
/// learned from them.
#[utoipa::path(post, path = "/api/eval/tools", tag = "tools", responses((status = 200, body = Trial)))]
async fn try_out(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<Json<Trial>> {
    let (registry, settings) = (state.invoker.registry(), state.app.settings.get());
    let policy = state.invoker.policy(&Situation::default());
    let asker = Asker { registry: &registry, caller: &caller, settings: &settings, policy: &policy };
    Ok(Json(state.finder.try_out(asker).await?))
}
