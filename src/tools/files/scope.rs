//! The scope of a yes for a whole conversation to files: those of one folder, not those below it.

/// The folder a path lies in, in words. `None` for a path that leaves it again on its way.
pub(super) fn folder(path: &str) -> Option<String> {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.contains(&"..") || parts.pop().is_none() {
        return None;
    }
    Some(match (absolute, parts.join("/")) {
        (false, folder) if folder.is_empty() => "files at the top of the workspace".to_owned(),
        (false, folder) => format!("files in “{folder}”"),
        (true, folder) => format!("files in “/{folder}”"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_the_same_however_its_path_is_written_and_covers_none_below_it() {
        for path in ["reports/a.md", "./reports//b.md", "reports/./c.md"] {
            assert_eq!(folder(path).as_deref(), Some("files in “reports”"), "{path}");
        }
        assert_eq!(folder("notes.txt").as_deref(), Some("files at the top of the workspace"));
        assert_eq!(folder("reports/2026/a.md").as_deref(), Some("files in “reports/2026”"));
        assert_eq!(folder("/srv/a.md").as_deref(), Some("files in “/srv”"));
        for path in ["reports/../a.md", "../a.md", "", "/", "."] {
            assert_eq!(folder(path), None, "{path}");
        }
    }
}
