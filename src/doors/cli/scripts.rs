//! `satchel script`: new ones, checks and tests, on files; no server is needed, and nothing leaves the machine.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{args::ScriptCommand, run::Exit, screen::Screen, tools};
use satchel_engine::{registry::Registry, validate::Schema};
use satchel_host::{clock::Clock, folder, workers::Workers};
use satchel_model::{
    error::{Error, Result},
    script::{Diagnostic, LogLevel, LogLine, Origin, TestResult},
};
use satchel_script::{header, nearest::nearest};
use satchel_services::scripts::{self, Loaded};

/// Most files of a folder.
const MAX_FILES: usize = 1_000;

/// Runs one of the commands. `usual` is the folder that is meant where no path is given; no script may have the name of
/// what is `offered`.
pub async fn script(
    command: ScriptCommand,
    usual: PathBuf,
    workers: &Workers,
    offered: &Registry,
    json: bool,
) -> Result<Exit> {
    let screen = Screen::new(json);
    match command {
        ScriptCommand::New { name, folder } => new(&name, folder.unwrap_or(usual), offered, &screen),
        ScriptCommand::Check { path } => check(path.unwrap_or(usual), workers, offered, &screen).await,
        ScriptCommand::Run { path, arguments } => run(&path, &arguments, workers, &screen).await,
        ScriptCommand::Test { path } => test(path.unwrap_or(usual), workers, offered, &screen).await,
    }
}

/// Writes the first template under a name of its own.
fn new(name: &str, into: PathBuf, offered: &Registry, screen: &Screen) -> Result<Exit> {
    let template = scripts::templates().first().map(|template| template.source).unwrap_or_default();
    let text = template.replacen("@name my_tool", &format!("@name {name}"), 1);
    let wrong = header::parse(&text).1.into_iter().find(Diagnostic::is_error);
    if let Some(wrong) = wrong {
        return screen.refuse(&Error::invalid(message(&wrong)));
    }
    let wrong = taken(name, offered).or_else(|| scripts::shipped(name).map(|_| shipped(name)));
    if let Some(wrong) = wrong {
        return screen.refuse(&Error::invalid(format!("{wrong} Choose another name.")));
    }
    folder::make(&into)?;
    let path = into.join(format!("{name}.rhai"));
    folder::write_new(&path, text.as_bytes())?;
    screen.show(&json!({"path": path}), |_| {
        format!("{}\nTry it: satchel script test {}", path.display(), path.display())
    })?;
    Ok(Exit::Done)
}

async fn check(path: PathBuf, workers: &Workers, offered: &Registry, screen: &Screen) -> Result<Exit> {
    let mut files = Vec::new();
    let mut failed = false;
    for (file, text) in texts(&path)? {
        let problems = match &text {
            Ok(text) => {
                let mut problems = problems_of(workers, text).await;
                problems.extend(of_name(&file, text, offered));
                problems.extend(of_uses(&file, text, offered));
                problems
            }
            Err(unread) => vec![Diagnostic::error(1, 1, unread.message())],
        };
        failed |= problems.iter().any(Diagnostic::is_error);
        files.push((json!({"file": file, "problems": problems}), at_places(&file, &problems)));
    }
    report(screen, files, failed, "Nothing is wrong.")
}

async fn problems_of(workers: &Workers, text: &str) -> Vec<Diagnostic> {
    match scripts::check(workers, text).await {
        Ok(checked) => checked.problems,
        Err(error) => vec![Diagnostic::error(1, 1, error.message())],
    }
}

/// Returns the errors that keep a script from running.
async fn errors_of(workers: &Workers, text: &str) -> Vec<Diagnostic> {
    problems_of(workers, text).await.into_iter().filter(Diagnostic::is_error).collect()
}

