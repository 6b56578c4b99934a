//! Jobs as the tools of a model have them: its person's own.

use satchel_engine::context::Context;
use satchel_model::{
    error::{Error, Result},
    job::{Authority, Draft, Job, JobId, Plan},
    policy::LayerKind,
};
use satchel_store::{
    jobs::{Jobs, Whose},
    people::Actor,
};

fn jobs(cx: &Context) -> (&Jobs, Actor) {
    (&cx.app().stores.jobs, Actor::at(cx.caller(), cx.now()))
}

/// Makes a job that sends a message or has an agent do a task: the one that makes it, unless another is named. What came in
/// from outside before goes with it.
///
/// # Errors
///
/// If it is not in order; and if a script makes it for an agent while the policy has a layer for scripts, which would not hold
/// for that agent.
pub async fn create(cx: &Context, draft: Draft) -> Result<Job> {
    let (jobs, by) = jobs(cx);
    let mut draft = draft;
    if draft.deed.task.is_some() && cx.policy().has(LayerKind::Sandbox) {
        return Err(Error::denied(
            "The policy has a layer for scripts ('sandbox'), and an agent that does this task later would be outside of it: \
             a script makes no such job here. Make it yourself, or have the script set a reminder.",
        ));
    }
    if draft.deed.task.is_some() && draft.deed.agent.is_none() {
        draft.deed.agent = Some(Authority::new(&by.caller)?.author().to_string());
    }
    let plan = draft.plan(by.now)?;
    let plan = Plan { origin: cx.taint().origin_to_keep(), ..plan };
    Ok(jobs.create(&by, plan).await?.job)
}

/// The person's jobs, the next due first.
pub async fn list(cx: &Context) -> Result<Vec<Job>> {
    let all = jobs(cx).0.list(Whose::Own(cx.caller().user)).await?;
    cx.taint().note(all.iter().filter_map(|job| job.origin.clone()));
    Ok(all)
}

/// One of the person's jobs.
///
/// # Errors
///
/// If there is no such job of theirs.
pub async fn one(cx: &Context, id: JobId) -> Result<Job> {
    jobs(cx).0.get(id, Whose::Own(cx.caller().user)).await
}

/// Pauses one.
///
/// # Errors
///
/// If there is no such job of theirs.
pub async fn pause(cx: &Context, id: JobId) -> Result<Job> {
    let (jobs, by) = jobs(cx);
    jobs.pause(&by, id, Whose::Own(by.caller.user)).await.map(|job| noted(cx, job))
}

/// Lets one go on.
///
/// # Errors
///
/// If there is no such job of theirs, or its moments are over.
pub async fn resume(cx: &Context, id: JobId) -> Result<Job> {
    let (jobs, by) = jobs(cx);
    jobs.resume(&by, id).await.map(|job| noted(cx, job))
}

/// Deletes one.
///
/// # Errors
///
/// If there is no such job of theirs.
pub async fn delete(cx: &Context, id: JobId) -> Result<Job> {
    let (jobs, by) = jobs(cx);
    jobs.delete(&by, id, Whose::Own(by.caller.user)).await.map(|job| noted(cx, job))
}

/// The job, which a model reads now.
fn noted(cx: &Context, job: Job) -> Job {
    cx.taint().note(job.origin.clone());
    job
}
