//! Files of the workspace.

mod apply_patch;
mod edit;
mod read;
mod scope;
mod write;

use satchel_engine::tool::Tool;

/// The permission to see what stands in a file.
const READ: &str = "host:fs.read";

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![read::tool(), write::tool(), edit::tool(), apply_patch::tool()]
}
