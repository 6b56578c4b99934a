//! `/api/jobs`: what is done by itself, and what came of it each time.

use actix_web::{
    HttpResponse,
    web::{Data, Path, Query},
};
use serde::{Deserialize, Serialize};

use super::{
    body::{Body, id},
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    caller::Caller,
    job::{Do, Draft, Firing, Job, JobId, When},
    secret::Secret,
    time::Time,
};
use satchel_store::{
    jobs::{Created, Whose},
    people::Actor,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Permission("jobs:manage")).personal(),
        route!(create, Permission("jobs:manage")).personal().calls_others(),
        route!(preview, Permission("jobs:manage")),
        route!(one, Permission("jobs:manage")).personal(),
        route!(replace, Permission("jobs:manage")).personal().calls_others(),
        route!(remove, Permission("jobs:manage")).personal(),
        route!(run, Permission("jobs:manage")).personal(),
        route!(pause, Permission("jobs:manage")).personal(),
        route!(resume, Permission("jobs:manage")).personal(),
        route!(runs, Permission("jobs:manage")).personal(),
    ]
}

/// The jobs a caller reaches beside their own: whoever may do everything pauses and deletes anybody's.
fn reached(caller: &Caller) -> Whose {
    if caller.permissions.is_all() { Whose::All } else { Whose::Own(caller.user) }
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// `true` for everybody's, which needs the permission `*`. Of others' it is not told what they do, only of which kind.
    #[serde(default)]
    all: bool,
}

/// The caller's jobs, the next due first.
#[utoipa::path(get, path = "/api/jobs", tag = "jobs", params(ListQuery), responses((status = 200, body = Vec<Job>)))]
async fn list(state: Data<State>, Who(caller): Who<Caller>, query: Query<ListQuery>) -> HttpResult<Json<Vec<Job>>> {
    let whose = match query.all {
        true => {
            caller.require("*")?;
            Whose::All
        }
        false => Whose::Own(caller.user),
    };
    let jobs = state.app.stores.jobs.list(whose).await?;
    Ok(Json(jobs.into_iter().map(|job| shown(job, &caller)).collect()))
}

/// A job as a caller may see it: of somebody else's they see that it is there, not what it does.
fn shown(job: Job, caller: &Caller) -> Job {
    if job.owner == caller.user {
        return job;
    }
    let deed = Do {
        params: None,
        message: job.deed.message.map(|_| String::new()),
        task: job.deed.task.map(|_| String::new()),
        ..job.deed
    };
    let when = When { webhook: job.when.webhook.map(|_| Default::default()), ..job.when };
    Job { deed, when, ..job }
}

/// A job that was made or changed.
#[derive(Serialize, utoipa::ToSchema)]
struct MadeJob {
    #[serde(flatten)]
    job: Job,
    /// Its webhook, where it has just been given one.
    webhook: Option<MadeWebhook>,
}

/// A webhook that was made.
#[derive(Serialize, utoipa::ToSchema)]
struct MadeWebhook {
    /// The path of its address.
    path: String,
    /// The secret that messages are signed with as Standard Webhooks has it: shown this once.
    secret: String,
}

impl From<Created> for MadeJob {
    fn from(Created { job, secret }: Created) -> Self {
        let path = job.when.webhook.as_ref().and_then(|webhook| webhook.path.clone()).unwrap_or_default();
        let webhook = secret.map(|secret: Secret| MadeWebhook { path, secret: secret.expose().to_owned() });
        Self { job, webhook }
    }
}

/// Makes a job. What it does is checked now, and again each time.
#[utoipa::path(post, path = "/api/jobs",
    request_body = Draft, tag = "jobs", responses((status = 201, body = MadeJob)))]
async fn create(state: Data<State>, Who(by): Who<Actor>, body: Body<Draft>) -> HttpResult<HttpResponse> {
    let made = state.jobs.create(&by, body.0).await?;
    Ok(HttpResponse::Created().json(MadeJob::from(made)))
}

