//! `/api/graph`: the graph as its explorer shows it. Who may not read a document does not see what was found in it.

use actix_web::web::{Data, Path, Query};
use serde::Deserialize;

use super::{
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    caller::Caller,
    graph::{Node, Overview, Part},
};
use satchel_store::graph::{Filter, Graph, Sight};

/// The number of nodes an answer lists unless told otherwise.
const LISTED: usize = 50;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(nodes, Permission("index:read")),
        route!(node, Permission("index:read")),
        route!(neighbors, Permission("index:read")),
        route!(overview, Permission("index:read")),
    ]
}

fn graph(state: &State) -> Graph {
    Graph::new(&state.app.db)
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct NodesQuery {
    /// A part of the id or the name.
    q: Option<String>,
    /// Only with this label.
    label: Option<String>,
    /// The number of nodes; 50 if left out, 200 at most.
    limit: Option<usize>,
}

/// The nodes that pass, those with the most edges first.
#[utoipa::path(get, path = "/api/graph/nodes",
    tag = "graph", params(NodesQuery), responses((status = 200, body = Vec<Node>)))]
async fn nodes(state: Data<State>, Who(caller): Who<Caller>, query: Query<NodesQuery>) -> HttpResult<Json<Vec<Node>>> {
    let NodesQuery { q, label, limit } = query.into_inner();
    let filter = Filter { q, label, limit: limit.unwrap_or(LISTED) };
    Ok(graph(&state).nodes(Sight::new(&caller), filter).await.map(Json)?)
}

/// One node.
#[utoipa::path(get, path = "/api/graph/nodes/{id}",
    tag = "graph", operation_id = "graph_node", responses((status = 200, body = Node)))]
async fn node(state: Data<State>, Who(caller): Who<Caller>, at: Path<String>) -> HttpResult<Json<Node>> {
    Ok(graph(&state).node(Sight::new(&caller), &at).await.map(Json)?)
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct NeighborsQuery {
    /// Only over edges of this relation.
    rel: Option<String>,
    /// The distance in edges, 1 to 4; 1 if left out.
    #[param(minimum = 1, maximum = 4)]
    depth: Option<u8>,
}

/// Returns what lies around a node: at most 200 nodes and 1,000 edges, and whether that is all.
#[utoipa::path(get, path = "/api/graph/nodes/{id}/neighbors",
    tag = "graph", params(NeighborsQuery), responses((status = 200, body = Part)))]
async fn neighbors(
    state: Data<State>,
    Who(caller): Who<Caller>,
    at: Path<String>,
    query: Query<NeighborsQuery>,
) -> HttpResult<Json<Part>> {
    let NeighborsQuery { rel, depth } = query.into_inner();
    Ok(graph(&state).around(Sight::new(&caller), &at, rel, depth.unwrap_or(1)).await.map(Json)?)
}

/// The graph at a glance: how much there is, of which kinds, and its hubs.
#[utoipa::path(get, path = "/api/graph/overview",
    tag = "graph", operation_id = "graph_overview", responses((status = 200, body = Overview)))]
async fn overview(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<Json<Overview>> {
    Ok(graph(&state).overview(Sight::new(&caller)).await.map(Json)?)
}
