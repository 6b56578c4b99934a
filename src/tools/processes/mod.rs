//! Commands and processes, in the sandbox.

mod exec;
mod policy;
mod process;
mod shell_line;

use satchel_engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![exec::tool(), process::tool()]
}
