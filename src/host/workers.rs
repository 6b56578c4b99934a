//! Worker processes: the same binary, run again with next to no rights, to do what must be stopped if it gets out of
//! hand. The server speaks to each over one socket, in frames.

mod confine;
mod pool;
mod worker;

pub use confine::confine;
pub use pool::Workers;
pub use worker::{Allowance, Ended, Worker};

use std::os::{fd::AsFd, unix::net::UnixStream};

/// The hidden first argument of a worker.
const ARGUMENT: &str = "__worker";

/// The worker's end of the socket, where this process was started as a worker. It is confined by then.
pub fn socket_if_worker() -> Option<std::io::Result<UnixStream>> {
    if std::env::args().nth(1).as_deref() != Some(ARGUMENT) {
        return None;
    }
    let socket = std::io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from);
    Some(confine().and(socket))
}
