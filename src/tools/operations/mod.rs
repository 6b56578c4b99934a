//! The platform itself: what happened on it, and how it stands.

mod get_platform_status;
mod query_audit_log;
mod shown;

use crate::engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![query_audit_log::tool(), get_platform_status::tool()]
}
