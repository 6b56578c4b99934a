//! `exec`: a command in the sandbox, to its end.

use std::{collections::BTreeMap, path::Path, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::policy;
use satchel_engine::{
    context::Context,
    preparation::Preparation,
    tool::{Alias, Tool},
};
use satchel_host::sandbox::{Action, Command, Finished};
use satchel_model::{
    error::{Error, Kind, Result},
    output::Output,
    question::Question,
    spec::{Category, Risk},
};
use satchel_services::own_files::{OwnFiles, commands};

/// Used where none is given.
const DEFAULT_TIMEOUT: f64 = 120.0;

/// The longest that can be given.
const MAX_TIMEOUT: f64 = 600.0;

#[derive(Clone, Deserialize, Serialize, JsonSchema, Default)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The command line for the shell, or just a program's name where `args` is given.
    command: String,
    /// Arguments of the program: with them no shell is involved and nothing in them has a special meaning.
    args: Option<Vec<String>>,
    /// Seconds the command may take: 120 unless said otherwise, 600 at most.
    timeout: Option<f64>,
    /// The same as `timeout`.
    timeout_seconds: Option<f64>,
    /// Working directory: relative to the workspace, which it is unless said otherwise, or absolute.
    cwd: Option<String>,
    /// Environment variables to set.
    env: Option<BTreeMap<String, String>>,
    /// What the command reads from its standard input.
    stdin: Option<String>,
    /// Only take a bare program name and arguments that stay in the workspace, and never use a shell.
    strict: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Bash {
    /// Command to execute.
    command: String,
    /// Timeout in seconds, default 120.
    timeout: Option<f64>,
    /// Working directory; the workspace unless said otherwise.
    cwd: Option<String>,
    /// Environment variables to set.
    env: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShellExec {
    /// Executable to run.
    command: String,
    /// Arguments.
    args: Option<Vec<String>>,
    /// Working directory (optional).
    cwd: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RunCli {
    /// Bare binary name, e.g. `git` or `go`.
    command: String,
    /// Command arguments.
    args: Vec<String>,
    /// Overall timeout in seconds; 120 unless said otherwise, 600 at most.
    timeout_seconds: Option<u32>,
    /// Data to send on stdin.
    stdin: Option<String>,
}

pub(super) fn tool() -> Tool {
    let calls =
        Preparation::new(run).ahead(ahead).asks(|args: &Args, settings| policy::asks(&settings.exec, &args.action()));
    Tool::prepared(
        "exec",
        Category::Processes,
        "Runs a shell command line in the sandbox and returns what it wrote and its exit code. It sees the workspace, \
         system programs and a /tmp of its own; it has no network. A non-zero exit code is a result, not an error.",
        "Something is done best by a command: run a script or tests, use git, count, convert or search files.",
        calls,
    )
    .permission("host:exec")
    .personal("your files")
    .risk(Risk::HighWrite)
    .timeout(Duration::from_secs(650))
    .usual_timeout(Duration::from_secs_f64(DEFAULT_TIMEOUT))
    .available(policy::available)
    .example(
        "A pipeline",
        json!({"command": "printf 'b\\na\\n' | sort"}),
        json!({"stdout": "a\nb\n", "stderr": "", "exit_code": 0}),
    )
    .example(
        "A failing command is a result too",
        json!({"command": "echo no >&2; exit 3", "timeout": 10}),
        json!({"stdout": "", "stderr": "no\n", "exit_code": 3}),
    )
    .example(
        "A program without a shell",
        json!({"command": "echo", "args": ["$HOME; ls"]}),
        json!({"stdout": "$HOME; ls\n", "exit_code": 0}),
    )
    .alias(bash())
    .alias(shell_exec())
    .alias(run_cli())
}

fn bash() -> Alias {
    Alias::new(
        "bash",
        "Runs a shell command line in the sandbox and returns what it wrote and its exit code.",
        |Bash { command, timeout, cwd, env }| Ok(Args { command, timeout, cwd, env, ..Args::default() }),
        |data: Value| data,
    )
    .example(
        "A line with a variable",
        json!({"command": "echo $GREETING", "env": {"GREETING": "hello"}}),
        json!({"stdout": "hello\n", "stderr": "", "exit_code": 0}),
    )
}

fn shell_exec() -> Alias {
    Alias::new(
        "shell-exec",
        "Runs an executable with arguments, without a shell, and returns its output and exit code.",
        |ShellExec { command, args, cwd }| {
            Ok(Args { command, args: Some(args.unwrap_or_default()), cwd, ..Args::default() })
        },
        |data: Value| {
            json!({"stdout": data.get("stdout"), "stderr": data.get("stderr"), "exitCode": data.get("exit_code")})
        },
    )
    .example(
        "An executable and its arguments",
        json!({"command": "printf", "args": ["%s-%s", "a", "b"]}),
        json!({"stdout": "a-b", "stderr": "", "exitCode": 0}),
    )
}

fn run_cli() -> Alias {
    Alias::new(
        "run_cli",
        "Runs a command in the workspace without a shell: a bare binary name and its arguments, which may not lead \
         outside the workspace. No metacharacters, pipelines or redirects.",
        |RunCli { command, args, timeout_seconds, stdin }| {
            let timeout_seconds = timeout_seconds.map(f64::from);
            Ok(Args { command, args: Some(args), timeout_seconds, stdin, strict: Some(true), ..Args::default() })
        },
        |data: Value| data,
    )
    .example(
        "With data on standard input",
        json!({"command": "sort", "args": ["-r"], "stdin": "a\nb\n", "timeout_seconds": 20}),
        json!({"stdout": "b\na\n", "stderr": "", "exit_code": 0}),
    )
}

impl Args {
    fn action(&self) -> Action {
        match &self.args {
            None => Action::Shell(self.command.clone()),
            Some(args) => Action::Program(self.command.clone(), args.clone()),
        }
    }

    fn timeout(&self) -> Result<Duration> {
        let seconds = match (self.timeout, self.timeout_seconds) {
            (Some(a), Some(b)) if (a - b).abs() > f64::EPSILON => {
                return Err(Error::invalid("`timeout` and `timeout_seconds` say different times. Give one of them."));
            }
            (a, b) => a.or(b).unwrap_or(DEFAULT_TIMEOUT),
        };
        if seconds > 0.0 && seconds <= MAX_TIMEOUT {
            return Ok(Duration::from_secs_f64(seconds));
        }
        Err(Error::invalid(format!("The timeout is more than 0 and at most {MAX_TIMEOUT} seconds.")))
    }
}

async fn ahead(cx: Context, args: Args) -> Result<Question> {
    let line = match &args.args {
        Some(words) => [std::slice::from_ref(&args.command), words.as_slice()].concat().join(" "),
        None => args.command.clone(),
    };
    command(&cx, args).await?;
    Ok(Question::about("Run", &line))
}

/// Returns the command the arguments make.
///
/// # Errors
///
/// If the policy or the place does not let it run.
async fn command(cx: &Context, args: Args) -> Result<Command> {
    let files = OwnFiles::new(cx)?;
    if args.strict == Some(true) {
        check_strict(&args, &files)?;
    }
    let (action, timeout) = (args.action(), args.timeout()?);
    let env: Vec<(String, String)> = args.env.unwrap_or_default().into_iter().collect();
    let policy = cx.platform();
    policy::check(&policy.exec, &action, &env)?;
    let cwd = files.directory(args.cwd.as_deref()).await?;
    let command = Command {
        env,
        stdin: args.stdin.unwrap_or_default().into_bytes(),
        blocked: policy.exec.blocked.clone(),
        ..Command::new(action, cwd, timeout)
    };
    command.ensure_possible()?;
    Ok(command)
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let (title, timeout) = (args.command.clone(), args.timeout()?);
    let command = command(&cx, args).await?;
    let finished = commands::run(&cx, command).await?;
    if finished.timed_out {
        return Err(timed_out(timeout, &finished));
    }
    Ok(Output { title: Some(title), meta: facts(&finished), ..Output::json(result(&finished)) })
}

/// A strict command is a bare name, and arguments that do not lead out of the workspace.
fn check_strict(args: &Args, files: &OwnFiles) -> Result<()> {
    let bare = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    if args.command.is_empty() || args.command.starts_with(['.', '-']) || !args.command.chars().all(bare) {
        return Err(Error::invalid("`command` is a bare program name such as `git`: no path, no arguments, no shell."));
    }
    // A relative path starts where the program does.
    let start = Path::new(args.cwd.as_deref().unwrap_or_default());
    let leads_out = |part: &str| match start.join(part).to_str() {
        Some(path) => files.locate(path).is_err_and(|e| e.kind() == Kind::Denied),
        None => true,
    };
    for argument in args.args.iter().flatten() {
        if paths_in(argument).into_iter().filter(|part| !part.is_empty()).any(&leads_out) {
            return Err(Error::denied(format!("The argument '{argument}' leads outside the workspace.")));
        }
    }
    Ok(())
}

/// Parts of an argument that a program may take for paths: `--file=/etc/passwd`, `-I/usr` and `a:/b` hold some as well.
fn paths_in(argument: &str) -> Vec<&str> {
    // An address is one as a whole, and a path only where there is a directory named `http:`.
    if argument.starts_with("http://") || argument.starts_with("https://") {
        return vec![argument];
    }
    let option = argument.strip_prefix('-').and_then(|rest| rest.get(1..));
    argument.split(['=', ':', ',']).chain(option).chain([argument]).collect()
}

fn result(finished: &Finished) -> Value {
    let mut stderr = finished.stderr.clone();
    let mut note = |text: String| {
        if !stderr.is_empty() && !stderr.ends_with('\n') {
            stderr.push('\n');
        }
        stderr.push_str(&format!("[satchel] {text}\n"));
    };
    if let Some(limit) = finished.ended.limit {
        note(limit.message().to_owned());
    }
    if finished.dropped > 0 {
        note(format!("{} more bytes of output are not shown", finished.dropped));
    }
    json!({"stdout": finished.stdout, "stderr": stderr, "exit_code": finished.ended.code})
}

fn facts(finished: &Finished) -> Map<String, Value> {
    let mut facts = Map::new();
    if let Some(signal) = finished.ended.signal {
        facts.insert("signal".to_owned(), json!(signal));
    }
    if finished.dropped > 0 {
        facts.insert("dropped_bytes".to_owned(), json!(finished.dropped));
    }
    facts
}

fn timed_out(timeout: Duration, finished: &Finished) -> Error {
    let tail = |text: &str| {
        let skipped = text.chars().count().saturating_sub(1_000);
        text.chars().skip(skipped).collect::<String>()
    };
    let message = format!(
        "timed out after {}s; the command was ended. It wrote until then:\n{}{}",
        timeout.as_secs_f64(),
        tail(&finished.stdout),
        tail(&finished.stderr)
    );
    Error::new(Kind::Timeout, message).with_details(result(finished))
}
