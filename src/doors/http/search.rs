//! `/api/search`: what the palette looks through, tools and one's own conversations.

use actix_web::{
    get,
    web::{Data, Json, Query},
};
use serde::{Deserialize, Serialize};
use utoipa_actix_web::service_config::ServiceConfig;

use super::state::State;
use crate::{
    engine::find::finder::Asker,
    model::{caller::Caller, error::Result},
};

/// Most things one answer names.
const MOST: usize = 50;

pub(super) fn services(config: &mut ServiceConfig<'_>) {
    config.service(everywhere);
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct SearchQuery {
    /// What is looked for.
    q: String,
    /// How many things to name; 10 if left out, 50 at most.
    limit: Option<usize>,
}

/// What kind of thing was found.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Tool,
    Conversation,
}

/// Something that was found.
#[derive(Serialize, utoipa::ToSchema)]
struct Thing {
    /// A tool's or a conversation's id.
    id: String,
    /// Its name or title.
    name: String,
    /// What it is.
    #[serde(rename = "type")]
    #[schema(rename = "type")]
    kind: Kind,
    /// How well it fits, 1 at best.
    score: f64,
}

/// What was found.
#[derive(Serialize, utoipa::ToSchema)]
struct Things {
    /// The best first.
    results: Vec<Thing>,
}

/// Finds tools and the caller's own conversations.
#[utoipa::path(tag = "platform", params(SearchQuery), responses((status = 200, body = Things)))]
#[get("/api/search")]
async fn everywhere(state: Data<State>, caller: Caller, query: Query<SearchQuery>) -> Result<Json<Things>> {
    let SearchQuery { q, limit } = query.into_inner();
    let limit = limit.unwrap_or(10).min(MOST);
    if q.trim().is_empty() {
        return Ok(Json(Things { results: Vec::new() }));
    }
    let (registry, settings) = (state.invoker.registry(), state.app.settings.get());
    let asker = Asker { registry: &registry, caller: &caller, settings: &settings };
    let hits = state.invoker.finder().find(asker, &q, limit).await?.hits;
    let mut results: Vec<Thing> =
        hits.into_iter().map(|hit| Thing { id: hit.id, name: hit.name, kind: Kind::Tool, score: hit.score }).collect();
    let talks = state.agent.conversations().list(caller.user, Some(q.clone())).await?;
    // The store finds by plain text: a title that holds it is a better match than a message that does.
    let score = |title: &str| if title.to_lowercase().contains(&q.to_lowercase()) { 1.0 } else { 0.5 };
    results.extend(talks.into_iter().take(limit).map(|talk| Thing {
        id: talk.id.to_string(),
        score: score(&talk.title),
        name: talk.title,
        kind: Kind::Conversation,
    }));
    results.sort_by(|a, b| b.score.total_cmp(&a.score));
    results.truncate(limit);
    Ok(Json(Things { results }))
}
