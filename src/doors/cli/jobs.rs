//! `satchel jobs`: what is done by itself.

use serde_json::{Value, json};

use super::{
    args::JobsCommand,
    client::Client,
    run::Exit,
    screen::{Screen, cell, listing},
};
use satchel_model::{
    error::{Error, Result},
    id::shorten,
    job::JobId,
};

pub(super) async fn jobs(command: Option<JobsCommand>, client: &Client, screen: &Screen) -> Result<Exit> {
    let (job, deed) = match &command {
        None => {
            let jobs: Value = client.get("/api/jobs").await?;
            screen.show(&jobs, |all| listing(all, &["id", "name", "when_words", "next_at", "enabled"]))?;
            return Ok(Exit::Done);
        }
        Some(JobsCommand::Runs { job }) => {
            let id = meant(client, job).await?;
            let runs: Value = client.get(&format!("/api/jobs/{id}/runs")).await?;
            screen.show(&runs, |all| listing(all, &["due_at", "cause", "state", "attempt", "error"]))?;
            return Ok(Exit::Done);
        }
        Some(JobsCommand::Run { job }) => (job, "run"),
        Some(JobsCommand::Pause { job }) => (job, "pause"),
        Some(JobsCommand::Resume { job }) => (job, "resume"),
    };
    let id = meant(client, job).await?;
    let done: Value = client.post(&format!("/api/jobs/{id}/{deed}"), &json!({})).await?;
    screen.show(&done, |done| match deed {
        "run" => format!("It runs: `satchel jobs runs {id}` tells what comes of it."),
        "pause" => format!("{} is paused.", cell(done, "name")),
        _ => format!("{} goes on, next at {}.", cell(done, "name"), cell(done, "next_at")),
    })?;
    Ok(Exit::Done)
}

/// The id of the job that is meant by its id or its name.
async fn meant(client: &Client, job: &str) -> Result<String> {
    if job.parse::<JobId>().is_ok() {
        return Ok(job.to_owned());
    }
    let jobs: Value = client.get("/api/jobs").await?;
    let all = jobs.as_array().into_iter().flatten();
    let named: Vec<&Value> = all.filter(|one| cell(one, "name").to_lowercase() == job.to_lowercase()).collect();
    match named.as_slice() {
        [one] => Ok(cell(one, "id")),
        [] => Err(Error::not_found(format!("There is no job '{}'. `satchel jobs` lists them.", shorten(job)))),
        more => Err(Error::conflict(format!(
            "{} jobs are called '{}': name the one you mean by its id. `satchel jobs` lists them.",
            more.len(),
            shorten(job)
        ))),
    }
}
