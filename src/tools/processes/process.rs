//! `process`: commands that go on in the background.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::policy;
use satchel_engine::{context::Context, preparation::Preparation, tool::Tool};
use satchel_host::{process::Status, sandbox::Action};
use satchel_model::{
    error::{Error, Result},
    output::Output,
    question::{Question, clipped},
    settings::Settings,
    spec::{Category, Risk},
};
use satchel_services::own_files::commands;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// What to do.
    action: What,
    /// The command line to start; for `start` only.
    command: Option<String>,
    /// The process, as `start` named it; for `stop` and `status` only.
    session_id: Option<String>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum What {
    Start,
    Stop,
    List,
    Status,
}

pub(super) fn tool() -> Tool {
    let asks = |args: &Args, settings: &Settings| match (args.action, &args.command) {
        (What::Start, Some(line)) => policy::asks(&settings.exec, &Action::Shell(line.clone())),
        _ => None,
    };
    let starts = |args: &Args| args.action == What::Start;
    let calls = Preparation::new(run).ahead(ahead).asks(asks).starts_process(starts);
    Tool::prepared(
        "process",
        Category::Processes,
        "Starts a shell command line in the background of the sandbox, and lists, looks at and stops what was started. \
         A process goes on until it ends, is stopped with all it started, or the server ends; the last 64 kB of its \
         output are kept.",
        "A command takes long or never ends by itself: a server, a watcher, a long build.",
        calls,
    )
    .permission("host:exec")
    .personal("your files")
    .risk(Risk::HighWrite)
    .timeout(Duration::from_secs(30))
    .available(policy::available)
    .example(
        "Start a long command",
        json!({"action": "start", "command": "sleep 60"}),
        json!({"command": "sleep 60", "state": "running", "exit_code": null}),
    )
    .example("What was started", json!({"action": "list"}), json!({"processes": []}))
}

async fn ahead(cx: Context, args: Args) -> Result<Question> {
    let own = commands::processes(&cx).await?;
    match args.action {
        What::Start => {
            let line = startable(&cx, args.command)?;
            own.ensure_startable(&line)?;
            Ok(Question { text: format!("Start “{}” in the background?", clipped(&line)), subject: None })
        }
        What::Stop => {
            let status = own.status(&needed(args.session_id, "session_id", "stop")?)?;
            Ok(Question::about("Stop", &status.command))
        }
        What::Status => {
            let status = own.status(&needed(args.session_id, "session_id", "status")?)?;
            Ok(Question::about("Look at", &status.command))
        }
        What::List => Ok(Question { text: "List the background processes?".to_owned(), subject: None }),
    }
}

/// Returns the line to start.
///
/// # Errors
///
/// If the policy does not let it run.
fn startable(cx: &Context, command: Option<String>) -> Result<String> {
    let line = needed(command, "command", "start")?;
    policy::check(&cx.platform().exec, &Action::Shell(line.clone()), &[])?;
    Ok(line)
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let own = commands::processes(&cx).await?;
    match args.action {
        What::Start => {
            let line = startable(&cx, args.command)?;
            answer(&cx, &commands::start(&cx, &line, &cx.platform().exec.blocked).await?)
        }
        What::Stop => answer(&cx, &own.stop(&needed(args.session_id, "session_id", "stop")?).await?),
        What::Status => answer(&cx, &own.status(&needed(args.session_id, "session_id", "status")?)?),
        What::List => {
            let all = own.list();
            cx.taint().note(all.iter().filter_map(|status| status.origin.clone()));
            Ok(Output::json(json!({"processes": all})))
        }
    }
}

fn needed(given: Option<String>, name: &str, action: &str) -> Result<String> {
    given
        .filter(|text| !text.trim().is_empty())
        .ok_or_else(|| Error::invalid(format!("'{name}' is missing: the action `{action}` needs it.")))
}

fn answer(cx: &Context, status: &Status) -> Result<Output> {
    cx.taint().note(status.origin.clone());
    let data: Value = serde_json::to_value(status).map_err(Error::internal)?;
    Ok(Output::json(data))
}
