//! `satchel agents`.

use serde_json::{Value, json};

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
    screen.show(found, |found| {
        let parts = found.as_object().into_iter().flatten();
        let told = parts.filter(|(_, value)| !value.is_null() && **value != json!([]) && **value != json!(""));
        told.map(|(name, _)| format!("{name}: {}\n", cell(found, name))).collect::<String>().trim_end().to_owned()
    })?;
    Ok(Exit::Done)
}
