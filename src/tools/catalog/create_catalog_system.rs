//! `create_catalog_system`: registers a system, as a draft.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::written::written;
use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    catalog::{
        auth::{Auth, AuthType},
        draft::SystemDraft,
    },
    error::Result,
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::catalog::change::CatalogProposals;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// System name.
    name: String,
    /// What the system is.
    description: Option<String>,
    /// Base URL of the system's API, for instance `https://crm.example.org/api`.
    base_url: Option<String>,
    /// Comma-separated tags, for instance `crm,sales,api`.
    tags: Option<String>,
    /// How the system authenticates callers. Credentials themselves are entered by an administrator, never here.
    #[serde(default)]
    auth_type: AuthType,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "create_catalog_system",
        Category::Catalog,
        "Registers a new external system in the service catalog. It is a draft until an administrator activates it in the \
         console; until then it cannot be called.",
        "A new backend system was discovered or described that should be registered for later use.",
        run,
    )
    .risk(Risk::LowWrite)
    .for_everybody()
    .permission("catalog:write")
    .giving(&[("id", "string"), ("name", "string"), ("status", "string")])
    .example(
        "A system with a key",
        json!({"name": "Payment gateway", "base_url": "https://pay.example.org/v2", "tags": "payments, finance", "auth_type": "api_key"}),
        json!({"name": "Payment gateway", "base_url": "https://pay.example.org/v2", "status": "draft", "tags": ["payments", "finance"]}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let draft = SystemDraft {
        name: Some(args.name),
        description: args.description,
        base_url: args.base_url.map(Some),
        tags: args.tags.as_deref().map(tags),
        auth: Some(Auth::of_type(args.auth_type)),
        ..SystemDraft::default()
    };
    let system = CatalogProposals::new(&cx)?.create(draft).await?;
    let output = Output::json(json!({
        "id": system.id, "name": system.name, "description": system.description, "base_url": system.base_url,
        "tags": system.tags, "auth_type": system.auth.kind(), "status": system.status,
        "message": "Registered as a draft. An administrator activates it in the console, under Catalog.",
    }));
    Ok(written(&cx, output))
}

/// The tags of a comma-separated list.
pub(super) fn tags(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}
