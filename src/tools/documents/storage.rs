//! The storage of documents: the caller's own files, what is made in a folder of its own.

use std::time::Duration;

use satchel_engine::context::Context;
use satchel_formats::limits::Limits;
use satchel_host::files::stored_name;
use satchel_model::error::{Error, Result};
use satchel_services::own_files::{NewFile, OwnFiles};

/// The folder of what is made.
const FOLDER: &str = "documents";

/// The longest that working on a document may take.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// Most bytes of a file.
pub(super) fn most() -> u64 {
    Limits::default().file as u64
}

/// Keeps a new document under a name made of its title, and tells where.
pub(super) async fn keep(cx: &Context, title: &str, ending: &str, bytes: Vec<u8>) -> Result<String> {
    if bytes.len() as u64 > most() {
        return Err(Error::invalid("The document would be too large to be read again. Make several."));
    }
    let name = stored_name(title);
    OwnFiles::new(cx)?.write_new(NewFile { folder: FOLDER, name: &name, ending }, bytes).await
}

/// A file's name without folders and ending.
pub(super) fn stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_path_the_name_stays_without_its_ending() {
        assert_eq!((stem("a/b.c/report.final.docx"), stem("x")), ("report.final", "x"));
    }
}
