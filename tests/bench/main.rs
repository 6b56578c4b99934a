//! The programs behind `make bench`: each starts the real binary on an empty directory, measures, and prints what it
//! found beside what is promised. All traffic stays on 127.0.0.1.

#![expect(clippy::indexing_slicing, reason = "only JSON is indexed: a key that is missing gives null")]

mod audit;
mod backup;
mod callers;
mod calls;
mod catalog;
mod crash;
mod document;
mod embed;
mod find;
mod gets;
mod hang;
mod http;
mod jobs;
mod kills;
mod load;
mod machine;
mod made;
mod mcp;
mod model;
mod person;
mod policy;
mod report;
mod scripts;
mod search;
mod server;
mod shares;
mod start;
mod streams;
mod turns;
mod usage;
mod vectors;
mod web;

use std::process::ExitCode;

use anyhow::{Result, bail};

use report::Report;

/// The server's allocator: what is measured in this process is measured as it is in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// In the order in which `make bench` runs them.
const FIGURES: &[&str] = &[
    "start", "gets", "calls", "callers", "catalog", "streams", "hang", "embed", "find", "vectors", "search", "web",
    "scripts", "shares", "jobs", "mcp", "audit", "policy", "turns", "backup", "crash",
];

/// Runs the figures named on the command line, or all.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode> {
    // As the server does, which some figures are measured without.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    // Cargo adds its own `--bench`.
    let named: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    if let Some(unknown) = named.iter().find(|name| !FIGURES.contains(&name.as_str())) {
        bail!("'{unknown}' is not a figure: choose from {}", FIGURES.join(", "));
    }
    // The client alone is measured beside ours: it chooses no cryptography of its own.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut report = Report::new();
    for name in FIGURES.iter().filter(|name| named.is_empty() || named.iter().any(|wanted| wanted == *name)) {
        report.begin(name);
        match *name {
            "backup" => backup::measure(&mut report).await?,
            "start" => start::measure(&mut report).await?,
            "gets" => gets::measure(&mut report).await?,
            "calls" => calls::measure(&mut report).await?,
            "callers" => callers::measure(&mut report).await?,
            "catalog" => catalog::measure(&mut report).await?,
            "streams" => streams::measure(&mut report).await?,
            "hang" => hang::measure(&mut report).await?,
            "find" => find::measure(&mut report).await?,
            "vectors" => vectors::measure(&mut report).await?,
            "search" => search::measure(&mut report).await?,
            "scripts" => scripts::measure(&mut report).await?,
            "shares" => shares::measure(&mut report).await?,
            "jobs" => jobs::measure(&mut report).await?,
            "web" => web::measure(&mut report)?,
            "mcp" => mcp::measure(&mut report).await?,
            "policy" => policy::measure(&mut report).await?,
            "turns" => turns::measure(&mut report).await?,
            "audit" => audit::measure(&mut report).await?,
            "embed" => embed::measure(&mut report).await?,
            _ => crash::measure(&mut report).await?,
        }
        report.end();
    }
    Ok(report.close())
}
