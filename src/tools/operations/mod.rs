//! The platform itself: what happened on it, how it stands, and how the organization does its work.

mod get_platform_status;
mod query_audit_log;
mod schedule;
mod search_processes;
mod shown;

use satchel_engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![query_audit_log::tool(), get_platform_status::tool(), search_processes::tool(), schedule::tool()]
}
