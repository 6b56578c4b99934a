//! The sandbox: commands run where they can neither see nor reach anything but the workspace and system programs.
//!
//! The binary runs itself again as a helper, which makes the namespaces and stays outside ([`helper`]); inside, a
//! supervisor furnishes the file tree and starts the program ([`supervisor`]), after the last privileges were given
//! up ([`program`]). The server holds one socket: when it closes, for whatever reason, everything inside is killed.

mod census;
mod cover;
mod filter;
mod group;
mod helper;
mod kernel;
mod machine;
mod mask;
mod paths;
mod plan;
mod program;
mod running;
mod supervisor;
mod sys;
pub(crate) mod tape;
mod view;
mod watch;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use serde::Serialize;
use tokio::{
    process::{ChildStderr, ChildStdout},
    sync::OnceCell,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

pub(crate) use self::running::Running;
pub use self::{
    helper::run_if_helper,
    mask::fits,
    plan::{Limit, Limits, Part},
    running::Ended,
};
use self::{
    plan::{BoundedFolder, Plan, Report, View},
    running::Refusal,
    tape::{Keep, SharedTape, Tape, record},
};
use super::files::Rooted;
use satchel_model::error::{Error, Kind, Result};
use satchel_share::Share;

/// Bytes of each output that are kept.
pub const MAX_OUTPUT: usize = 1_000_000;

/// Most bytes of standard input.
pub const MAX_INPUT: usize = 1_000_000;

/// Commands that run at once, and those of one person; more wait their turn.
const AT_ONCE: usize = 8;
const EACH: usize = 4;

/// The time a command waits for its turn.
const TURN: Duration = Duration::from_secs(30);

/// The thing that is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// A line for the shell.
    Shell(String),
    /// A program, looked up in the sandbox's `PATH`, and its arguments; no shell sees them.
    Program(String, Vec<String>),
}

/// A command and all that belongs to it.
#[derive(Debug, Clone)]
pub struct Command {
    /// The thing to run.
    pub action: Action,
    /// The directory to start in; from [`Rooted::directory`].
    pub cwd: PathBuf,
    /// Set beside what every command gets (PATH, HOME, LANG, TMPDIR); nothing of the server's environment is.
    pub env: Vec<(String, String)>,
    /// The bytes it reads.
    pub stdin: Vec<u8>,
    /// Wall time.
    pub timeout: Duration,
    /// The limits it runs under.
    pub limits: Limits,
    /// Names of programs that never run, `*` standing for anything.
    pub blocked: Vec<String>,
}

impl Command {
    /// A command with nothing to read and the usual limits.
    pub fn new(action: Action, cwd: PathBuf, timeout: Duration) -> Self {
        let limits = Limits { cpu_seconds: timeout.as_secs() + 1, ..Limits::default() };
        Self { action, cwd, env: Vec::new(), stdin: Vec::new(), timeout, limits, blocked: Vec::new() }
    }

    /// Checks that some system could start it.
    ///
    /// # Errors
    ///
    /// If none could: nobody need be asked about it.
    pub fn ensure_possible(&self) -> Result<()> {
        if self.stdin.len() > MAX_INPUT {
            return Err(Error::invalid(format!("`stdin` takes at most {MAX_INPUT} bytes.")));
        }
        let (program, arguments) = match &self.action {
            Action::Shell(line) => (line, &[][..]),
            Action::Program(program, arguments) => (program, arguments.as_slice()),
        };
        let is_empty = matches!(self.action, Action::Program(..)) && program.is_empty();
        let bad_name = self.env.iter().any(|(name, _)| name.is_empty() || name.contains('='));
        let env = self.env.iter().flat_map(|(name, value)| [name, value]);
        if is_empty || bad_name || [program].into_iter().chain(arguments).chain(env).any(|text| text.contains('\0')) {
            return Err(Error::invalid(
                "A command is not empty, a variable's name has no '=', and neither holds a NUL character.",
            ));
        }
        Ok(())
    }
}

/// A command that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Its output, at most [`MAX_OUTPUT`] bytes of it; bytes that are no UTF-8 become U+FFFD.
    pub stdout: String,
    /// The same for errors.
    pub stderr: String,
    /// The outcome.
    pub ended: Ended,
    /// Bytes it wrote beyond what is kept.
    pub dropped: u64,
    /// Its time was up, and it was killed.
    pub timed_out: bool,
}

/// The extent to which the sandbox works here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// All of it.
    Full,
    /// Files and network are confined; a part that would hold besides is missing.
    Reduced,
    /// Too little: no command runs.
    Off,
}

