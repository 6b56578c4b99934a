//! Notes for the audit of what was done to a data directory while nothing ran on it: the next start writes them down.
#![expect(clippy::disallowed_methods, reason = "the data directory is the store's own")]

use std::{
    fs::{self, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    fault,
    log::{self, By},
};
use crate::audit::Audit;
use satchel_model::{
    error::{Error, Result},
    time::Time,
};

/// Where they are kept, a line each.
const NOTES: &str = "unrecorded.jsonl";

/// Who did it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Source {
    /// Whoever runs the server, at its command line.
    CommandLine,
    /// Whoever had the link of the first run.
    SetupLink,
}

#[derive(Serialize, Deserialize)]
struct Note {
    action: String,
    told: Value,
    by: Source,
}

/// Leaves a note in a data directory; it is on the disk when this returns.
pub(super) fn leave(data: &Path, action: &str, told: Value, by: Source) -> Result<()> {
    let note = Note { action: action.to_owned(), told, by };
    let line = serde_json::to_string(&note).map_err(Error::internal)?;
    append(&data.join(NOTES), &format!("{line}\n"))
}

/// Writes what was noted since the last start into the audit.
pub async fn record(data: &Path, audit: &Audit, now: Time) -> Result<()> {
    let path = data.join(NOTES);
    let Ok(text) = fs::read_to_string(&path) else { return Ok(()) };
    // A line that cannot be read says nothing, and must not keep a server from starting.
    for note in text.lines().filter_map(|line| serde_json::from_str::<Note>(line).ok()) {
        let by = match note.by {
            Source::CommandLine => By::CommandLine,
            Source::SetupLink => By::SetupLink,
        };
        log::record(audit, &by, (&note.action, note.told), None, now).await?;
    }
    fs::remove_file(&path).map_err(|e| fault::unwritable(&path, e))
}

/// Appends to a file that only its owner may read; it is on the disk when this returns.
pub(super) fn append(path: &Path, text: &str) -> Result<()> {
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    written.map_err(|e| fault::unwritable(path, e))
}
