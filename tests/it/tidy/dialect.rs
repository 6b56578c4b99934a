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
    ("COLLATE NOCASE", "lower()"),
    ("json_extract(", "->>"),
    ("GLOB ", "LIKE"),
];

/// SQLite's own words that have no common form, the files that need them, and what for.
const OWN: &[(&str, &[&str])] = &[
    // Lists in a column or a parameter: tables of their own, and lists of ids by the seam, would take their place.
    ("json_each(", &["collections.rs", "excerpts.rs", "graph/look.rs"]),
    ("json_group_array(", &["collections.rs"]),
    ("json_array(", &["graph/look.rs"]),
    // An origin that is joined with another one.
    ("json_remove(", &["origin.rs"]),
    // Full-text search of memories.
    (" MATCH ", &["memory/search.rs", "health.rs"]),
    ("bm25(", &["memory/search.rs"]),
    // Numbers that were given away and are never used again.
    ("sqlite_sequence", &["egress.rs", "outbox.rs"]),
    ("group_concat(", &["origins.rs"]),
    ("char(", &["collections.rs", "origins.rs"]),
    ("instr(", &["audit/filter.rs", "collections.rs"]),
    ("hex(", &["vault.rs"]),
    // The end of a text, counted from behind.
    ("-length(", &["egress.rs"]),
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
        assert_eq!(found("src/store/uses.rs", "SELECT value FROM json_each(?1)"), 1);
        assert_eq!(found("src/store/vault.rs", "SELECT hex(sealed) FROM vault"), 0);
        assert_eq!(found("src/store/vault.rs", "SELECT sealed FROM vault"), 1, "an exception that is none any more");
        assert_eq!(found("src/store/sql/inspect.rs", "PRAGMA page_size"), 0);
    }
}