/// The abilities of a sandbox on this machine's kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// All in one word, as `/healthz` shows it.
    pub level: Level,
    /// Parts that do not work here, with the kernel's reason.
    pub missing: Vec<(Part, String)>,
    parts: BTreeSet<Part>,
}

/// Runs commands. Copies share their turns.
#[derive(Debug, Clone)]
pub struct Sandbox {
    helper: Arc<Path>,
    trial: Arc<Path>,
    known: Arc<OnceCell<Capabilities>>,
    turns: Share,
}

impl Sandbox {
    /// `helper` is this very binary, but in tests; its `main` calls [`run_if_helper`] first.
    /// Parts are tried in `data_dir`, which must exist.
    pub fn new(helper: impl Into<PathBuf>, data_dir: impl Into<PathBuf>) -> Self {
        let (helper, data_dir): (PathBuf, PathBuf) = (helper.into(), data_dir.into());
        let trial = data_dir.canonicalize().unwrap_or(data_dir);
        Self { helper: helper.into(), trial: trial.into(), known: Arc::default(), turns: Share::new(AT_ONCE, EACH) }
    }

    /// The same without some parts: what a kernel or a container that refuses them would leave.
    #[must_use]
    pub async fn without(&self, parts: &[Part]) -> Self {
        let mut known = self.capabilities().await.clone();
        for part in parts {
            known.parts.remove(part);
            known.missing.push((*part, "left out".to_owned()));
        }
        known.level = level(&known.parts);
        Self { known: Arc::new(OnceCell::new_with(Some(known))), ..self.clone() }
    }

    /// Returns which parts work here; found out by trying, once.
    pub async fn capabilities(&self) -> &Capabilities {
        self.known.get_or_init(|| self.try_parts()).await
    }

    /// Runs a command to its end, its time limit or its cancellation, when it is its person's turn. Output is never lost to a time limit.
    pub async fn run(&self, files: &Rooted, command: Command, cancel: &CancellationToken) -> Result<Finished> {
        let turn = timeout(TURN, self.turns.take(Some(files.user()), 1)).await;
        let _turn = turn.map_err(|_| crowded())?;
        if cancel.is_cancelled() {
            return Err(stopped());
        }
        let tapes = [(); 2].map(|()| SharedTape::new(Mutex::new(Tape::new(MAX_OUTPUT, Keep::First))));
        let [out, err] = &tapes;
        let (mut running, stdout, stderr) = self.start(files, &command).await?;
        let copying = [record(stdout, out), record(stderr, err)];
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            ended = timeout(command.timeout, running.ended()) => Some(ended),
        };
        running.close().await;
        for copy in copying {
            // Nothing holds the pipes any more, so this ends at once; if it does not, what was read still counts.
            let _ = timeout(Duration::from_secs(2), copy).await;
        }
        let ended = ended.ok_or_else(stopped)?;
        let (out, err, timed_out) = (out.lock(), err.lock(), ended.is_err());
        Ok(Finished {
            stdout: out.text(),
            stderr: err.text(),
            ended: ended.unwrap_or(Ended { signal: Some(libc::SIGKILL), ..Ended::default() }),
            dropped: out.dropped() + err.dropped(),
            timed_out,
        })
    }

    /// Starts a command and leaves it running.
    pub(crate) async fn start(&self, files: &Rooted, command: &Command) -> Result<(Running, ChildStdout, ChildStderr)> {
        let known = self.capabilities().await;
        if known.level == Level::Off {
            return Err(Error::new(Kind::Unconfigured, known.explain_off()));
        }
        command.ensure_possible()?;
        let plan = plan(known, files, command);
        Running::start(&self.helper, &plan, &command.stdin).await.map_err(|refusal| match refusal {
            Refusal::Error(error) => error,
            Refusal::Report(report) => explain(report, command),
        })
    }

    async fn try_parts(&self) -> Capabilities {
        let mut parts = BTreeSet::from(Part::ALL);
        let mut missing = Vec::new();
        loop {
            match Running::start(&self.helper, &self.trial(parts.clone()), &[]).await {
                Ok((running, ..)) => {
                    running.close().await;
                    return Capabilities { level: level(&parts), missing, parts };
                }
                Err(Refusal::Report(Report::Unable { part: Some(part), message })) if parts.remove(&part) => {
                    if part == Part::Mount && parts.remove(&Part::Proc) {
                        missing.push((Part::Proc, "needs the mount namespace".to_owned()));
                    }
                    missing.push((part, message));
                }
                Err(refusal) => {
                    let reason = match refusal {
                        Refusal::Report(report) => format!("{report:?}"),
                        Refusal::Error(error) => format!("{error:?}"),
                    };
                    let missing = Part::ALL.map(|part| (part, reason.clone())).to_vec();
                    return Capabilities { level: Level::Off, missing, parts: BTreeSet::new() };
                }
            }
        }
    }

    fn trial(&self, parts: BTreeSet<Part>) -> Plan {
        let dir = self.trial.to_path_buf();
        let (roots, hidden) = (vec![dir.clone()], vec![dir.clone()]);
        let view = View { workspace: dir.clone(), roots, hidden, own: None, blocked: Vec::new() };
        let (argv, env) = (Vec::new(), Vec::new());
        Plan { parts, argv, env, cwd: dir, view, limits: Limits::default(), bounded: None, stdin: 0 }
    }
}

