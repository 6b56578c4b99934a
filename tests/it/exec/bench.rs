//! A sandbox over an empty data directory with things in it that nobody may see.

#![expect(clippy::disallowed_methods, reason = "a test looks from outside")]

use std::{
    path::{Path, PathBuf},
    process,
    time::{Duration, Instant},
};

use crate::support::program::binary;
use satchel::{
    host::{
        files::{Rooted, Workspaces},
        sandbox::{Action, Command, Finished, Level, Part, Sandbox},
    },
    model::{error::Result, id::Id, settings::Files},
};
use tokio_util::sync::CancellationToken;

/// A sandbox, its user's files, and what lies around them.
pub struct Bench {
    pub dir: tempfile::TempDir,
    data: PathBuf,
    pub sandbox: Sandbox,
    pub files: Rooted,
    /// Stands in the environment of every process of this bench, to find those that are left.
    pub mark: String,
}

impl Bench {
    pub fn new() -> Self {
        Self::with_roots(".", |_| vec!["workspace".to_owned()])
    }

    /// The data directory lies at `data` below a directory, from which follow the roots.
    pub fn with_roots(data: &str, roots: impl FnOnce(&Path) -> Vec<String>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join(data)).unwrap();
        let data = base.join(data).canonicalize().unwrap();
        let sandbox = Sandbox::new(binary(), &data);
        std::fs::write(data.join("vault.key"), "canary").unwrap();
        let other = data.join("workspaces/other");
        std::fs::create_dir_all(&other).unwrap();
        std::fs::write(other.join("diary"), "canary").unwrap();
        let files = Workspaces::new(&data);
        let files = files.open(Id::new(), &Files { roots: roots(&base), ..Files::default() }).unwrap();
        Self { dir, data, sandbox, files, mark: Id::<satchel::model::call::Call>::new().to_string() }
    }

    /// A bench on a kernel that lacks these parts.
    pub async fn without(parts: &[Part]) -> Self {
        Self::new().lacking(parts).await
    }

    /// The same bench on such a kernel.
    pub async fn lacking(self, parts: &[Part]) -> Self {
        Self { sandbox: self.sandbox.without(parts).await, ..self }
    }

    /// The same bench with other bounds of the workspace.
    pub fn within(self, settings: &Files) -> Self {
        Self { files: Workspaces::new(&self.data).open(self.files.user(), settings).unwrap(), ..self }
    }

    pub fn data(&self) -> PathBuf {
        self.data.clone()
    }

    pub fn command(&self, line: &str) -> Command {
        let cwd = self.files.workspace().to_owned();
        let env = vec![("MARK".to_owned(), self.mark.clone())];
        Command { env, ..Command::new(Action::Shell(line.to_owned()), cwd, Duration::from_secs(120)) }
    }

    pub async fn run(&self, command: Command) -> Result<Finished> {
        self.sandbox.run(&self.files, command, &CancellationToken::new()).await
    }

    pub async fn shell(&self, line: &str) -> Finished {
        self.run(self.command(line)).await.unwrap()
    }

    /// Processes that carry this bench's mark.
    pub fn left(&self) -> Vec<String> {
        let own = process::id().to_string();
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let marked = |pid: &String| {
            let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            String::from_utf8_lossy(&environ).contains(&self.mark)
        };
        pids.filter(|pid| pid.parse::<u32>().is_ok() && *pid != own).filter(marked).collect()
    }

    /// Waits until no process carries the mark, for a while.
    pub async fn assert_nothing_left(&self) {
        let deadline = Instant::now() + Duration::from_secs(120);
        while !self.left().is_empty() {
            assert!(Instant::now() < deadline, "processes are left: {:?}", self.left());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Waits until a file is there.
pub async fn exists(path: &Path) {
    while !path.exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Returns whether a sandbox does without a part here.
pub async fn lacks(bench: &Bench, part: Part) -> bool {
    bench.sandbox.capabilities().await.missing.iter().any(|(missing, _)| *missing == part)
}

/// Every way a kernel may fall short, as the parts it lacks; each must confine as far as it promises.
pub const SHORTFALLS: [&[Part]; 8] = [
    &[],
    &[Part::Mount, Part::Proc],
    &[Part::Pid, Part::Proc],
    &[Part::Proc],
    &[Part::Network],
    &[Part::Landlock],
    &[Part::Seccomp],
    // A container that allows no namespace at all.
    &[Part::User, Part::Pid, Part::Mount, Part::Proc, Part::Network, Part::Ipc, Part::Uts],
];

/// The benches of [`SHORTFALLS`] that this machine can make, each with its name. Those it cannot are off, and then
/// no command runs, which is asserted here.
pub async fn benches() -> Vec<(String, Bench)> {
    let mut benches = Vec::new();
    for parts in SHORTFALLS {
        let bench = Bench::without(parts).await;
        let name = format!("without {parts:?}");
        if bench.sandbox.capabilities().await.level == Level::Off {
            assert!(bench.run(bench.command("true")).await.is_err(), "{name}");
        } else {
            benches.push((name, bench));
        }
    }
    assert!(!benches.is_empty(), "no sandbox can be made on this machine");
    benches
}
