//! Tools that find and run tools, and those that have other agents do something.

mod agents_list;
mod find_tools;
mod parallel;
mod run_code;
mod session;
mod session_status;
mod sessions_history;
mod sessions_list;
mod sessions_send;
mod sessions_spawn;
mod skill;
mod specialists_infer;

use satchel_engine::tool::Tool;
use satchel_services::handles::Handles;

/// The tools of this category.
pub fn tools(handles: &Handles) -> Vec<Tool> {
    vec![
        find_tools::tool(handles),
        parallel::tool(),
        sessions_spawn::tool(handles),
        sessions_send::tool(handles),
        sessions_list::tool(handles),
        sessions_history::tool(handles),
        session_status::tool(handles),
        agents_list::tool(),
        run_code::tool(),
        skill::tool(),
        specialists_infer::tool(handles),
    ]
}
