//! The plan the server gives the helper to run, and the helper's reports.

use std::{
    collections::BTreeSet,
    fmt, io,
    io::{Read, Write},
    os::unix::net::UnixStream,
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

use satchel_model::settings::Files;

/// The parts a sandbox is made of; a kernel or a container may refuse some.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// A user namespace: no privilege outside.
    User,
    /// A process namespace: no other process is seen, and all end together.
    Pid,
    /// A mount namespace: nothing but system programs and the workspace is there.
    Mount,
    /// The namespace's own `/proc`.
    Proc,
    /// A network namespace: no network.
    Network,
    /// A namespace for shared memory and queues.
    Ipc,
    /// A namespace for the host's name.
    Uts,
    /// Landlock: the kernel refuses paths that were not granted.
    Landlock,
    /// seccomp: the kernel refuses dangerous calls.
    Seccomp,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 9] = [
        Self::User,
        Self::Pid,
        Self::Mount,
        Self::Proc,
        Self::Network,
        Self::Ipc,
        Self::Uts,
        Self::Landlock,
        Self::Seccomp,
    ];

    /// Returns the text a person reads where the part is missing.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user namespace",
            Self::Pid => "process namespace",
            Self::Mount => "mount namespace",
            Self::Proc => "own /proc",
            Self::Network => "network namespace",
            Self::Ipc => "IPC namespace",
            Self::Uts => "host name namespace",
            Self::Landlock => "Landlock",
            Self::Seccomp => "seccomp",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The part of the file system the program may see.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct View {
    /// Home and temporary files; one of the roots.
    pub(super) workspace: PathBuf,
    /// Writable directories, those above others first.
    pub(super) roots: Vec<PathBuf>,
    /// Never seen, but for `own`: the server's data, wherever it appears.
    pub(super) hidden: Vec<PathBuf>,
    /// The user's folder in the server's data, where a root opens it.
    pub(super) own: Option<PathBuf>,
    /// Names of programs that never run, `*` standing for anything.
    pub(super) blocked: Vec<String>,
}

/// The resources the program may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processor time of one process.
    pub cpu_seconds: u64,
    /// Memory of all its processes together.
    pub memory: u64,
    /// Processes and threads.
    pub processes: u64,
    /// Size of one file it writes.
    pub file: u64,
    /// Open files of one process.
    pub open_files: u64,
}

/// The workspace, and the settings that bound it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct BoundedFolder {
    pub(super) folder: PathBuf,
    pub(super) settings: Files,
}

impl Default for Limits {
    fn default() -> Self {
        Self { cpu_seconds: 600, memory: 2 << 30, processes: 256, file: 1 << 30, open_files: 1024 }
    }
}

/// All the helper needs to know. The program's standard input follows it on the same socket.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) parts: BTreeSet<Part>,
    /// The program and its arguments; empty to try the parts and run nothing.
    pub(super) argv: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) cwd: PathBuf,
    pub(super) view: View,
    pub(super) limits: Limits,
    /// `None` if no root opens it.
    pub(super) bounded: Option<BoundedFolder>,
    pub(super) stdin: usize,
}

impl Plan {
    /// Returns whether this part is to be used.
    pub(super) fn uses(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// The plan as it goes over the socket: its length, itself.
    pub(super) fn frame(&self) -> serde_json::Result<Vec<u8>> {
        let body = serde_json::to_vec(self)?;
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
        Ok([&length.to_be_bytes()[..], &body].concat())
    }

    /// Reads a plan and the standard input behind it.
    pub(super) fn receive(control: &mut UnixStream) -> io::Result<(Self, Vec<u8>)> {
        let mut length = [0; 4];
        control.read_exact(&mut length)?;
        let mut body = vec![0; usize::try_from(u32::from_be_bytes(length)).map_err(io::Error::other)?];
        control.read_exact(&mut body)?;
        let plan: Self = serde_json::from_slice(&body)?;
        let mut stdin = vec![0; plan.stdin];
        control.read_exact(&mut stdin)?;
        Ok((plan, stdin))
    }
}

/// The reason everything was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Its processes used too much memory together, in whatever form.
    Memory,
    /// It made too many processes.
    Processes,
    /// The workspace held too many bytes.
    Workspace,
    /// The workspace held too many files.
    Files,
    /// Little of the disk was left free.
    Disk,
    /// Little memory was left on the machine.
    Machine,
}

impl Limit {
    /// Returns why a command was ended, as its caller reads it.
    pub fn message(self) -> &'static str {
        match self {
            Self::Memory => "ended: it used more memory than a command may",
            Self::Processes => "ended: it started more processes than a command may",
            Self::Workspace => "ended: the workspace is full. Remove what is no longer needed, then run it again",
            Self::Files => {
                "ended: the workspace holds more files than it may, or folders nested too deeply. Remove what is no \
                 longer needed, then run it again"
            }
            Self::Disk => {
                "ended: the disk has hardly any room left beside what is kept for the database. Remove what is no longer \
                 needed, then run it again"
            }
            Self::Machine => "ended: this machine has hardly any memory left. Try again later",
        }
    }
}

/// The reports of the helper, one line of JSON each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "report", rename_all = "snake_case")]
pub(super) enum Report {
    /// A part of the sandbox could not be made.
    Unable { part: Option<Part>, message: String },
    /// The program could not be started: the kernel's error number.
    NoStart { errno: i32 },
    /// The working directory is not there.
    NoDirectory,
    /// The program runs.
    Started,
    /// The program ended.
    Ended { code: Option<i32>, signal: Option<i32>, limit: Option<Limit> },
}

impl Report {
    /// Sends it; where nobody listens any more there is nobody to tell.
    pub(super) fn send(&self, mut to: impl Write) {
        if let Ok(mut line) = serde_json::to_vec(self) {
            line.push(b'\n');
            let _ = to.write_all(&line);
        }
    }
}

/// A part that could not be made, and why.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) part: Option<Part>,
    pub(super) message: String,
}

impl Problem {
    /// For `map_err`: this part failed while doing that.
    pub(super) fn new<E: fmt::Display>(part: Part, doing: impl fmt::Display) -> impl FnOnce(E) -> Self {
        move |e| Self { part: Some(part), message: format!("{doing}: {e}") }
    }
}

impl From<Problem> for Report {
    fn from(problem: Problem) -> Self {
        Self::Unable { part: problem.part, message: problem.message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_one_line() {
        let mut line = Vec::new();
        Report::Ended { code: None, signal: Some(9), limit: Some(Limit::Memory) }.send(&mut line);
        let expected = "{\"report\":\"ended\",\"code\":null,\"signal\":9,\"limit\":\"memory\"}\n";
        assert_eq!(String::from_utf8(line).unwrap(), expected);
    }
}
