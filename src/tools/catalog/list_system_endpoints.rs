//! `list_system_endpoints`: what a system can do.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{error::Result, output::Output, spec::Category};
use satchel_services::catalog::resolve;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of the system, from list_catalog_systems; its name does as well.
    system_id: String,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "list_system_endpoints",
        Category::Catalog,
        "Lists all endpoints (operations) of one external system with name, method, path, risk, description, and the tool \
         that calls each.",
        "The user asks what operations a system offers, or what they can do with an integration.",
        run,
    )
    .giving(&[("count", "integer"), ("endpoints", "array")])
    .permission("catalog:read")
    .example_after(
        vec![
            ("create_catalog_system", json!({"name": "Ledger"})),
            ("create_system_endpoint", json!({"system_id": "Ledger", "name": "Get invoice", "method": "GET", "path": "/invoices/{id}"})),
        ],
        "What a system can do",
        json!({"system_id": "Ledger"}),
        json!({"count": 1, "endpoints": [{"name": "Get invoice", "method": "GET", "path": "/invoices/{id}", "risk_level": "low_write"}]}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let directory = resolve::systems(&cx)?;
    let found = directory.find(&args.system_id)?;
    let rows = found.endpoints.iter().map(|endpoint| {
        json!({
            "id": endpoint.id, "name": endpoint.name, "protocol": endpoint.operation.protocol(),
            "method": endpoint.method, "path": endpoint.path, "risk_level": endpoint.effective_risk(),
            "description": endpoint.description, "when_to_use": endpoint.when_to_use,
            "tool": format!("catalog:{}.{}", found.system.slug, endpoint.slug), "waits_for_review": !endpoint.is_offered(),
        })
    });
    cx.taint().note(found.endpoints.iter().filter_map(|endpoint| endpoint.origin.clone()));
    let endpoints: Vec<Value> = rows.collect();
    let system = json!({"id": found.system.id, "name": found.system.name, "status": found.system.status});
    let output = Output::json(json!({"system": system, "count": endpoints.len(), "endpoints": endpoints}));
    let is_ours = found.endpoints.iter().all(|endpoint| endpoint.reviewed);
    Ok(if is_ours { output.ours() } else { output })
}
