//! Fonts of this machine, for characters the built-in ones do not have.

use std::path::{Path, PathBuf};

/// The folders where Linux keeps them.
const FOLDERS: [&str; 2] = ["/usr/share/fonts", "/usr/local/share/fonts"];

/// Most files that are looked at.
const MAX_FILES: usize = 2_000;

/// Largest font, in bytes.
const MAX_BYTES: u64 = 40_000_000;

/// Deepest folders in folders.
const MAX_DEPTH: usize = 6;

/// The first font that suits, by the order of their paths.
#[expect(clippy::disallowed_methods, reason = "this is the host layer, and these are no user's files")]
pub fn find(suits: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|folder| collect(Path::new(folder), 0, &mut files));
    files.sort();
    files.into_iter().filter_map(|path| std::fs::read(path).ok()).find(|data| suits(data))
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if files.len() >= MAX_FILES {
            return;
        }
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        if kind.is_dir() && depth < MAX_DEPTH {
            collect(&path, depth + 1, files);
        }
        let font =
            path.extension().is_some_and(|end| ["ttf", "otf", "ttc"].iter().any(|font| end.eq_ignore_ascii_case(font)));
        if kind.is_file() && font && entry.metadata().is_ok_and(|data| data.len() <= MAX_BYTES) {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_is_found_that_does_not_suit() {
        assert!(super::find(|_| false).is_none());
    }
}
