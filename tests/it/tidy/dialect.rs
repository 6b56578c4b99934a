//! The store's SQL is what SQLite and PostgreSQL share, but for what is listed here.

use super::source::Source;

/// Words that only SQLite knows, or reads otherwise, and what stands in their place.
const REFUSED: &[(&str, &str)] = &[
    ("INSERT OR ", "ON CONFLICT"),
    ("REPLACE INTO ", "ON CONFLICT"),
    ("iif(", "CASE"),
    (" IS ?", "IS NOT DISTINCT FROM"),
    (" IS NOT ?", "IS DISTINCT FROM"),
    ("last_insert_rowid", "RETURNING"),
    ("sqlite_sequence", "RETURNING"),
    ("COLLATE NOCASE", "lower()"),
    ("GLOB ", "LIKE"),
    ("json_extract(", "->>"),
    ("json_each(", "a table, or IN with places for the values"),
    ("json_array(", "Rust"),
    ("json_group_array(", "a row for each"),
    ("json_remove(", "Rust"),
    ("group_concat(", "string_agg()"),
    ("char(", "the sign itself"),
    ("hex(", "Rust"),
    (" MATCH ", "a table of words"),
];

/// SQLite's own words that have no common form, the files that need them, and what for.
const OWN: &[(&str, &[&str])] = &[
    // Has another name there, which a driver can put in its place.
    ("instr(", &["audit/filter.rs"]),
    // The clock with which snapshots are named.
    ("strftime(", &["backup/snapshots.rs"]),
    // The key of the edges that were put, among those that documents tell of.
    ("coalesce(document, 0)", &["graph.rs"]),
];

/// One line for each statement that is SQLite's alone, and for each exception that is one no more.
pub(super) fn offences(path: &str, source: &Source) -> Vec<String> {
    let Some(file) = path.strip_prefix("src/store/").filter(|file| !file.starts_with("sql/") && !is_test(file)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let said = |word: &str| source.strings.iter().filter(|(_, text)| text.contains(word)).map(|(line, _)| *line).next();
    for (word, instead) in REFUSED {
        found.extend(said(word).map(|line| format!("{path}:{line}: write {instead}, '{word}' is SQLite's alone")));
    }
    for (word, files) in OWN {
        match (said(word), files.contains(&file)) {
            (Some(line), false) => found.push(format!("{path}:{line}: '{word}' is SQLite's alone")),
            (None, true) => found.push(format!("{path}: '{word}' stands here no more: take it off the list")),
            _ => {}
        }
    }
    found
}

fn is_test(file: &str) -> bool {
    file.contains("tests/") || file.ends_with("tests.rs")
}

#[cfg(test)]
mod tests {
    use super::{super::source, *};

    #[test]
    fn what_only_sqlite_knows_is_found() {
        let found = |path: &str, sql: &str| offences(path, &source::read(&format!("const A: &str = \"{sql}\";"))).len();
        assert_eq!(found("src/store/uses.rs", "INSERT OR REPLACE INTO uses VALUES (iif(?1, 1, 2))"), 3);
        assert_eq!(found("src/store/uses.rs", "SELECT 1 FROM uses WHERE id IS NOT DISTINCT FROM ?1"), 0);
        assert_eq!(found("src/store/uses.rs", "SELECT strftime(?1)"), 1);
        assert_eq!(found("src/store/backup/snapshots.rs", "SELECT strftime(?1)"), 0);
        assert_eq!(found("src/store/backup/snapshots.rs", "SELECT 1"), 1, "an exception that is none any more");
        assert_eq!(found("src/store/sql/inspect.rs", "PRAGMA page_size"), 0);
    }
}
