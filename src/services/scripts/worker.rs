//! Talks to a worker: sends a task, answers what the script asks, brings back what came of it.

use std::{borrow::Cow, future::Future, time::Duration};

use serde::Serialize;
use serde_json::Value;

use super::{loaded::Loaded, run};
use satchel_host::workers::{Allowance, Death, Ended, Job, Pace, Said, Workers};
use satchel_model::{
    error::{Error, Kind, Result},
    output::Output,
    script::TestRun,
    time::Time,
};
use satchel_script::{
    header, limits,
    wire::{Answer, Ask, Checked, Reply, Task},
};

/// The allowance of a worker between two questions of a run: what the engine allows, and a little to say so.
const RUN: Allowance =
    Allowance { cpu: limits::MAX_CPU.saturating_add(Duration::from_millis(250)), wall: Duration::from_secs(8) };
/// The allowance for checking a text.
const CHECK: Allowance = Allowance { cpu: Duration::from_millis(600), wall: Duration::from_secs(8) };
/// The allowance of all tests of a script together: what the worker allows them, and the last of them a little more.
const TEST: Allowance = Allowance { cpu: limits::MAX_TESTING.saturating_add(RUN.cpu), wall: Duration::from_secs(15) };

/// Finds what is wrong with a text. One that hangs the parser is wrong, too.
pub async fn check(workers: &Workers, source: &str) -> Result<Checked> {
    match once(workers, &Task::Check { source: header::without_mark(source).to_owned() }, CHECK).await? {
        Reply::Checked(checked) => Ok(checked),
        _ => Err(out_of_step()),
    }
}

/// Runs the examples and tests of a text.
pub async fn test(workers: &Workers, source: &str) -> Result<TestRun> {
    let _place = workers.long().await;
    match once(workers, &Task::Test { source: header::without_mark(source).to_owned() }, TEST).await? {
        Reply::Tested(run) => Ok(run),
        _ => Err(out_of_step()),
    }
}

/// Runs a text once with these arguments. It reaches nothing outside: no tool, no host, nothing kept.
pub async fn evaluate(workers: &Workers, script: &Loaded, arguments: &Value, now: Time) -> Result<Output> {
    let defaults = script.head.settings.iter().filter_map(|s| Some((s.key.clone(), s.default.clone()?)));
    let task = Task::Run {
        key: script.digest.clone(),
        args: script.head.prepared(Cow::Borrowed(arguments)),
        config: defaults.collect(),
        now,
    };
    let nothing = |_| async { Answer::Ended("Here a script reaches nothing outside: run it on a server.".to_owned()) };
    match converse(workers, &task, script, nothing).await? {
        Reply::Ran(ran) => run::output(ran),
        _ => Err(out_of_step()),
    }
}

async fn once(workers: &Workers, task: &Task<Value>, most: Allowance) -> Result<Reply<Value>> {
    match workers.run(Job { frame: written(task)?.into(), most, pace: None }).await.map_err(ended)? {
        Said::Done(frame) => read(&frame),
        Said::Asked(..) => Err(out_of_step()),
    }
}

/// Runs a script's task to its end. `answer` answers what it asks meanwhile.
pub(super) async fn converse<F>(
    workers: &Workers,
    task: &Task<Cow<'_, Value>>,
    script: &Loaded,
    answer: impl FnMut(Ask) -> F,
) -> Result<Reply<Value>>
where
    F: Future<Output = Answer>,
{
    let pace = script.asks_nothing().then_some(&*script.pace);
    converse_with(workers, task, Text { source: Some(&script.source), pace }, answer).await
}

/// A text that a worker may ask for, and the pace it goes at.
pub struct Text<'a> {
    source: Option<&'a str>,
    pace: Option<&'a Pace>,
}

impl Text<'_> {
    /// Of a task that has its text with it.
    pub fn none() -> Self {
        Self { source: None, pace: None }
    }
}

/// Runs a task to its end. `answer` answers what it asks meanwhile.
pub async fn converse_with<F>(
    workers: &Workers,
    task: &Task<Cow<'_, Value>>,
    Text { source, pace }: Text<'_>,
    mut answer: impl FnMut(Ask) -> F,
) -> Result<Reply<Value>>
where
    F: Future<Output = Answer>,
{
    let mut said = workers.run(Job { frame: written(task)?.into(), most: RUN, pace }).await.map_err(ended)?;
    loop {
        let (frame, conversation) = match said {
            Said::Done(frame) => return read(&frame),
            Said::Asked(frame, conversation) => (frame, conversation),
        };
        let answer = match read(&frame)? {
            Reply::Ask(ask) => answer(ask).await,
            Reply::Unknown => Answer::Value(Value::String(source.ok_or_else(out_of_step)?.to_owned())),
            _ => return Err(out_of_step()),
        };
        said = conversation.answer(&written(&answer)?, RUN).await.map_err(ended)?;
    }
}

fn written(message: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(message).map_err(Error::internal)
}

fn read(frame: &[u8]) -> Result<Reply<Value>> {
    serde_json::from_slice(frame).map_err(|error| {
        Error::upstream("What the script gives back is nested too deeply, or is no JSON.").caused_by(error)
    })
}

/// The worker is gone; the next call gets a new one.
pub fn ended(why: Ended) -> Error {
    match why {
        Ended::Time => Error::new(
            Kind::Timeout,
            "The script computed too long and was stopped. Do less at once: a helper takes less than a loop.",
        ),
        Ended::Died(Death::Memory) => Error::upstream(format!(
            "The script was stopped: it used more than the {} MB of memory it may have.",
            limits::MAX_MEMORY >> 20
        )),
        Ended::Died(Death::Stack) => Error::upstream("The script was stopped: it nests something without end."),
        Ended::Died(Death::Processor) => ended(Ended::Time),
        Ended::Died(death) => Error::upstream(format!("The script worker ended unexpectedly: {death}.")),
        Ended::Unstarted(error) | Ended::Input(error) => {
            Error::new(Kind::Internal, format!("No script worker could be started: {error}.")).caused_by(error)
        }
        Ended::TooLong => Error::upstream("The script gave back more than it may."),
        Ended::Crowded => Error::new(
            Kind::Exhausted,
            "The scripts that wait for an answer hold all the memory they may together. Keep less before asking for \
             something, or try again when they are done.",
        ),
    }
}

fn out_of_step() -> Error {
    Error::internal("a worker answered another question")
}
