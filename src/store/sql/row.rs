//! Rows, whose columns are read by name.

use std::{cell::Cell, str::FromStr};

use serde::de::DeserializeOwned;

use super::failure::from_sqlite;
use super::value::{Column, Misfit, Value};
use satchel_model::{
    error::{Error, Result},
    time::Time,
};

/// A row of a query.
///
/// # Errors
/// Reading fails where the query has no such column, or its value is not of the type.
pub struct Row<'a> {
    row: &'a rusqlite::Row<'a>,
    /// The column after the one read last. Rows are mostly read in the order of their query: so a name is compared, not
    /// looked for.
    next: Cell<usize>,
}

impl<'a> Row<'a> {
    pub(super) fn new(row: &'a rusqlite::Row<'a>) -> Self {
        Self { row, next: Cell::new(0) }
    }

    /// A column by its name.
    pub fn get<'s, T: Column<'s>>(&'s self, column: &str) -> Result<T> {
        let place = self.place(column)?;
        self.next.set(place + 1);
        self.at(place).map_err(|fault| Error::internal(format!("{column}: {fault}")))
    }

    /// The only column.
    pub(super) fn only<'s, T: Column<'s>>(&'s self) -> Result<T> {
        self.at(0).map_err(|fault| Error::internal(fault.to_string()))
    }

    fn at<'s, T: Column<'s>>(&'s self, place: usize) -> std::result::Result<T, Misfit> {
        T::read(Value::new(self.row.get_ref_unwrap(place))?)
    }

    /// A column that holds an id or another word with a parser.
    pub fn parsed<T: FromStr<Err = Error>>(&self, column: &str) -> Result<T> {
        self.get::<&str>(column)?.parse().map_err(damaged)
    }

    /// A column that holds JSON.
    pub fn json<T: DeserializeOwned>(&self, column: &str) -> Result<T> {
        serde_json::from_str(self.get(column)?).map_err(damaged)
    }

    /// A column that holds JSON, or nothing.
    pub fn optional_json<T: DeserializeOwned>(&self, column: &str) -> Result<Option<T>> {
        self.get::<Option<&str>>(column)?.map(serde_json::from_str).transpose().map_err(damaged)
    }

    /// A column that holds milliseconds since 1970.
    pub fn time(&self, column: &str) -> Result<Time> {
        self.get(column)
    }

    /// A column that holds milliseconds since 1970, or nothing.
    pub fn optional_time(&self, column: &str) -> Result<Option<Time>> {
        self.get(column)
    }

    fn place(&self, name: &str) -> Result<usize> {
        let (statement, next) = (self.row.as_ref(), self.next.get());
        let is_next = statement.column_name(next).is_ok_and(|found| found == name);
        let place = if is_next { next } else { statement.column_index(name).map_err(from_sqlite)? };
        let named = || statement.column_names().into_iter().filter(|found| found.eq_ignore_ascii_case(name)).count();
        debug_assert!(named() == 1, "a query has two columns '{name}'");
        Ok(place)
    }
}

fn damaged(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::internal(error)
}
