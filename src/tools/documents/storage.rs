//! Where documents lie: the caller's own files, what is made in a folder of its own.

use std::time::Duration;

use crate::{
    engine::context::Context,
    formats::limits::Limits,
    model::error::{Error, Result},
};

/// The folder of what is made.
const FOLDER: &str = "documents";

/// Longest name, in characters.
const MAX_NAME: usize = 80;

/// How long working on a document may take.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// What one document may cost; it ends before the tool's time does.
pub(super) fn limits() -> Limits {
    Limits::default()
}

/// Most bytes of a file.
pub(super) fn most() -> u64 {
    limits().file as u64
}

/// A document's bytes.
pub(super) async fn load(cx: &Context, path: &str) -> Result<Vec<u8>> {
    cx.files()?.read_up_to(path, most()).await
}

/// Keeps a new document under a name made of its title, and tells where.
pub(super) async fn keep(cx: &Context, title: &str, ending: &str, bytes: Vec<u8>) -> Result<String> {
    if bytes.len() as u64 > most() {
        return Err(Error::invalid("The document would be too large to be read again. Make several."));
    }
    cx.files()?.write_new(FOLDER, &name(title), ending, bytes).await
}

/// A file's name without folders and ending.
pub(super) fn stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// A title as a file's name: letters, digits and single hyphens.
fn name(title: &str) -> String {
    let mut name = String::new();
    for c in title.chars() {
        match c {
            c if c.is_alphanumeric() || c == '_' => name.push(c),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    let mut name: String = name.chars().take(MAX_NAME).collect();
    while name.ends_with('-') || name.len() > 200 {
        name.pop();
    }
    if name.is_empty() { "document".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_become_names_that_lead_nowhere_else() {
        for (title, wanted) in [
            ("Q4 report: costs & gains", "Q4-report-costs-gains"),
            ("../../etc/passwd", "etc-passwd"),
            ("Größe 日本", "Größe-日本"),
            (" ./ ", "document"),
        ] {
            assert_eq!(name(title), wanted);
        }
        assert!(name(&"語".repeat(300)).len() <= 200);
        assert_eq!((stem("a/b.c/report.final.docx"), stem("x")), ("report.final", "x"));
    }
}
