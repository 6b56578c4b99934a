//! `satchel runs`.

use serde_json::{Value, json};
use url::form_urlencoded::Serializer;

use super::{
    args::{RunsArgs, RunsCommand},
    client::Client,
    run::Exit,
    screen::{Screen, cell, listing},
};
use satchel_model::error::Result;

pub(super) async fn runs(args: RunsArgs, client: &Client, screen: &Screen) -> Result<Exit> {
    let RunsArgs { command, kind, agent, state } = args;
    if let Some(RunsCommand::Stop { id }) = command {
        let run: Value = client.post(&format!("/api/runs/{id}/stop"), &json!({})).await?;
        screen.show(&run, |run| format!("It is {}.", cell(run, "state")))?;
        return Ok(Exit::Done);
    }
    let mut query = Serializer::new(String::new());
    for (name, value) in [("kind", kind), ("agent", agent), ("state", state)] {
        if let Some(value) = value {
            query.append_pair(name, &value);
        }
    }
    let runs: Value = client.get(&format!("/api/runs?{}", query.finish())).await?;
    screen.show(&runs, |runs| listing(runs, &["id", "kind", "agent", "user", "state", "started_at", "ended_at"]))?;
    Ok(Exit::Done)
}
