//! `list_catalog_systems`: which systems are connected.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{catalog::status::SystemStatus, error::Result, output::Output, spec::Category};
use satchel_services::catalog::resolve;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {}

pub(super) fn tool() -> Tool {
    Tool::new(
        "list_catalog_systems",
        Category::Catalog,
        "Lists all external systems of the service catalog with id, name, description, base URL, status and tags. Only \
         active and degraded ones can be called.",
        "The user asks what systems are available, wants to see integrations, or browses connected services.",
        run,
    )
    .giving(&[("count", "integer"), ("systems", "array")])
    .permission("catalog:read")
    .example_after(
        vec![("create_catalog_system", json!({"name": "Ledger", "description": "Invoices and payments."}))],
        "What is connected",
        json!({}),
        json!({"count": 1, "systems": [{"name": "Ledger", "description": "Invoices and payments.", "status": "draft"}]}),
    )
}

async fn run(cx: Context, _: Args) -> Result<Output> {
    let directory = resolve::systems(&cx)?;
    let rows = directory.all().iter().map(|one| {
        let system = &one.system;
        json!({
            "id": system.id, "name": system.name, "description": system.description, "base_url": system.base_url,
            "status": system.status, "tags": system.tags, "endpoints": one.endpoints.len(),
        })
    });
    // Only of a draft does what waits stand in the rows.
    let drafts = || directory.all().iter().filter(|one| one.system.status == SystemStatus::Draft);
    cx.taint().note(drafts().filter_map(|one| one.system.origin.clone()));
    let systems: Vec<Value> = rows.collect();
    let output = Output::json(json!({"count": systems.len(), "systems": systems}));
    // What stands of a draft may be a stranger's: nobody has let it through.
    let is_ours = drafts().next().is_none();
    Ok(if is_ours { output.ours() } else { output })
}
