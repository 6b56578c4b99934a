//! The arguments of `satchel eval`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What is measured.
#[derive(Debug, Subcommand)]
pub enum EvalCommand {
    /// How well find_tools finds tools
    Tools(EvalTools),
    /// How well documents are found by questions
    Docs(EvalDocs),
}

/// Sets of documents and questions.
#[derive(Debug, Args)]
pub struct EvalDocs {
    /// The sets: folders with docs.jsonl and queries.jsonl
    pub dir: PathBuf,
    /// Where the answers go: one file a set, and the documents as they were taken in, so that the next run is quicker
    #[arg(long, value_name = "RUN")]
    pub out: PathBuf,
}

/// Sets of tools and needs.
#[derive(Debug, Args)]
pub struct EvalTools {
    /// The sets: folders with tools.jsonl and queries.jsonl
    pub dir: PathBuf,
    /// Where the answers go: one file a set, and the vectors, so that the next run is quicker
    #[arg(long, value_name = "RUN")]
    pub out: PathBuf,
    /// Learn from these first: needs and the tools that met them, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub log: Option<String>,
}
