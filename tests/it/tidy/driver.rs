//! The driver of the database has one home, and a statement one style.

use super::source::Source;

/// Where the driver may be named, beside its home: tests that look at the database file themselves, as another program would.
const NAME_IT: &[&str] = &[
    "tests/bench/backup.rs",
    "tests/it/backup/cli.rs",
    "tests/it/backup/http.rs",
    "tests/it/backup/load.rs",
    "tests/it/backup/made.rs",
    "tests/it/backup/snapshots.rs",
    "tests/it/cli/platform.rs",
    "tests/it/cli/start.rs",
    "tests/it/ends.rs",
    "tests/it/knowledge_crash.rs",
    "tests/it/migrations.rs",
    "tests/it/origins/stores.rs",
    "tests/it/persons/keys.rs",
    "tests/it/routes.rs",
    "tests/it/scripts/reach.rs",
    "tests/it/support/library.rs",
    "tests/it/turns/former.rs",
];

/// The driver's own ways to run a statement.
const WAYS: &[&str] = &["prepare_cached", "query_row", "query_map", "execute_batch"];

/// One line for each place that names the driver, or runs a statement in its way.
pub(super) fn offences(path: &str, source: &Source) -> Vec<String> {
    if path.starts_with("src/store/sql/") || NAME_IT.contains(&path) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, line) in (1..).zip(source.code.lines()) {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        if words.any(|word| word.starts_with("rusqlite")) {
            found.push(format!("{path}:{number}: the database's driver is named in src/store/sql only"));
        }
        if WAYS.iter().any(|way| line.contains(&format!(".{way}("))) {
            found.push(format!("{path}:{number}: a statement is run by run, many, all, first, find, one or exists"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::source, *};

    #[test]
    fn the_driver_outside_its_home_is_found() {
        let found = |path: &str, code: &str| offences(path, &source::read(code)).len();
        assert_eq!(found("src/store/users.rs", "use rusqlite::Connection;\n"), 1);
        assert_eq!(found("src/app/lib.rs", "fn a(c: &rusqlite::Connection) {}"), 1);
        assert_eq!(found("tests/it/ticket.rs", "use rusqlite_migration::Migrations;"), 1);
        assert_eq!(found("src/store/users.rs", "tx.0.prepare_cached(sql)?;\nc.query_row(sql, (), read)?;"), 2);
        assert_eq!(found("src/store/users.rs", "// rusqlite\nlet a = \"rusqlite\"; tx.run(sql, ())?;"), 0);
        assert_eq!(found("src/store/sql/tx.rs", "use rusqlite::Row;"), 0);
        assert_eq!(found("tests/it/ends.rs", "use rusqlite::Connection;"), 0);
    }
}
