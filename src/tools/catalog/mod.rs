//! The service catalog: which systems are connected, what they can do, and registering more.

mod create_catalog_system;
mod create_system_endpoint;
mod list_catalog_systems;
mod list_system_endpoints;
mod update_catalog_system;
mod written;

use satchel_engine::tool::Tool;
use satchel_services::handles::Handles;

/// The tools of this category.
pub fn tools(handles: &Handles) -> Vec<Tool> {
    vec![
        list_catalog_systems::tool(),
        list_system_endpoints::tool(),
        create_catalog_system::tool(),
        update_catalog_system::tool(handles),
        create_system_endpoint::tool(),
    ]
}
