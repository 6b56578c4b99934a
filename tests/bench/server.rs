//! The real binary on a directory of its own, with an owner and an API key.

#![expect(clippy::disallowed_methods, reason = "starts the server it measures")]

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

/// The owner's name.
pub(crate) const OWNER: &str = "owner";
/// The owner's password.
pub(crate) const PASSWORD: &str = "correct horse battery staple";
/// Longest start.
const PATIENCE: Duration = Duration::from_secs(30);

/// A data directory on a real disk: flushing costs nothing on a memory file system.
pub(crate) struct Home {
    directory: TempDir,
}

impl Home {
    /// An empty one, removed when dropped.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self { directory: TempDir::new_in(env!("CARGO_TARGET_TMPDIR"))? })
    }

    /// Returns its place.
    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// A key with all permissions, for a home whose server has started once.
    pub(crate) async fn key(&self) -> Result<String> {
        let mut command = program(&self.path());
        command.args([
            "key",
            "create",
            "--user",
            OWNER,
            "--name",
            "bench",
            "--permissions",
            "*",
            "--personal",
            "--json",
        ]);
        let output = timeout(PATIENCE, command.output()).await??;
        let text = String::from_utf8(output.stdout)?;
        if !output.status.success() {
            bail!("no key could be made: {text}{}", String::from_utf8_lossy(&output.stderr));
        }
        let answer: serde_json::Value = serde_json::from_str(&text).with_context(|| text.clone())?;
        Ok(answer.get("key").and_then(|key| key.as_str()).context("the answer has no key")?.to_owned())
    }
}

/// A running server, killed when dropped.
pub(crate) struct Server {
    child: Child,
    address: String,
    pid: u32,
}

impl Server {
    /// Starts on a home with more environment, and waits for the ready line.
    pub(crate) async fn start(home: &Home, environment: &[(&str, &str)]) -> Result<Self> {
        let mut command = program(&home.path());
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        command.env("SATCHEL_OWNER_NAME", OWNER).env("SATCHEL_OWNER_PASSWORD", PASSWORD);
        command.env("SATCHEL_LOG", "warn").envs(environment.iter().copied());
        let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let mut lines = BufReader::new(child.stdout.take().context("no stdout")?).lines();
        let line = timeout(PATIENCE, lines.next_line()).await.context("not ready in time")??;
        let line = line.context("the server ended before it was ready")?;
        let address =
            line.strip_prefix("satchel ready http://").with_context(|| format!("not a ready line: {line}"))?;
        let pid = child.id().context("the server has ended")?;
        Ok(Self { address: address.to_owned(), child, pid })
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Ends it as an administrator does, and waits until it has written what it holds and is gone.
    pub(crate) async fn stop(mut self) -> Result<()> {
        let pid = Pid::from_raw(i32::try_from(self.pid)?).context("no process")?;
        kill_process(pid, Signal::TERM)?;
        timeout(PATIENCE, self.child.wait()).await.context("the server did not end in time")??;
        Ok(())
    }

    /// `kill -9`, and waits until it is gone.
    pub(crate) async fn kill(mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }
}

/// The program on a data directory: the one `SATCHEL_BIN` names, for instance what `make dist` made, else the one that
/// was built with this.
pub(crate) fn program(data: &Path) -> Command {
    let built = || env!("CARGO_BIN_EXE_satchel").into();
    let mut command = Command::new(std::env::var_os("SATCHEL_BIN").unwrap_or_else(built));
    command.env("SATCHEL_DATA", data).stdin(Stdio::null());
    command
}
