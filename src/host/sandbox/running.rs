//! A sandbox that runs, as the server holds it: letting go of it ends everything in it.

use std::{
    os::{fd::OwnedFd, unix::net::UnixStream as Pair},
    path::Path,
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    process::{Child, ChildStderr, ChildStdout, Command},
    time::timeout,
};

use super::{
    helper::ARGUMENT,
    plan::{Limit, Plan, Report},
};
use satchel_model::error::{Error, Kind, Result};

/// The longest that making a sandbox may take.
const START: Duration = Duration::from_secs(20);

/// The longest the helper may take to end everything.
const END: Duration = Duration::from_secs(10);

/// The end of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ended {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The limit it went over.
    pub limit: Option<Limit>,
}

/// A running sandbox.
#[derive(Debug)]
pub(crate) struct Running {
    helper: Child,
    reports: Lines<BufReader<OwnedReadHalf>>,
    control: Option<OwnedWriteHalf>,
}

impl Running {
    /// Starts the helper with this plan. The program has started, or the trial is over, when this returns.
    pub(super) async fn start(
        helper: &Path,
        plan: &Plan,
        stdin: &[u8],
    ) -> Result<(Self, ChildStdout, ChildStderr), Refusal> {
        let (ours, theirs) = Pair::pair().map_err(Error::internal)?;
        ours.set_nonblocking(true).map_err(Error::internal)?;
        let (reports, mut control) = UnixStream::from_std(ours).map_err(Error::internal)?.into_split();
        let mut child = spawn(helper, theirs.into())?;
        let streams = child.stdout.take().zip(child.stderr.take());
        let (stdout, stderr) = streams.ok_or_else(|| Error::internal("the helper has no pipes"))?;
        let frame = plan.frame().map_err(Error::internal)?;
        let sent = async {
            control.write_all(&frame).await?;
            control.write_all(stdin).await
        };
        let mut running = Self { helper: child, reports: BufReader::new(reports).lines(), control: None };
        let first = timeout(START, async {
            // A helper that refuses early closes the socket: its report says why.
            let _ = sent.await;
            running.next_report().await
        });
        let first = first.await.map_err(|_| Error::new(Kind::Timeout, "The sandbox did not start in 20 s."))?;
        running.control = Some(control);
        match first {
            Some(Report::Started | Report::Ended { .. }) => Ok((running, stdout, stderr)),
            Some(report) => Err(Refusal::Report(report)),
            None => Err(Error::internal("the sandbox's helper ended without a word").into()),
        }
    }

    async fn next_report(&mut self) -> Option<Report> {
        let line = self.reports.next_line().await.ok()??;
        serde_json::from_str(&line).ok()
    }

    /// Waits for the program's end. Cancel-safe.
    pub(crate) async fn ended(&mut self) -> Ended {
        match self.next_report().await {
            Some(Report::Ended { code, signal, limit }) => Ended { code, signal, limit },
            // Killed before it could say.
            _ => Ended { code: None, signal: Some(libc::SIGKILL), limit: None },
        }
    }

    /// Asks the program to end by itself.
    pub(crate) async fn terminate(&mut self) {
        if let Some(control) = &mut self.control {
            // A socket nobody reads any more means that it has ended.
            let _ = control.write_all(b"T").await;
        }
    }

    /// Ends everything in the sandbox and waits until nothing of it is left.
    pub(crate) async fn close(mut self) {
        drop(self.control.take());
        if timeout(END, self.helper.wait()).await.is_err() {
            // It goes on by itself: killing it would let go of what it has not ended yet.
            tracing::warn!("a sandbox did not end in time; its helper is still at it");
        }
    }
}

/// The reason a sandbox did not start.
pub(super) enum Refusal {
    Report(Report),
    Error(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

fn spawn(helper: &Path, control: OwnedFd) -> Result<Child> {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where the helper starts")]
    let mut command = Command::new(helper);
    command
        .arg0("satchel-sandbox")
        .arg(ARGUMENT)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::from(control))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().map_err(|e| {
        Error::new(Kind::Internal, "The sandbox's helper could not be started. The log says why.").caused_by(e)
    })
}
