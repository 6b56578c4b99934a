//! A business process as a tool and a door show it: its steps in an order in which they can be done, and what hangs on it.

use serde::Serialize;

use satchel_model::business_process::{
    Process, ProcessId,
    draft::{Step, key},
};

/// Another process that is to be done before, or one that waits.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = ProcessLink)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Its id; `null` if no such process is known here.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub id: Option<ProcessId>,
    /// Its category.
    pub category: String,
}

/// The steps in an order in which they can be done.
pub fn steps(process: &Process) -> Vec<&Step> {
    let content = &process.content;
    content.order().into_iter().filter_map(|at| content.steps.get(at)).collect()
}

/// Returns the processes to be done before it, as far as they are among `all`.
pub fn dependencies(process: &Process, all: &[Process]) -> Vec<Link> {
    let link = |name: &String| {
        let wanted = key(name);
        let known = all.iter().find(|one| one.content.key() == wanted);
        Link {
            name: known.map_or(name, |one| &one.content.name).clone(),
            id: known.map(|one| one.id),
            category: known.map(|one| one.content.category.clone()).unwrap_or_default(),
        }
    };
    process.content.depends_on.iter().map(link).collect()
}

/// Returns the processes that wait for it.
pub fn dependents(process: &Process, all: &[Process]) -> Vec<Link> {
    let own = process.content.key();
    let waits = |one: &&Process| one.content.depends_on.iter().any(|name| key(name) == own);
    let link = |one: &Process| Link {
        name: one.content.name.clone(),
        id: Some(one.id),
        category: one.content.category.clone(),
    };
    all.iter().filter(waits).map(link).collect()
}
