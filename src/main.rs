//! The binary: parse, run, print the error, exit code.

use std::{fmt, process::ExitCode};

use clap::Parser;
use satchel::{
    boot,
    doors::cli::args::Line,
    formats,
    host::{sandbox, workers},
    model::error::Kind,
    script,
};

/// Many threads allocate at once here, which the C library of a static binary is slow at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    sandbox::run_if_helper();
    if let Some(worker) = workers::Started::from_arguments() {
        let served = worker.pipes.and_then(match worker.role {
            workers::Role::Scripts => script::worker::serve,
            workers::Role::Reader => formats::worker::serve,
        });
        // The server reads it when the pipes close.
        return served
            .map_or_else(|error| fail(format_args!("a worker cannot go on: {error}")), |()| ExitCode::SUCCESS);
    }
    // A huge page that is touched once is 2 MB: a third of all memory at rest. A kernel without them has none to refuse.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    match boot::run(Line::parse()) {
        Ok(exit) => ExitCode::from(u8::from(exit)),
        Err(error) => {
            // A defect of ours has no log to be looked up in here.
            match error.kind() {
                Kind::Internal => fail(format_args!("{error:?}")),
                _ => fail(format_args!("{error}")),
            }
        }
    }
}

fn fail(why: fmt::Arguments<'_>) -> ExitCode {
    eprintln!("satchel: {why}");
    ExitCode::FAILURE
}
