//! `get_platform_status`: what is connected and available.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::shown;
use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{error::Result, output::Output, spec::Category};
use satchel_services::{audit::AuditLog, overview};
use satchel_store::audit::Filter;

/// Events shown to those who may read the audit.
const EVENTS: u32 = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {}

pub(super) fn tool() -> Tool {
    Tool::new(
        "get_platform_status",
        Category::Operations,
        "Gives an overview of the platform: how many systems, endpoints and documents there are, how many tools and of \
         which kinds this user may call, the version, and, for those who may read the audit, the latest events.",
        "The user asks about the platform, wants a summary, or is getting started and wants to know what is available.",
        run,
    )
    .example(
        "With the right to read the audit",
        json!({}),
        json!({"systems": 0, "endpoints": 0, "documents": 0, "version": env!("CARGO_PKG_VERSION")}),
    )
}

async fn run(cx: Context, _: Args) -> Result<Output> {
    let holdings = overview::holdings(&cx).await?;
    let tools = overview::tool_counts(&cx);
    let mut data = Map::new();
    data.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    data.insert("systems".to_owned(), json!(holdings.systems));
    data.insert("endpoints".to_owned(), json!(holdings.endpoints));
    data.insert("documents".to_owned(), json!(holdings.documents));
    data.insert("tools".to_owned(), json!(tools));
    if let Ok(audit) = AuditLog::open(&cx) {
        let entries = audit.find(Filter::default(), EVENTS).await?;
        let events: Vec<Value> = entries.iter().map(shown::event).collect();
        data.insert("events".to_owned(), json!(events));
    }
    Ok(Output::json(Value::Object(data)))
}