/// Moments to look at before a job is made.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct JobMoments {
    /// The moments.
    when: When,
}

/// The next moments.
#[derive(Serialize, utoipa::ToSchema)]
struct JobPreview {
    /// The next five.
    times: Vec<Time>,
    /// All of them, in words.
    words: String,
}

/// Returns the next five moments, and all of them in words.
#[utoipa::path(post, path = "/api/jobs/preview",
    request_body = JobMoments, tag = "jobs", responses((status = 200, body = JobPreview)))]
async fn preview(state: Data<State>, body: Body<JobMoments>) -> HttpResult<Json<JobPreview>> {
    let (times, words) = state.jobs.preview(body.0.when)?;
    Ok(Json(JobPreview { times, words }))
}

/// One of the caller's jobs.
#[utoipa::path(get, path = "/api/jobs/{id}", tag = "jobs", responses((status = 200, body = Job)))]
async fn one(state: Data<State>, Who(caller): Who<Caller>, at: Path<String>) -> HttpResult<Json<Job>> {
    let job = state.app.stores.jobs.get(id(&at)?, reached(&caller)).await?;
    Ok(Json(shown(job, &caller)))
}

/// Replaces what one of the caller's jobs is. A webhook keeps its address and its secret.
#[utoipa::path(put, path = "/api/jobs/{id}",
    request_body = Draft, tag = "jobs", responses((status = 200, body = MadeJob)))]
async fn replace(
    state: Data<State>,
    Who(by): Who<Actor>,
    at: Path<String>,
    body: Body<Draft>,
) -> HttpResult<Json<MadeJob>> {
    let made = state.jobs.replace(&by, id(&at)?, body.0).await?;
    Ok(Json(made.into()))
}

/// Deletes a job with what is known of its runs.
#[utoipa::path(delete, path = "/api/jobs/{id}", tag = "jobs", responses((status = 204)))]
async fn remove(state: Data<State>, Who(by): Who<Actor>, at: Path<String>) -> HttpResult<HttpResponse> {
    state.app.stores.jobs.delete(&by, id(&at)?, reached(&by.caller)).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Runs one of the caller's jobs now, also while it is paused.
#[utoipa::path(post, path = "/api/jobs/{id}/run", tag = "jobs", responses((status = 202, body = Firing)))]
async fn run(state: Data<State>, Who(by): Who<Actor>, at: Path<String>) -> HttpResult<HttpResponse> {
    let run = state.app.stores.jobs.run_now(&by, id(&at)?).await?;
    Ok(HttpResponse::Accepted().json(run))
}

/// Pauses a job.
#[utoipa::path(post, path = "/api/jobs/{id}/pause", tag = "jobs", responses((status = 200, body = Job)))]
async fn pause(state: Data<State>, Who(by): Who<Actor>, at: Path<String>) -> HttpResult<Json<Job>> {
    let job = state.app.stores.jobs.pause(&by, id(&at)?, reached(&by.caller)).await?;
    Ok(Json(shown(job, &by.caller)))
}

/// Lets one of the caller's jobs go on.
#[utoipa::path(post, path = "/api/jobs/{id}/resume", tag = "jobs", responses((status = 200, body = Job)))]
async fn resume(state: Data<State>, Who(by): Who<Actor>, at: Path<String>) -> HttpResult<Json<Job>> {
    let id: JobId = id(&at)?;
    Ok(Json(state.app.stores.jobs.resume(&by, id).await?))
}

/// The runs of one of the caller's jobs, the newest first: those that have not ended, and the last hundred.
#[utoipa::path(get, path = "/api/jobs/{id}/runs", tag = "jobs", responses((status = 200, body = Vec<Firing>)))]
async fn runs(state: Data<State>, Who(caller): Who<Caller>, at: Path<String>) -> HttpResult<Json<Vec<Firing>>> {
    let runs = state.app.stores.jobs.runs(id(&at)?, Whose::Own(caller.user)).await?;
    Ok(Json(runs))
}
