//! `satchel agents`.

use serde_json::Value;

use super::{
    args::AgentsArgs,
    client::Client,
    run::Exit,
    screen::{Screen, cell, listing},
};
use satchel_model::{agent::unknown, error::Result};

pub(super) async fn list(args: AgentsArgs, client: &Client, screen: &Screen) -> Result<Exit> {
    let agents: Value = client.get("/api/agents").await?;
    let Some(name) = args.agent else {
        screen.show(&agents, |agents| listing(agents, &["name", "id", "version", "owner", "tools", "description"]))?;
        return Ok(Exit::Done);
    };
    let key = name.to_lowercase();
    let mut all = agents.as_array().into_iter().flatten();
    let found = all.find(|one| cell(one, "name").to_lowercase() == key || cell(one, "id") == key);
    let found = found.ok_or_else(|| unknown(&name))?;
    screen.show(found, |found| serde_json::to_string_pretty(found).unwrap_or_default())?;
    Ok(Exit::Done)
}
