//! One run of a program.

use serde_json::{Map, Value, json};
use tokio::sync::Mutex;

use super::journal::{Journal, Next};
use crate::scripts::{Text, converse_with};
use satchel_engine::{context::Context, registry::Registry, told};
use satchel_model::{
    call::{Outcome, Ticket},
    error::{Error, Kind, Result},
    output::{Content, Output},
    script::LogLine,
};
use satchel_script::{
    limits,
    wire::{Answer, Ask, Fault, Reply, Task},
};
use satchel_store::programs::Answered;

/// Most calls of one program.
pub const MAX_CALLS: usize = 32;

/// A call as its card tells it.
struct Told {
    tool: String,
    arguments: Value,
    ok: bool,
    /// `true` if it was made before the program waited.
    replayed: bool,
    error: Option<String>,
    duration_ms: u64,
}

/// Everything that answers a program.
struct Running {
    cx: Context,
    journal: Journal,
    told: Vec<Told>,
    parked: Option<Ticket>,
    /// The reason for which it cannot go on, whatever the program makes of it.
    failed: Option<Error>,
}

/// Runs a program and gives what it came to. Where a call in it must be asked about, it waits for that.
///
/// # Errors
///
/// If it is no program, breaks a limit, or throws something.
pub async fn run(cx: Context, source: String) -> Result<Output> {
    if source.len() > limits::MAX_SOURCE {
        return Err(Error::invalid(format!("A program has at most {} KB.", limits::MAX_SOURCE >> 10)));
    }
    let workers = cx.app().host.workers.for_user(cx.caller().user);
    let _place = workers.asking(usize::from(cx.call().depth)).await.map_err(crate::scripts::ended)?;
    let journal = match Journal::open(&cx, &source).await? {
        Ok(journal) => journal,
        Err(outcome) => return output_of(outcome),
    };
    let task = Task::Program { source, now: journal.now() };
    let running = Mutex::new(Running { cx: cx.clone(), journal, told: Vec::new(), parked: None, failed: None });
    let reply = converse_with(&workers, &task, Text::none(), |ask| answer(&running, ask)).await;
    let Running { mut journal, told, parked, failed, .. } = running.into_inner();
    if let Some(ticket) = parked {
        journal.park(&cx, ticket.id).await?;
        return Err(cx.wait_for(ticket));
    }
    let outcome = match (failed, reply) {
        (Some(error), _) | (None, Err(error)) => failure(&error, &told),
        (None, Ok(Reply::Ran(ran))) => match ran.outcome {
            Ok(value) => success(value, &ran.log, &told),
            Err(fault) => failure(&of_fault(fault), &told),
        },
        (None, Ok(_)) => return Err(Error::internal("a worker answered another question")),
    };
    journal.end(outcome.clone()).await?;
    output_of(outcome)
}

/// One at a time: a program asks, and waits.
async fn answer(running: &Mutex<Running>, ask: Ask) -> Answer {
    let mut running = running.lock().await;
    match ask {
        Ask::Tool { name, params } => running.call(name, params).await,
        _ => Answer::Ended(
            "A program reaches outside through tools alone: use tool(\"web_fetch\", #{url: …}).".to_owned(),
        ),
    }
}

impl Running {
    async fn call(&mut self, name: String, params: Value) -> Answer {
        match self.called(&name, &params).await {
            Ok(Answered::Value(value)) => Answer::Value(value),
            Ok(Answered::Failed(message)) => Answer::Failed(message),
            Err(error) => {
                let message = error.message().to_owned();
                self.failed = Some(error);
                Answer::Ended(message)
            }
        }
    }

    async fn called(&mut self, name: &str, params: &Value) -> Result<Answered> {
        if self.journal.made() >= MAX_CALLS {
            return Err(Error::invalid(format!(
                "A program makes at most {MAX_CALLS} calls: do the rest in another one."
            )));
        }
        if Registry::around(&self.cx).find(name).is_ok_and(|found| found.tool.holds_calls()) {
            return Err(Error::invalid(format!(
                "A program does not call {name}, which makes calls itself: call the tools one by one."
            )));
        }
        match self.journal.begin(&self.cx, name, params).await? {
            Next::Answer(answer) => {
                self.tell((name, params), true, 0, &answer);
                Ok(answer)
            }
            Next::Call(ticket) => {
                let (answer, took) = match self.cx.invoke_asking(name, params.clone(), ticket).await {
                    Ok(Outcome::Done(done)) => {
                        let done = *done;
                        self.cx.room().keep(done.room);
                        (Answered::Value(done.output.data), done.duration_ms)
                    }
                    Ok(Outcome::Confirm(ticket)) => {
                        self.parked = Some(*ticket);
                        return Err(Error::new(Kind::Conflict, "A person is asked first."));
                    }
                    // What ends the run ends the program.
                    Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                    Err(error) => (Answered::Failed(error.message().to_owned()), 0),
                };
                self.tell((name, params), false, took, &answer);
                self.journal.answered(answer.clone()).await?;
                Ok(answer)
            }
        }
    }

    fn tell(&mut self, (tool, params): (&str, &Value), replayed: bool, duration_ms: u64, answer: &Answered) {
        let error = match answer {
            Answered::Failed(message) => Some(message.clone()),
            Answered::Value(_) => None,
        };
        let arguments = told::arguments(&self.cx, tool, params);
        let (tool, ok) = (tool.to_owned(), error.is_none());
        self.told.push(Told { tool, arguments, ok, replayed, error, duration_ms });
    }
}

fn of_fault(Fault { message, line, column, .. }: Fault) -> Error {
    let place = match (line, column) {
        (Some(line), Some(column)) => format!("Line {line}, column {column}: "),
        (Some(line), None) => format!("Line {line}: "),
        (None, _) => String::new(),
    };
    Error::invalid(format!("{place}{message}"))
}

fn success(value: Value, log: &[LogLine], told: &[Told]) -> Value {
    json!({"result": value, "log": log, "calls": calls(told)})
}

fn failure(error: &Error, told: &[Told]) -> Value {
    json!({"kind": error.kind(), "error": error.message(), "calls": calls(told)})
}

fn calls(told: &[Told]) -> Vec<Value> {
    let call = |one: &Told| {
        json!({
            "tool": one.tool, "arguments": one.arguments, "ok": one.ok, "replayed": one.replayed, "error": one.error,
            "duration_ms": one.duration_ms,
        })
    };
    told.iter().map(call).collect()
}

/// The output of a program by what is kept of it. Its calls are for its card; the model reads what it gave back.
fn output_of(outcome: Value) -> Result<Output> {
    let Value::Object(mut outcome) = outcome else { return Err(Error::internal("a program's end is no object")) };
    let calls = outcome.remove("calls").unwrap_or_default();
    if let Some(Value::String(message)) = outcome.remove("error") {
        let kind = outcome.remove("kind").and_then(|kind| serde_json::from_value(kind).ok()).unwrap_or(Kind::Invalid);
        return Err(Error::new(kind, message).with_details(json!({"calls": calls})));
    }
    let (result, log) = (outcome.remove("result").unwrap_or_default(), outcome.remove("log").unwrap_or_default());
    let made = calls.as_array().map_or(0, Vec::len);
    let shown = match &result {
        Value::String(text) => Content::Text { text: text.clone() },
        other => Content::Json { json: other.clone() },
    };
    let meta = Map::from_iter([("calls".to_owned(), calls), ("log".to_owned(), log)]);
    Ok(Output { content: vec![shown], meta, ..Output::json(json!({"result": result, "calls": made})) })
}
