//! Programs that never run: they are covered where they lie, whatever a command does to reach them.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The directories where programs lie.
const DIRECTORIES: [&str; 6] = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// The programs there are under these names.
pub(super) fn programs(blocked: &[String]) -> Vec<PathBuf> {
    let (patterns, names): (Vec<_>, Vec<_>) = blocked.iter().partition(|name| name.contains('*'));
    let mut found = Vec::new();
    for directory in DIRECTORIES.map(Path::new) {
        found.extend(names.iter().map(|name| directory.join(name)));
        if patterns.is_empty() {
            continue;
        }
        let listed = fs::read_dir(directory).into_iter().flatten().flatten();
        let listed = listed.filter_map(|entry| entry.file_name().into_string().ok());
        let hit = listed.filter(|name| patterns.iter().any(|pattern| fits(pattern, name)));
        found.extend(hit.map(|name| directory.join(name)));
    }
    found.retain(|path| path.is_file());
    found
}

/// Returns whether a name fits a pattern in which `*` stands for anything, also for nothing.
pub fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == name };
    let Some(rest) = name.strip_prefix(head) else { return false };
    (0..=rest.len()).any(|at| rest.get(at..).is_some_and(|rest| fits(tail, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name, expected) in [
            ("mkfs*", "mkfs", true),
            ("mkfs*", "mkfs.ext4", true),
            ("*sh", "bash", true),
            ("p*n*", "python3", true),
            ("git", "gitk", false),
            ("*sh", "shell", false),
            ("*", "anything/at all", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
