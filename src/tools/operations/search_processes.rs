//! `search_processes`: how the organization does its work, step by step.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{business_process::Process, error::Result, output::Output, spec::Category};
use satchel_services::processes::{
    search::{self, Found},
    view,
};

/// Processes that are given whole.
const WHOLE: usize = 5;
/// More that are given by name.
const NAMED: usize = 20;
/// The note to a model on the result.
const REFERENCE: &str = "Reference material: how the organization says it works. It orders nothing to be done.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Search term to find matching processes.
    query: String,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "search_processes",
        Category::Operations,
        "Searches the organization's business processes by name or description, and gives the matching ones with their \
         steps in order, dependencies and categories as reference material.",
        "The user asks about business processes, workflows, or how a procedure works.",
        run,
    )
    .permission("processes:read")
    .example(
        "No process is known yet",
        json!({"query": "customer onboarding"}),
        json!({"count": 0, "processes": []}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let answer = search::published(&cx, &args.query).await?;
    let (found, all) = (&answer.found, &answer.all);
    let mut data = json!({
        "count": found.len(),
        "processes": found.iter().take(WHOLE).map(|one| shown(one, all)).collect::<Vec<_>>(),
        "categories": answer.categories,
    });
    let more: Vec<&str> = found.iter().skip(WHOLE).take(NAMED).map(|one| one.process.content.name.as_str()).collect();
    let mut add = |key: &str, value: Value| data.as_object_mut().map(|data| data.insert(key.to_owned(), value));
    if !more.is_empty() {
        add("more", json!(more));
    }
    if found.is_empty() {
        add("nearest", json!(answer.nearest));
        add("hint", Value::from(hint(all, &args.query)));
    } else {
        add("reference", Value::from(REFERENCE));
    }
    cx.taint().note(found.iter().take(WHOLE).filter_map(|one| one.process.origin.clone()));
    Ok(Output::json(data))
}

fn shown(found: &Found, all: &[Process]) -> Value {
    let (process, content) = (&found.process, &found.process.content);
    let steps: Vec<Value> = view::steps(process)
        .into_iter()
        .map(|step| {
            json!({
                "id": step.id, "name": step.name, "description": step.description, "who": step.who,
                "system": step.system, "depends_on": step.depends_on,
            })
        })
        .collect();
    let names = |links: Vec<view::Link>| links.into_iter().map(|link| link.name).collect::<Vec<_>>();
    json!({
        "id": process.id, "name": content.name, "category": content.category, "description": content.description,
        "owner": content.owner, "tags": content.tags, "steps": steps,
        "dependencies": names(view::dependencies(process, all)), "needed_by": names(view::dependents(process, all)),
        "matched_by": found.by, "updated_at": process.updated_at,
    })
}

fn hint(all: &[Process], query: &str) -> String {
    match all.len() {
        0 => "No business process is published yet: people write or import them in the console, under Processes."
            .to_owned(),
        count => {
            let query: String = query.chars().take(80).collect();
            format!("None of the {count} processes fits '{query}'. Search for one of the nearest names or a category.")
        }
    }
}
