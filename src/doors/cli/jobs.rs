//! `satchel jobs`: what is done by itself.

use serde_json::{Value, json};

use super::{
    args::JobsCommand,
    client::Client,
    run::Exit,
    screen::{Screen, cell, listing},
};
use satchel_model::error::Result;

pub(super) async fn jobs(command: Option<JobsCommand>, client: &Client, screen: &Screen) -> Result<Exit> {
    let (id, deed) = match &command {
        None => {
            let jobs: Value = client.get("/api/jobs").await?;
            screen.show(&jobs, |all| listing(all, &["id", "name", "when_words", "next_at", "enabled"]))?;
            return Ok(Exit::Done);
        }
        Some(JobsCommand::Runs { id }) => {
            let runs: Value = client.get(&format!("/api/jobs/{id}/runs")).await?;
            screen.show(&runs, |all| listing(all, &["due_at", "cause", "state", "attempt", "error"]))?;
            return Ok(Exit::Done);
        }
        Some(JobsCommand::Run { id }) => (id, "run"),
        Some(JobsCommand::Pause { id }) => (id, "pause"),
        Some(JobsCommand::Resume { id }) => (id, "resume"),
    };
    let done: Value = client.post(&format!("/api/jobs/{id}/{deed}"), &json!({})).await?;
    screen.show(&done, |done| match deed {
        "run" => format!("It runs: `satchel jobs runs {id}` tells what comes of it."),
        "pause" => format!("{} is paused.", cell(done, "name")),
        _ => format!("{} goes on, next at {}.", cell(done, "name"), cell(done, "next_at")),
    })?;
    Ok(Exit::Done)
}
