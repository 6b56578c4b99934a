//! The database itself: its size, its schema, whether it is sound.

use super::tx::Tx;
use satchel_model::error::Result;

/// What is read to find damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Every page.
    Pages,
    /// Every page, and that indexes and tables agree.
    Indexes,
}

impl Tx {
    /// Bytes of a page, how many there are, and how many of them are free.
    pub(crate) fn pages(&self) -> Result<(u64, u64, u64)> {
        let number = |sql| self.one::<i64>(sql, ()).map(i64::unsigned_abs);
        Ok((number("PRAGMA page_size")?, number("PRAGMA page_count")?, number("PRAGMA freelist_count")?))
    }

    /// The number of the last migration.
    pub(crate) fn schema(&self) -> Result<usize> {
        self.one::<i64>("PRAGMA user_version", ()).map(|version| usize::try_from(version).unwrap_or_default())
    }

    /// The first thing that is wrong with its pages; `None` where they are sound.
    pub(crate) fn damage(&self, depth: Depth) -> Result<Option<String>> {
        let sql = match depth {
            Depth::Pages => "PRAGMA quick_check(1)",
            Depth::Indexes => "PRAGMA integrity_check(1)",
        };
        self.find(sql, (), |row| Ok(Some(row.only::<String>()?).filter(|line| line != "ok")))
    }

    /// The table of the first row that belongs to nothing; `None` where all belong.
    pub(crate) fn orphan(&self) -> Result<Option<String>> {
        self.first("PRAGMA foreign_key_check", (), |row| row.get("table"))
    }

    /// The tables by name. Earlier versions had one of full-text search: it is named where it really lies.
    pub(crate) fn tables(&self) -> Result<Vec<String>> {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
                   AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name";
        self.all(sql, (), |row| row.get("name"))
    }

    /// Number of rows of a table.
    pub(crate) fn count(&self, table: &str) -> Result<i64> {
        self.one(&format!("SELECT count(*) FROM \"{}\"", table.replace('"', "\"\"")), ())
    }

    /// Whether there is a table of this name.
    pub(crate) fn has_table(&self, name: &str) -> Result<bool> {
        self.exists("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", [name])
    }
}
