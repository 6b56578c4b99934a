//! `schedule` and `cron`: what the person wants done later, or again and again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use satchel_engine::{
    context::Context,
    preparation::Preparation,
    tool::{Alias, Tool},
};
use satchel_model::{
    error::{Error, Result},
    job::{Do, Draft, Job, JobId, When},
    output::Output,
    question::Question,
    spec::{Category, Risk},
};
use satchel_services::jobs::calls;

#[derive(Deserialize, Serialize, JsonSchema, Clone)]
#[serde(deny_unknown_fields)]
struct Args {
    /// What to do: create, list, pause, resume or delete.
    action: Action,
    /// When, again and again: a cron expression of five fields, e.g. `0 9 * * 1-5`.
    schedule: Option<String>,
    /// When, once: a moment as RFC 3339, or as `2026-12-01T09:00` on the clock of time_zone.
    due_at: Option<String>,
    /// With due_at as its first time: hourly, daily, weekdays, weekly, monthly, or an RRULE with COUNT or UNTIL.
    recurrence: Option<String>,
    /// The time zone of schedule and due_at, e.g. `Europe/Berlin` (default UTC).
    time_zone: Option<String>,
    /// The task that an agent does then, in words that stand by themselves.
    task: Option<String>,
    /// A message that is put into the person's inbox then, in place of a task.
    message: Option<String>,
    /// The job, for pause, resume and delete.
    job_id: Option<JobId>,
}

/// As LurkBot has it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CronArgs {
    /// What to do: create, list, pause, resume or delete.
    action: Action,
    /// A cron expression of five fields, in UTC, e.g. `0 9 * * *`. For create.
    schedule: Option<String>,
    /// The task that an agent does then. For create.
    task: Option<String>,
    /// The job, for pause, resume and delete.
    job_id: Option<JobId>,
}

#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Action {
    Create,
    List,
    Pause,
    Resume,
    Delete,
}

pub(super) fn tool() -> Tool {
    let standup =
        json!({"action": "create", "schedule": "0 9 * * 1-5", "time_zone": "Europe/Berlin", "message": "Stand-up"});
    let calls =
        Preparation::new(run).ahead(ahead).lasts(|args: &Args| args.action.changes()).risk_of(|args: &Args| match args
            .action
        {
            Action::List => Risk::Read,
            Action::Create => Risk::LowWrite,
            Action::Pause | Action::Resume => Risk::HighWrite,
            Action::Delete => Risk::Destructive,
        });
    Tool::prepared(
        "schedule",
        Category::Operations,
        "Has something done later or again and again: a message to the person's inbox, or a task for an agent. Creates, lists, \
         pauses, resumes and deletes jobs. A job runs with what its owner may do then, within the bounds of whoever made it.",
        "The user wants to be reminded, or wants something done at a time, every day or week, or regularly; or asks what is \
         scheduled.",
        calls,
    )
    .permission("jobs:manage")
    .up_to(Risk::Destructive)
    .innate()
    .personal("your jobs")
    .private(&["message", "task"])
    .example(
        "A reminder for every working day",
        standup.clone(),
        json!({"ok": true, "job": {"name": "Stand-up", "enabled": true}, "message": "create: Stand-up."}),
    )
    .example(
        "A reminder, once",
        json!({"action": "create", "due_at": "2099-12-24T18:00", "message": "Light the candles"}),
        json!({"ok": true, "job": {"name": "Light the candles", "when": "once, 24 December 2099 18:00, UTC", "next_at": "2099-12-24T18:00:00.000Z"}}),
    )
    .example_after(
        vec![("schedule", standup)],
        "What is scheduled",
        json!({"action": "list"}),
        json!({"count": 1, "jobs": [{"name": "Stand-up", "enabled": true}]}),
    )
    .alias(
        Alias::new("cron", "Creates, lists, pauses, resumes and deletes tasks by a cron expression.", adapt, |data| data)
            .example("What is scheduled", json!({"action": "list"}), json!({"count": 0, "jobs": []})),
    )
}

impl Action {
    fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::List => "list",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Delete => "delete",
        }
    }

    fn changes(self) -> bool {
        !matches!(self, Self::List)
    }
}

/// The question about a call, which names the job.
async fn ahead(cx: Context, args: Args) -> Result<Question> {
    let verb = match args.action {
        Action::Create => {
            return Ok(Question::about("Schedule", &args.draft()?.plan(cx.now())?.name));
        }
        Action::List => return Ok(Question { text: "List the jobs?".to_owned(), subject: None }),
        Action::Pause => "Pause",
        Action::Resume => "Let go on",
        Action::Delete => "Delete",
    };
    Ok(Question::about(verb, &calls::one(&cx, args.job()?).await?.name))
}

fn adapt(CronArgs { action, schedule, task, job_id }: CronArgs) -> Result<Args> {
    let (due_at, recurrence, time_zone, message) = (None, None, None, None);
    Ok(Args { action, schedule, due_at, recurrence, time_zone, task, message, job_id })
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let action = args.action;
    let data = match action {
        Action::List => {
            let jobs: Vec<Value> = calls::list(&cx).await?.iter().map(shown).collect();
            json!({"ok": true, "count": jobs.len(), "jobs": jobs})
        }
        Action::Create => done(action, &calls::create(&cx, args.draft()?).await?),
        Action::Pause => done(action, &calls::pause(&cx, args.job()?).await?),
        Action::Resume => done(action, &calls::resume(&cx, args.job()?).await?),
        Action::Delete => done(action, &calls::delete(&cx, args.job()?).await?),
    };
    Ok(Output::json(data))
}

impl Args {
    fn draft(self) -> Result<Draft> {
        let Self { schedule, due_at, recurrence, time_zone, task, message, .. } = self;
        if schedule.is_some() == due_at.is_some() {
            return Err(Error::invalid("Say when: either 'schedule', a cron expression, or 'due_at', a moment."));
        }
        if task.is_some() == message.is_some() {
            return Err(Error::invalid("Say what: either 'task', for an agent, or 'message', for the inbox."));
        }
        if recurrence.is_some() && due_at.is_none() {
            return Err(Error::invalid("'recurrence' needs 'due_at', its first time."));
        }
        let when = When { cron: schedule, at: due_at, recurrence, time_zone, ..When::default() };
        Ok(Draft::new(when, Do { task, message, ..Do::default() }))
    }

    fn job(&self) -> Result<JobId> {
        self.job_id.ok_or_else(|| Error::invalid("'job_id' is missing: list the jobs to see their ids."))
    }
}

fn done(action: Action, job: &Job) -> Value {
    let action = action.as_str();
    json!({"ok": true, "job_id": job.id, "job": shown(job), "message": format!("{action}: {}.", job.name)})
}

fn shown(job: &Job) -> Value {
    json!({
        "job_id": job.id, "name": job.name, "when": job.when_words, "next_at": job.next_at, "enabled": job.enabled,
        "message": job.deed.message, "task": job.deed.task, "tool": job.deed.tool,
        "last_run": job.last_run.as_ref().map(|run| json!({"state": run.state, "error": run.error})),
    })
}
