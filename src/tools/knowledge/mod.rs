//! Search in documents, the documents themselves, and the graph.

mod document;
mod graph_get_node;
mod graph_neighbors;
mod graph_upsert_edge;
mod graph_upsert_node;
mod index_put;
mod index_query;
mod index_remove;
mod search_knowledge;

use satchel_engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![
        search_knowledge::tool(),
        document::tool(),
        index_put::tool(),
        index_query::tool(),
        index_remove::tool(),
        graph_upsert_node::tool(),
        graph_upsert_edge::tool(),
        graph_get_node::tool(),
        graph_neighbors::tool(),
    ]
}
