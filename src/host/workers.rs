//! Worker processes: the same binary, run again with next to no rights, to do what must be stopped if it gets out of
//! hand. The server speaks to each over its standard input and output, in frames.

mod confine;
mod death;
mod pace;
mod place;
mod pool;
mod worker;

pub use crate::share::Part;
pub use confine::confine;
pub use death::Death;
pub use pace::Pace;
pub use pool::{Conversation, Job, LEVELS, Said, Workers};
pub use worker::{Allowance, Ended};

use std::{
    io::{self, PipeReader, PipeWriter},
    os::fd::AsFd,
};

/// The hidden first argument of a worker.
const ARGUMENT: &str = "__worker";

/// Where a worker's tasks come from and its answers go, where this process was started as one. It is confined by then.
pub fn pipes_if_worker() -> Option<io::Result<(PipeReader, PipeWriter)>> {
    if std::env::args().nth(1).as_deref() != Some(ARGUMENT) {
        return None;
    }
    let pipes = || {
        let tasks = io::stdin().as_fd().try_clone_to_owned()?;
        let answers = io::stdout().as_fd().try_clone_to_owned()?;
        Ok((tasks.into(), answers.into()))
    };
    Some(confine().and_then(|()| pipes()))
}
