//! The service catalog: which systems are connected, what they can do, and registering more.

mod create_catalog_system;
mod create_system_endpoint;
mod list_catalog_systems;
mod list_system_endpoints;
mod update_catalog_system;

use crate::{
    engine::{context::Context, tool::Tool},
    model::output::Output,
};

/// Said of what a tool wrote.
const WAITS: &str = "It waits: a person reviews it in the console, under Catalog, before it counts.";

/// A result that repeats what the call has written, which is ours unless something from outside was near.
fn written(cx: &Context, output: Output) -> Output {
    match cx.origin() {
        None => output.ours(),
        origin => output.kept_from(origin),
    }
}

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![
        list_catalog_systems::tool(),
        list_system_endpoints::tool(),
        create_catalog_system::tool(),
        update_catalog_system::tool(),
        create_system_endpoint::tool(),
    ]
}
