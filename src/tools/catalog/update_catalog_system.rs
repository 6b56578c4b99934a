//! `update_catalog_system`: corrects what is known of a system.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::create_catalog_system::tags;
use crate::{
    engine::{context::Context, tool::Tool},
    model::{
        catalog::draft::SystemDraft,
        error::{Error, Result},
        output::Output,
        spec::{Category, Risk},
    },
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of the system, from list_catalog_systems; its name does as well.
    system_id: String,
    /// New name.
    name: Option<String>,
    /// New description.
    description: Option<String>,
    /// New base URL. Credentials do not follow to another host.
    base_url: Option<String>,
    /// Comma-separated tags, in place of those there are.
    tags: Option<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "update_catalog_system",
        Category::Catalog,
        "Changes a system's name, description, base URL or tags. What is left out stays as it is.",
        "A registered system's name, description, URL or tags must be corrected or enriched.",
        run,
    )
    .risk(Risk::LowWrite)
    .permission("catalog:write")
    .example_after(
        vec![("create_catalog_system", json!({"name": "CRM", "tags": "sales"}))],
        "A better description",
        json!({"system_id": "CRM", "description": "Customers and contacts."}),
        json!({"name": "CRM", "description": "Customers and contacts.", "tags": ["sales"], "status": "draft"}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let changing = cx.catalog_to_change()?;
    let id = cx.known_system(&args.system_id)?;
    let draft = SystemDraft {
        name: args.name,
        description: args.description,
        base_url: args.base_url.map(Some),
        tags: args.tags.as_deref().map(tags),
        ..SystemDraft::default()
    };
    let nothing =
        draft.name.is_none() && draft.description.is_none() && draft.base_url.is_none() && draft.tags.is_none();
    if nothing {
        return Err(Error::invalid("Say what to change: name, description, base_url or tags."));
    }
    let changed = changing.change(id, draft).await?;
    let mut notes = Vec::new();
    if changed.secrets_gone {
        notes.push("Its credentials were given for another address and are gone: an administrator enters them again.");
    }
    if changed.switched_off {
        notes.push("It leads elsewhere now and is disabled: an administrator activates it again.");
    }
    let system = changed.system;
    Ok(Output::json(json!({
        "id": system.id, "name": system.name, "description": system.description, "base_url": system.base_url,
        "tags": system.tags, "status": system.status, "notes": notes,
    }))
    .ours())
}
