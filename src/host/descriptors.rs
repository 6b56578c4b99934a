//! The limit of open files and connections of this process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Opens as many as the machine's owner lets it: what a shell or a service manager begins with, 1,024 mostly, is for programs
/// that serve nobody.
pub fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::warn!(%error, "no more files can be open at once than before");
    }
}
