//! Worker processes: the same binary, run again with next to no rights, to do what must be stopped if it gets out of
//! hand. The server speaks to each over its standard input and output: in frames to those that run scripts, which serve
//! again and again; to those that read documents once, and then they end.

mod confine;
mod death;
mod pace;
mod place;
mod pool;
mod reader;
mod worker;

pub use confine::{Limits, confine};
pub use death::Death;
pub use pace::Pace;
pub use pool::{Conversation, Job, LEVELS, Said, Workers};
pub use reader::{ReadLimits, Readers};
pub use satchel_share::Part;
pub use worker::{Allowance, Ended};

use std::{
    io::{self, PipeReader, PipeWriter},
    os::fd::AsFd,
};

/// The hidden first argument of a worker for scripts.
const ARGUMENT: &str = "__worker";

/// The purpose of a worker process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It runs scripts, one after the other.
    Scripts,
    /// It reads one document, or the like.
    Reader,
}

/// A process that was started as a worker: what for, and where its tasks come from and its answers go. It is confined.
#[derive(Debug)]
pub struct Started {
    /// The purpose.
    pub role: Role,
    /// Its standard input and output, or why it cannot be confined.
    pub pipes: io::Result<(PipeReader, PipeWriter)>,
}

impl Started {
    /// Confines this process where it was started as a worker; `None` if it was not.
    pub fn from_arguments() -> Option<Self> {
        let arguments: Vec<String> = std::env::args().skip(1).take(3).collect();
        let (role, limits) = match arguments.first().map(String::as_str) {
            Some(ARGUMENT) => (Role::Scripts, Some(Limits::SCRIPTS)),
            Some(reader::ARGUMENT) => (Role::Reader, reader::limits(arguments.get(1..).unwrap_or_default())),
            _ => return None,
        };
        let limits = limits.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput));
        Some(Self { role, pipes: limits.and_then(confine).and_then(|()| pipes()) })
    }
}

fn pipes() -> io::Result<(PipeReader, PipeWriter)> {
    let tasks = io::stdin().as_fd().try_clone_to_owned()?;
    let answers = io::stdout().as_fd().try_clone_to_owned()?;
    Ok((tasks.into(), answers.into()))
}
