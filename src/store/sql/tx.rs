//! Running statements: what the work of a read or a write is given.

use std::ops::Deref;

use rusqlite::CachedStatement;

use super::{failure::from_sqlite, params::Params, row::Row, value::Column};
use satchel_model::{
    error::{Error, Result},
    time::Time,
};

/// The database, as the work of a read or a write sees it. Statements are prepared once.
///
/// # Errors
/// Everything here fails with what the database says, and with what a reader of rows says.
pub struct Tx(pub(super) rusqlite::Connection);

impl Tx {
    /// Runs a statement. Returns how many rows it changed.
    pub fn run(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.bound(sql, &params)?.raw_execute().map_err(from_sqlite)
    }

    /// Runs a statement once with each of these; where one fails, those before have run. Returns how many rows were changed.
    pub fn many<P: Params>(&self, sql: &str, rows: impl IntoIterator<Item = P>) -> Result<usize> {
        let mut statement = self.prepared(sql)?;
        let mut changed = 0;
        for params in rows {
            bind(&mut statement, &params)?;
            changed += statement.raw_execute().map_err(from_sqlite)?;
        }
        Ok(changed)
    }

    /// Every row of a query, read by `read`.
    pub fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        self.find(sql, params, |row| {
            all.push(read(row)?);
            Ok(None::<()>)
        })?;
        Ok(all)
    }

    /// The first row of a query, read by `read`; `None` where there is none.
    pub fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.find(sql, params, |row| read(row).map(Some))
    }

    /// What `read` finds in the rows of a query, which are read until it does.
    pub fn find<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let mut statement = self.bound(sql, &params)?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(from_sqlite)? {
            if let Some(found) = read(&Row::new(row))? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The only value of the only row. Fails where there is none.
    pub fn one<T: for<'a> Column<'a>>(&self, sql: &str, params: impl Params) -> Result<T> {
        self.first(sql, params, |row| row.only())?.ok_or_else(|| Error::internal("a query found no row"))
    }

    /// Whether a query has any row.
    pub fn exists(&self, sql: &str, params: impl Params) -> Result<bool> {
        Ok(self.first(sql, params, |_| Ok(()))?.is_some())
    }

    /// Runs statements that bind nothing, one after the other; where one fails, those before have run.
    pub fn script(&self, sql: &str) -> Result<()> {
        self.0.execute_batch(sql).map_err(from_sqlite)
    }

    /// The database as it is now: what is read through this is of one moment, whatever is written meanwhile.
    pub fn moment(&self) -> Result<Moment<'_>> {
        Ok(Moment { tx: self, _open: self.0.unchecked_transaction().map_err(from_sqlite)? })
    }

    /// The time by the database's own clock, which is the same for all who use it.
    pub(crate) fn clock(&self) -> Result<Time> {
        let sql = "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)";
        self.0.query_row(sql, (), |row| row.get(0)).map(Time::from_millis).map_err(from_sqlite)
    }

    /// Whether no transaction is open any more: SQLite itself undoes a whole one where it cannot go on.
    pub(crate) fn is_undone(&self) -> bool {
        self.0.is_autocommit()
    }

    fn bound(&self, sql: &str, params: &impl Params) -> Result<CachedStatement<'_>> {
        let mut statement = self.prepared(sql)?;
        bind(&mut statement, params)?;
        Ok(statement)
    }

    fn prepared(&self, sql: &str) -> Result<CachedStatement<'_>> {
        tracing::trace!(target: "satchel::sql", sql);
        self.0.prepare_cached(sql).map_err(from_sqlite)
    }
}

fn bind(statement: &mut CachedStatement<'_>, params: &impl Params) -> Result<()> {
    let mut bound = 0_usize;
    params.each(&mut |value| {
        bound += 1;
        statement.raw_bind_parameter(bound, value.value()).map_err(from_sqlite)
    })?;
    if bound != statement.parameter_count() {
        return Err(from_sqlite(rusqlite::Error::InvalidParameterCount(bound, statement.parameter_count())));
    }
    Ok(())
}

/// One moment of the database, until it is dropped.
pub struct Moment<'a> {
    tx: &'a Tx,
    _open: rusqlite::Transaction<'a>,
}

impl Deref for Moment<'_> {
    type Target = Tx;

    fn deref(&self) -> &Tx {
        self.tx
    }
}
