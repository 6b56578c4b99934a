//! The reason bytes from outside were not read, in words for people.

use std::io::ErrorKind;

use satchel_host::workers::{Death, Ended, ReadLimits};
use satchel_model::error::{Error, Kind};

/// The reason a task was not done.
#[derive(Debug)]
pub(super) enum Failure {
    /// The process did not read to the end.
    Ended { why: Ended, limits: ReadLimits, subject: &'static str },
    /// It did, and refused; or there was none.
    Refused(Error),
}

impl Failure {
    /// Returns whether it took more than it may, and something simpler may take less.
    pub(super) fn is_exhausted(&self) -> bool {
        matches!(self, Self::Ended { why: Ended::Died(Death::Memory | Death::Processor | Death::Stack), .. })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(error) => error,
            Failure::Ended { why: Ended::Died(death), limits, subject } => died(death, &limits, subject),
            Failure::Ended { why, limits, subject } => stopped(why, &limits, subject),
        }
    }
}

/// Returns the error for a process that was stopped, or did not start.
fn stopped(why: Ended, limits: &ReadLimits, subject: &str) -> Error {
    match why {
        Ended::Time => Error::new(
            Kind::Timeout,
            format!(
                "The {subject} was not read within {} seconds, beside all the rest the server has to do. Try again later.",
                limits.wall.as_secs()
            ),
        ),
        Ended::TooLong => refused(subject, &format!("what it holds is more than {} MB", limits.answer >> 20)),
        Ended::Input(error) if error.kind() == ErrorKind::UnexpectedEof => {
            Error::conflict(format!("The {subject} became shorter while it was read. Try again."))
        }
        Ended::Unstarted(error) => {
            tracing::error!(%error, "no process could be started to read");
            let message =
                format!("The {subject} was not read: the machine gives the server no further process. Try again soon.");
            Error::new(Kind::Busy, message).caused_by(error)
        }
        Ended::Input(error) => Error::internal(error),
        other => Error::internal(format!("a reader ended unexpectedly: {other:?}")),
    }
}

/// Returns the error for a process that ended by itself.
fn died(death: Death, limits: &ReadLimits, subject: &str) -> Error {
    let (seconds, memory) = (limits.process.cpu_seconds, limits.process.memory >> 20);
    match death {
        Death::Processor => refused(
            subject,
            &format!("reading it takes more than {seconds} seconds, as only very large or hostile ones do"),
        ),
        Death::Memory => refused(
            subject,
            &format!("reading it takes more than {memory} MB of memory, as only very large or hostile ones do"),
        ),
        Death::Stack => {
            Error::invalid(format!("The {subject} was refused: it nests something more deeply than can be read."))
        }
        Death::Panic(words) => {
            tracing::error!(%words, "a reader panicked");
            let mend = if subject == "document" { " Open and save it anew." } else { "" };
            Error::invalid(format!("The {subject} is damaged in a way that keeps it from being read.{mend}"))
        }
        Death::Killed => {
            tracing::error!("a reader was killed from outside, as by a machine that runs out of memory");
            let message = format!("The {subject} was not read: the machine has no memory left. Try again later.");
            Error::new(Kind::Busy, message)
        }
        death => {
            tracing::error!(%death, "a reader ended unexpectedly");
            Error::internal(format!("a reader ended unexpectedly: {death}"))
        }
    }
}

fn refused(subject: &str, why: &str) -> Error {
    let split = if matches!(subject, "page" | "answer") { "" } else { " Split it." };
    Error::invalid(format!("The {subject} was refused: {why}.{split}"))
}
