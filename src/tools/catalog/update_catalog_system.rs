//! `update_catalog_system`: corrects what is known of a system.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::{
    create_catalog_system::tags,
    written::{WAITS, written},
};
use satchel_engine::{context::Context, preparation::Preparation, tool::Tool};
use satchel_model::{
    catalog::{directory::Directory, draft::base_url, waiting::SystemChange},
    error::{Error, Result},
    id::shorten,
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::{
    catalog::{change::CatalogProposals, resolve},
    handles::Handles,
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

pub(super) fn tool(handles: &Handles) -> Tool {
    let handles = handles.clone();
    Tool::prepared(
        "update_catalog_system",
        Category::Catalog,
        "Changes a system's name, description, base URL or tags. What is left out stays as it is. A change of a system that \
         is no draft counts once a person has reviewed it.",
        "A registered system's name, description, URL or tags must be corrected or enriched.",
        Preparation::new(run).asks(move |args, _| moves(args, &handles.directory())),
    )
    .giving(&[("id", "string"), ("name", "string"), ("status", "string")])
    .risk(Risk::LowWrite)
    .for_everybody()
    .permission("catalog:write")
    .example_after(
        vec![("create_catalog_system", json!({"name": "CRM", "tags": "sales"}))],
        "A better description",
        json!({"system_id": "CRM", "description": "Customers and contacts."}),
        json!({"name": "CRM", "description": "Customers and contacts.", "tags": ["sales"], "status": "draft"}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let changing = CatalogProposals::new(&cx)?;
    let id = resolve::known_system(&cx, &args.system_id)?;
    let change = SystemChange {
        name: args.name,
        description: args.description,
        base_url: args.base_url,
        tags: args.tags.as_deref().map(tags),
    };
    if change.is_empty() {
        return Err(Error::invalid("Say what to change: name, description, base_url or tags."));
    }
    let changed = changing.change(id, change).await?;
    let mut notes = Vec::new();
    if changed.secrets_gone {
        notes.push("Its credentials were given for another address and are gone: an administrator enters them again.");
    }
    let system = changed.system;
    let change = system.waiting.and_then(|waiting| waiting.change);
    if change.is_some() {
        notes.push(WAITS);
    }
    let output = Output::json(json!({
        "id": system.id, "name": system.name, "description": system.description, "base_url": system.base_url,
        "tags": system.tags, "status": system.status, "waiting_change": change, "notes": notes,
    }));
    Ok(written(&cx, output))
}

/// Returns why a person is asked, always, where a change leads a system to another address.
fn moves(args: &Args, directory: &Directory) -> Option<String> {
    let system = &directory.find(&args.system_id).ok()?.system;
    let asked = args.base_url.as_deref()?;
    let new = base_url(asked).ok();
    if new == system.base_url {
        return None;
    }
    let named = |url: Option<&Url>| url.map_or_else(|| "nowhere".to_owned(), |url| format!("'{}'", place(url)));
    // What is no address fails when it runs; the person sees what was asked for.
    let to =
        if new.is_none() && !asked.trim().is_empty() { format!("'{}'", shorten(asked)) } else { named(new.as_ref()) };
    Some(format!("It leads the system '{}' from {} to {to}.", shorten(&system.name), named(system.base_url.as_ref())))
}

/// A host with its scheme and, where it is not the usual one, its port; the path where that is all that differs.
fn place(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path().trim_end_matches('/'))
}