impl Capabilities {
    fn explain_off(&self) -> String {
        let reason = self.missing.first().map_or("", |(_, reason)| reason);
        format!("Commands cannot be run here: this machine lets no sandbox be made ({reason}).")
    }
}

fn stopped() -> Error {
    Error::new(Kind::Cancelled, "The command was stopped, as asked.")
}

fn crowded() -> Error {
    let message = format!(
        "Too many commands run now: at most {EACH} of one person, and {AT_ONCE} in all. This one did not run. Try again \
         later."
    );
    Error::new(Kind::Exhausted, message)
}

/// The least is that files and network are confined, each by one part at least.
fn level(parts: &BTreeSet<Part>) -> Level {
    let has = |part| parts.contains(&part);
    if Part::ALL.into_iter().all(has) {
        Level::Full
    } else if (has(Part::Mount) || has(Part::Landlock)) && (has(Part::Network) || has(Part::Seccomp)) {
        Level::Reduced
    } else {
        Level::Off
    }
}

fn plan(known: &Capabilities, files: &Rooted, command: &Command) -> Plan {
    let workspace = files.workspace().to_owned();
    let argv = match &command.action {
        Action::Shell(line) => vec![shell().to_owned(), "-c".to_owned(), line.clone()],
        Action::Program(program, arguments) => [std::slice::from_ref(program), arguments].concat(),
    };
    Plan {
        parts: known.parts.clone(),
        argv,
        env: environment(known, &workspace, &command.env),
        cwd: command.cwd.clone(),
        view: view(files, command),
        limits: command.limits,
        bounded: files
            .bounded()
            .map(|folder| BoundedFolder { folder: folder.to_owned(), settings: files.settings().clone() }),
        stdin: command.stdin.len(),
    }
}

fn view(files: &Rooted, command: &Command) -> View {
    let hidden = files.hidden();
    let mut roots = files.roots().to_vec();
    roots.sort_by_key(|root| root.iter().count());
    View {
        workspace: files.workspace().to_owned(),
        own: files.bounded().map(Path::to_owned),
        hidden: hidden.places().to_vec(),
        roots,
        blocked: command.blocked.clone(),
    }
}

fn shell() -> &'static str {
    if Path::new("/bin/bash").exists() { "/bin/bash" } else { "/bin/sh" }
}

fn environment(known: &Capabilities, workspace: &Path, more: &[(String, String)]) -> Vec<(String, String)> {
    let home = workspace.display().to_string();
    let own_tmp = known.parts.contains(&Part::Mount);
    let tmp = if own_tmp { "/tmp".to_owned() } else { format!("{home}/{}", program::OWN_TMP) };
    let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    let base = [("PATH", path), ("HOME", &home), ("TMPDIR", &tmp), ("LANG", "C.UTF-8"), ("USER", "satchel")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    base.into_iter().chain(more.iter().cloned()).collect()
}

fn explain(report: Report, command: &Command) -> Error {
    let name = match &command.action {
        Action::Shell(_) => shell(),
        Action::Program(program, _) => program,
    };
    match report {
        Report::NoDirectory => Error::invalid("The working directory cannot be entered in the sandbox. Name another."),
        Report::NoStart { errno: libc::ENOENT | libc::ENOTDIR } => {
            Error::invalid(format!("There is no program '{name}' in the sandbox. Check its name, or use another."))
        }
        Report::NoStart { errno: libc::EACCES | libc::EPERM | libc::ENOEXEC } => {
            Error::invalid(format!("'{name}' is no program that may be run in the sandbox."))
        }
        Report::NoStart { errno: libc::E2BIG } => {
            Error::invalid("The command and its environment are too long. Pass the data as stdin or in a file.")
        }
        other => {
            tracing::error!(report = ?other, "a sandbox could not be made");
            Error::new(Kind::Internal, "The sandbox could not be made. The log says why.")
                .caused_by(format!("{other:?}"))
        }
    }
}
