//! Tools that find and run tools.

mod find_tools;
mod parallel;

use satchel_engine::tool::Tool;
use satchel_services::handles::Handles;

/// The tools of this category.
pub fn tools(handles: &Handles) -> Vec<Tool> {
    vec![find_tools::tool(handles), parallel::tool()]
}