/// Returns the problem that keeps a server from taking a file under its name.
fn of_name(file: &Path, text: &str, offered: &Registry) -> Option<Diagnostic> {
    let header::Head { name, name_at: (line, column), .. } = header::parse(text).0;
    if name.is_empty() {
        return None;
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    if let Some(taken) = taken(&name, offered) {
        return Some(Diagnostic::error(line, column, taken).hint("Choose another name."));
    }
    if stem != name {
        let message = format!("The file is called {stem}.rhai and the script {name}.");
        return Some(Diagnostic::error(line, column, message).hint("Name both alike."));
    }
    scripts::shipped(&name).filter(|shipped| *shipped != text)?;
    let hint = "A server does not take this one beside it: rename the file and its @name.";
    Some(Diagnostic::warning(line, column, shipped(&name)).hint(hint))
}

/// The tools it uses that are neither Satchel's own nor scripts beside it; a server may have them all the same.
fn of_uses(file: &Path, text: &str, offered: &Registry) -> Vec<Diagnostic> {
    let is_known = |name: &str| {
        let beside = file.with_file_name(format!("{name}.rhai"));
        offered.find(name).is_ok() || scripts::shipped(name).is_some() || beside.is_file()
    };
    let head = header::parse(text).0;
    let unknown = head.uses_with_places().filter(|(name, _)| !is_known(name));
    let warnings = unknown.map(|(name, (line, column))| {
        let names = offered.tools().iter().map(|tool| tool.spec().name.as_str());
        let hint = match nearest(name, names) {
            Some(close) => format!("Did you mean '{close}'?"),
            None => "The server must have it: see its list of tools.".to_owned(),
        };
        let told = format!("There is no tool '{name}' here.");
        Diagnostic::warning(line, column, told).long(name.chars().count()).hint(hint)
    });
    warnings.collect()
}

fn taken(name: &str, offered: &Registry) -> Option<String> {
    let found = offered.find(name).ok()?;
    Some(format!("The name '{name}' belongs to {}.", found.tool.spec()))
}

fn shipped(name: &str) -> String {
    format!("There is already a shipped script called {name}.")
}

async fn test(path: PathBuf, workers: &Workers, offered: &Registry, screen: &Screen) -> Result<Exit> {
    let mut files = Vec::new();
    let mut failed = false;
    for (file, text) in texts(&path)? {
        let (text, errors) = match text {
            Ok(text) => {
                let errors = errors_of(workers, &text).await;
                (text, errors)
            }
            Err(unread) => (String::new(), vec![Diagnostic::error(1, 1, unread.message())]),
        };
        if !errors.is_empty() {
            failed = true;
            files.push((json!({"file": file, "problems": errors}), at_places(&file, &errors)));
            continue;
        }
        let run = match scripts::test(workers, &text).await {
            Ok(run) => run,
            Err(error) => {
                failed = true;
                let line = format!("{}: {}", file.display(), error.message());
                files.push((json!({"file": file, "error": error.message()}), vec![line]));
                continue;
            }
        };
        failed |= !run.is_green();
        let mut lines = vec![format!("{}: {} of {} pass", file.display(), run.passed, run.total)];
        lines.extend(run.results.iter().filter(|result| !result.passed).flat_map(|result| red(&file, result)));
        let warnings = of_uses(&file, &text, offered);
        lines.extend(at_places(&file, &warnings));
        files.push((json!({"file": file, "tests": run, "problems": warnings}), lines));
    }
    report(screen, files, failed, "There is no script here.")
}

/// Runs one that needs nothing outside.
async fn run(path: &Path, arguments: &[String], workers: &Workers, screen: &Screen) -> Result<Exit> {
    if path.is_dir() {
        return screen.refuse(&Error::invalid(format!("{} is a folder: name one script in it.", path.display())));
    }
    let text = text(path)?;
    let errors = errors_of(workers, &text).await;
    if !errors.is_empty() {
        screen.beside(&at_places(path, &errors))?;
        return Ok(Exit::Failed);
    }
    let script = Loaded::ungranted(Origin::Folder, &text);
    let schema = Schema::from_document(script.head.schema());
    let arguments = match tools::arguments(arguments, &schema.document()).and_then(|given| schema.check(given)) {
        Ok(arguments) => arguments,
        Err(error) => return screen.refuse(&error),
    };
    let ran = scripts::evaluate(workers, &script, &arguments, Clock::new().now()).await;
    let facts = match &ran {
        Ok(output) => Value::Object(output.meta.clone()),
        Err(error) => error.details().cloned().unwrap_or_default(),
    };
    screen.beside(&logged(&facts))?;
    match (ran, facts.get("line").and_then(Value::as_u64)) {
        (Ok(output), _) => {
            screen.show(&output.data, |data| data.as_str().map_or_else(|| data.to_string(), str::to_owned))?;
            Ok(Exit::Done)
        }
        (Err(error), Some(line)) => {
            let column = facts.get("column").and_then(Value::as_u64).unwrap_or(1);
            screen.beside(&[format!("{}:{line}:{column}: error: {}", path.display(), error.message())])?;
            Ok(Exit::Failed)
        }
        (Err(error), None) => Err(error),
    }
}

/// Returns the lines a script logged.
fn logged(facts: &Value) -> Vec<String> {
    let lines = facts.get("log").and_then(|log| serde_json::from_value::<Vec<LogLine>>(log.clone()).ok());
    let told = |line: LogLine| match line.level {
        LogLevel::Info => line.text,
        LogLevel::Warn => format!("warning: {}", line.text),
    };
    lines.unwrap_or_default().into_iter().map(told).collect()
}

fn report(screen: &Screen, files: Vec<(Value, Vec<String>)>, failed: bool, empty: &str) -> Result<Exit> {
    let (values, lines): (Vec<_>, Vec<_>) = files.into_iter().unzip();
    let lines = lines.concat();
    let text = if lines.is_empty() { empty.to_owned() } else { lines.join("\n") };
    screen.show(&Value::Array(values), |_| text)?;
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

fn red(file: &Path, result: &TestResult) -> Vec<String> {
    let line = result.line.map(|line| format!("{line}:")).unwrap_or_default();
    let message = result.message.clone().unwrap_or_default();
    let mut lines = vec![format!("  {}:{line} {}: {message}", file.display(), result.name)];
    if let (Some(expected), Some(got)) = (&result.expected, &result.got) {
        lines.extend([format!("    expected {expected}"), format!("    got      {got}")]);
    }
    lines
}

fn message(problem: &Diagnostic) -> String {
    let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{}{hint}", problem.message)
}

/// Problems as compilers tell them, a line each.
fn at_places(file: &Path, problems: &[Diagnostic]) -> Vec<String> {
    let one = |problem: &Diagnostic| {
        let word = if problem.is_error() { "error" } else { "warning" };
        format!("{}:{}:{}: {word}: {}", file.display(), problem.line, problem.column, message(problem))
    };
    problems.iter().map(one).collect()
}

/// The file, or the scripts directly in the folder; of each its text, or why that is not read.
fn texts(path: &Path) -> Result<Vec<(PathBuf, Result<String>)>> {
    if path.is_dir() {
        let found = folder::texts(path, "rhai", MAX_FILES)?;
        return Ok(found.into_iter().map(|(stem, text)| (path.join(format!("{stem}.rhai")), text)).collect());
    }
    Ok(vec![(path.to_owned(), Ok(text(path)?))])
}

fn text(path: &Path) -> Result<String> {
    let text = String::from_utf8(folder::read(path)?);
    text.map_err(|_| Error::invalid(format!("{} is no text in UTF-8: save it in this encoding.", path.display())))
}
